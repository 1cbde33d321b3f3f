/** The roll of rng_verify's example, drawn from the active seed. */
import { rngProofOperations } from "../../src/api/operations/rng/proof.ts";
import type { App } from "../../src/core/app.ts";
import { readParams } from "../../src/domain/games/drawn.ts";
import * as rolls from "../../src/domain/rng/roll.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { until } from "./until.ts";

/** Waits for a seed, rolls on it, and returns the seed's hash, which no example can know in advance. */
export async function rollExample(app: App, tenant = "acme"): Promise<string> {
  const active = async () => (await app.load(seeds, seeds.targetOf("live"))).active;
  await until(async () => (await active()) !== undefined);
  const seed = (await active())!;
  const { roll_id } = rngProofOperations.find(({ name }) => name === "rng_verify")!.example as {
    roll_id: string;
  };
  const request = {
    roll_id,
    tenant,
    game: "dice" as const,
    params: readParams("dice", {}),
    client_seed: "example",
  };
  const secret = app.seeds.seed("live", seed.chain, seed.index);
  const drawn = rolls.roll({ ...request, rolled_at: app.clock.now().toISOString() }, { seed, secret });
  const id = rolls.rollsId(seed.seed_hash, request.game, request.client_seed);
  await app.decide(rolls, { tenant, id }, drawn, { meta: { actor: "test", operation: "test" } });
  return seed.seed_hash;
}
