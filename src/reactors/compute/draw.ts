/** Whether a result is checked further: drawn after it, from a seed that nobody knows yet. */
import type { App } from "../../app.ts";
import * as nodes from "../../domain/compute/node.ts";
import { auditMicro } from "../../domain/compute/pricing.ts";
import type { Task } from "../../domain/compute/task.ts";
import type { Draw } from "../../domain/compute/task-events.ts";
import { digestOf } from "../../domain/objects.ts";
import * as account from "../../domain/payments/account.ts";
import { ByteStream, below } from "../../domain/rng/bytes.ts";
import * as seeds from "../../domain/rng/seeds.ts";
import { findNode } from "../../projections/compute/nodes.ts";
import { atStake } from "./steps.ts";

/** The draw of the newest lease's result; null where it is certain that it is checked, also where there is no seed to draw from. */
export async function drawFor(app: App, task: Task, at: string): Promise<Draw | null> {
  const { sx, price_micro, attempt } = task.lease!;
  const v = (await findNode(app.pool, sx))?.valid_audits ?? 0;
  const target = nodes.targetOf(sx);
  const funds = await app.load(account, account.targetOf(target.tenant));
  const at_stake = atStake(funds, await app.load(nodes, target), at);
  const p_micro = auditMicro(v, price_micro, at_stake);
  const { active } = await app.load(seeds, seeds.targetOf("live"));
  if (p_micro === 1_000_000 || !active) return null;
  const { space, chain, index, seed_hash } = active;
  const secret = app.seeds.seed(space, chain, index);
  if (digestOf(secret) !== seed_hash) return null;
  const stream = new ByteStream(secret, drawOf(task, attempt));
  const audits = below(stream, 1_000_000) < p_micro;
  return { space, chain, index, seed_hash, nonce: attempt, p_micro, audits };
}

/** What of a task is signed with the seed: docs/rng.md says how bytes are made of it. */
export const drawOf = ({ lease, facts }: Task, nonce: number) => ({
  tenant: nodes.targetOf(lease!.sx).tenant,
  game: "audit",
  client_seed: facts.task_id,
  nonce,
});
