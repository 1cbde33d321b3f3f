/** Chains whose secret is lost: the service refuses to start with them, and giving them up refunds bets. */
import type { App } from "../../core/app.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import * as account from "../../domain/lounge/account.ts";
import * as seeds from "../../domain/rng/seeds.ts";
import { refundsDue } from "../../projections/rng/seeds.ts";

/** The configured secret derives another chain. */
export const isLost = (app: App, space: seeds.Space) => (chain: seeds.Chain) =>
  app.seeds.head(space, chain.chain) !== chain.head_hash;

async function hasLost(app: App): Promise<boolean> {
  for (const space of seeds.spaces) {
    const { chains } = await app.load(seeds, seeds.targetOf(space));
    if (chains.some(isLost(app, space))) return true;
  }
  return false;
}

/** Another secret reveals no seed of these chains: their rolls, bets and draws could never be proven. */
export const secretFault = async (app: App): Promise<string | undefined> =>
  (await hasLost(app))
    ? "SEED_SECRET (or seeds.secret in DATA_DIR): it does not make the seeds that this log has published; restore the secret, or void its draws with `tallystick rng abandon`"
    : undefined;

const PAGE = 100;
const refunds = { meta: { actor: "reactor:rng", operation: "rng.refund" } };

/** Gives back the stakes of bets on seeds that were given up; returns the number of accounts. */
export async function refundVoided(app: App): Promise<number> {
  const due = await refundsDue(app.pool, PAGE);
  const voided_at = app.clock.now().toISOString();
  await forEach(due, ({ tenant, ...seed }) =>
    app.decide(account, account.targetOf(tenant), account.voidBets(seed, voided_at), refunds),
  );
  return due.length;
}
