/** Decides which tasks count for their providers and how much, from the requesters' spent money, in the log's order. */
import { TASKS_1, type TaskRules } from "./rules.ts";

/** A settled task. `linked`: at the lease, both sides were one tenant, wallet or delegation. */
export type Task = {
  kind: "task";
  day: number;
  requester: string;
  provider: number;
  fee_micro: number;
  linked: boolean;
};

/** A settled paid call that was not refunded: micro-USDC of the paying tenant. */
export type SpentPayment = { kind: "kept"; day: number; tenant: string; micro: number };

/** A requester's spent micro-USDC and given micro-points by day, and its counted tasks. */
export type Purse = {
  kept: Map<number, number>;
  given: Map<number, number>;
  counted: { day: number; provider: number }[];
};

export const emptyPurse = (): Purse => ({ kept: new Map(), given: new Map(), counted: [] });

/** Micro-points of each task in order; 0 = not counted. */
export function taskPoints(happened: readonly (Task | SpentPayment)[], rules: TaskRules = TASKS_1): number[] {
  const purses = new Map<string, Purse>();
  const points: number[] = [];
  for (const one of happened) {
    const tenant = one.kind === "task" ? one.requester : one.tenant;
    const purse = purses.get(tenant) ?? emptyPurse();
    purses.set(tenant, purse);
    if (one.kind === "kept") add(purse.kept, one.day, one.micro);
    else points.push(countTask(purse, one, rules));
  }
  return points;
}

/** Returns the task's points and records them in its requester's purse. */
export function countTask(
  purse: Purse,
  { day, provider, fee_micro, linked }: Omit<Task, "kind" | "requester">,
  rules: TaskRules = TASKS_1,
): number {
  // The fee is spent even if the task does not count.
  add(purse.kept, day, fee_micro);
  if (linked) return 0;
  const sum = (of: ReadonlyMap<number, number>) => {
    let all = 0;
    for (const [at, micro] of of) if (day - at <= rules.days) all += micro;
    return all;
  };
  const steps = Math.min(rules.steps, Math.floor(fee_micro / rules.step_fee_micro));
  const points = Math.min(
    rules.points_a_step * steps,
    rules.points_a_usdc * sum(purse.kept) - sum(purse.given),
  );
  const recent = purse.counted.filter(
    (one) => one.provider === provider && day - one.day < rules.window_days,
  );
  if (points <= 0 || recent.length >= rules.window_tasks) return 0;
  add(purse.given, day, points);
  purse.counted.push({ day, provider });
  return points;
}

const add = (days: Map<number, number>, day: number, micro: number) =>
  days.set(day, (days.get(day) ?? 0) + micro);
