/** Which tasks count for their providers, and for how much: decided from what was kept of their requesters' money, in the log's order. */
import { TASKS_1, type TaskRules } from "./rules.ts";

/** A task that was completed and settled. `linked`: its two sides are one tenant, wallet or delegation, as it stood at the lease. */
export type Task = {
  kind: "task";
  day: number;
  requester: string;
  provider: number;
  fee_micro: number;
  linked: boolean;
};

/** A priced call that was settled and kept: micro-USDC of the tenant that paid. */
export type Kept = { kind: "kept"; day: number; tenant: string; micro: number };

/** What was kept of a requester's money and given for it, by day, and its tasks that count: in micro-USDC and micro-points. */
export type Purse = {
  kept: Map<number, number>;
  given: Map<number, number>;
  counted: { day: number; provider: number }[];
};

export const emptyPurse = (): Purse => ({ kept: new Map(), given: new Map(), counted: [] });

/** The micro-points of each task, in the order in which they stand; 0 of one that does not count. */
export function taskPoints(happened: readonly (Task | Kept)[], rules: TaskRules = TASKS_1): number[] {
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

/** What a task comes to, which its requester's purse keeps. */
export function countTask(
  purse: Purse,
  { day, provider, fee_micro, linked }: Omit<Task, "kind" | "requester">,
  rules: TaskRules = TASKS_1,
): number {
  // The fee was kept, whether or not the task counts.
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
