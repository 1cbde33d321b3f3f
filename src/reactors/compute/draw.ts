/** The draw uses the seed that was active and secret when the result was recorded. */
import type { App } from "../../core/app.ts";
import { digestOf } from "../../core/model/objects.ts";
import * as nodes from "../../domain/compute/node.ts";
import { auditMicro } from "../../domain/compute/pricing.ts";
import type { Task } from "../../domain/compute/task.ts";
import type { Draw, Receipt, Result } from "../../domain/compute/task-events.ts";
import { ByteStream, below } from "../../domain/games/bytes.ts";
import * as account from "../../domain/payments/account.ts";
import type { SeedLocation } from "../../domain/rng/seeds.ts";
import { findNode } from "../../projections/compute/nodes.ts";
import { findSeed } from "../../projections/rng/seeds.ts";
import { collateralOf } from "./collateral.ts";

/** The draw of the newest lease's result; null = a certain audit, or no seed or receipt. */
export async function drawFor(app: App, task: Task): Promise<Draw | null> {
  const { sx, price_micro, attempt } = task.lease!;
  const v = (await findNode(app.pool, sx))?.valid_audits ?? 0;
  const funds = await app.load(account, account.targetOf(nodes.targetOf(sx).tenant));
  const p_micro = auditMicro(v, price_micro, collateralOf(funds, task.facts.task_id));
  const { seed, receipt, output_sha256 } = task.result!;
  if (p_micro === 1_000_000 || !seed || !receipt) return null;
  const secret = await secretOf(app, seed);
  if (!secret) return null;
  const stream = new ByteStream(secret, drawOf(task, { attempt, output_sha256, receipt }));
  const audits = below(stream, 1_000_000) < p_micro;
  return { ...seed, nonce: attempt, p_micro, audits };
}

/** Undefined where the seed is lost. */
async function secretOf(app: App, { space, chain, index, seed_hash }: SeedLocation) {
  const secret = app.seeds.seed(space, chain, index);
  if (digestOf(secret) === seed_hash) return secret;
  const revealed = (await findSeed(app.pool, seed_hash))?.revealed;
  return revealed ? Buffer.from(revealed.seed, "hex") : undefined;
}

type DrawnResult = Pick<Result, "attempt" | "output_sha256"> & { receipt: Receipt };

/**
 * The message of a draw; docs/rng.md derives bytes from it. It includes the worker's signature, so nobody can choose a
 * seed for a result.
 */
const drawOf = ({ lease, facts }: Task, { attempt, output_sha256, receipt }: DrawnResult) => ({
  tenant: nodes.targetOf(lease!.sx).tenant,
  game: "audit",
  client_seed: `${facts.task_id}:${output_sha256}:${digestOf(receipt.signature)}`,
  nonce: attempt,
});
