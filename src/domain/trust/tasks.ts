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

/** The micro-points of each task, in the order in which they stand; 0 of one that does not count. */
export function taskPoints(happened: readonly (Task | Kept)[], rules: TaskRules = TASKS_1): number[] {
  const accounts = new Map<string, Account>();
  const points: number[] = [];
  for (const one of happened) {
    const tenant = one.kind === "task" ? one.requester : one.tenant;
    let account = accounts.get(tenant);
    if (!account) {
      account = { kept: [], given: [] };
      accounts.set(tenant, account);
    }
    if (one.kind === "kept") account.kept.push({ day: one.day, micro: one.micro });
    else points.push(count(account, one, rules));
  }
  return points;
}

type Account = {
  kept: { day: number; micro: number }[];
  given: { day: number; micro: number; provider: number }[];
};

function count(account: Account, { day, provider, fee_micro, linked }: Task, rules: TaskRules): number {
  // The fee was kept, whether or not the task counts.
  account.kept.push({ day, micro: fee_micro });
  if (linked) return 0;
  const sum = (of: readonly { day: number; micro: number }[]) =>
    of.reduce((all, one) => (day - one.day <= rules.days ? all + one.micro : all), 0);
  const steps = Math.min(rules.steps, Math.floor(fee_micro / rules.step_fee_micro));
  const points = Math.min(
    rules.points_a_step * steps,
    rules.points_a_usdc * sum(account.kept) - sum(account.given),
  );
  const recent = account.given.filter(
    (one) => one.provider === provider && day - one.day < rules.window_days,
  );
  if (points <= 0 || recent.length >= rules.window_tasks) return 0;
  account.given.push({ day, micro: points, provider });
  return points;
}
