/** Chains whose secret is gone: the service does not start with them, the operator gives them up, and bets are refunded. */
import type { JsonObject } from "../../../eventstore/types.ts";
import type { App } from "../../app.ts";
import { forEach } from "../../concurrency.ts";
import * as account from "../../domain/lounge/account.ts";
import { refuse } from "../../domain/refusal.ts";
import * as seeds from "../../domain/rng/seeds.ts";
import { rngProjection } from "../../projections/rng/rng.ts";
import { refundsDue } from "../../projections/rng/seeds.ts";

const isLost = (app: App, space: seeds.Space) => (chain: seeds.Chain) =>
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
    ? "SEED_SECRET (or seeds.secret in DATA_DIR): it does not make the seeds that this log has published; give it back, or void what was drawn with `tallystick rng abandon`"
    : undefined;

const PAGE = 100;
const refunds = { meta: { actor: "reactor:rng", operation: "rng.refund" } };

/** Gives back the stakes of bets on seeds that were given up; answers for how many accounts. */
export async function refundVoided(app: App): Promise<number> {
  const due = await refundsDue(app.pool, PAGE);
  const voided_at = app.clock.now().toISOString();
  await forEach(due, ({ tenant, ...seed }) =>
    app.decide(account, account.targetOf(tenant), account.voidBets(seed, voided_at), refunds),
  );
  return due.length;
}

export type Abandonment = { chains: seeds.AbandonedChain[]; refunded_accounts: number };

/** Gives up every chain that the secret at hand does not make. Said again, it goes on where it stopped. */
export async function abandonLost(app: App, meta: JsonObject): Promise<Abandonment> {
  const abandoned_at = app.clock.now().toISOString();
  const chains: seeds.AbandonedChain[] = [];
  for (const space of seeds.spaces) {
    const decision = seeds.abandon(isLost(app, space), abandoned_at);
    const { result } = await app.decide(seeds, seeds.targetOf(space), decision, { meta });
    for (const { type, data } of result.events) if (type === "SeedChainAbandoned") chains.push(data);
  }
  let refunded_accounts = 0;
  for (let refunded = -1; refunded !== 0; refunded_accounts += refunded) {
    if (!(await app.caughtUp(rngProjection)))
      refuse(
        "unavailable",
        "the chains are given up, and bets are still being counted: run the command again",
      );
    refunded = await refundVoided(app);
  }
  if (chains.length === 0 && refunded_accounts === 0)
    refuse("conflict", "SEED_SECRET makes every chain of this log: nothing is lost, and nothing is void");
  return { chains, refunded_accounts };
}
