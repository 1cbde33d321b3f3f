/** Abandons chains of seeds whose secret is lost. */
import type { JsonObject } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import * as seeds from "../domain/rng/seeds.ts";
import { rngProjection } from "../projections/rng/rng.ts";
import { isLost, refundVoided } from "../reactors/rng/lost-seeds.ts";

export type Abandonment = { chains: seeds.AbandonedChain[]; refunded_accounts: number };

const MOST_WAIT_MS = 60_000;

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
    if (!(await app.caughtUp(rngProjection, { wait_ms: MOST_WAIT_MS })))
      refuse(
        "unavailable",
        "the chains are abandoned, but bets are still being counted: run the command again",
      );
    refunded = await refundVoided(app);
  }
  if (chains.length === 0 && refunded_accounts === 0)
    refuse("conflict", "SEED_SECRET makes every chain of this log: nothing is lost, and nothing is void");
  return { chains, refunded_accounts };
}
