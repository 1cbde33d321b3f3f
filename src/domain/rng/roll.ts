/** Rolls of one tenant with one client seed in one game on one seed: their number is the next roll's nonce. */
import { createHash } from "node:crypto";
import type { Event } from "@event-driven-io/emmett";
import { z } from "zod";
import { refuse } from "../refusal.ts";
import { ByteStream } from "./bytes.ts";
import { type GameName, gameNames, type Params, play } from "./games.ts";
import { type ActiveSeed, spaces } from "./seeds.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const rolled = z.strictObject({
  roll_id: z.string(),
  /** The tenant whose name is part of what was signed with the seed. */
  tenant: z.string(),
  space: z.enum(spaces),
  chain: z.int(),
  index: z.int(),
  seed_hash: sha256,
  game: z.enum(gameNames),
  params: z.record(z.string(), z.unknown()),
  client_seed: z.string(),
  nonce: z.int().min(0),
  result: z.record(z.string(), z.unknown()),
  rolled_at: z.iso.datetime(),
});

export const events = { Rolled: { 1: rolled } };

export type RollFacts = z.infer<typeof rolled>;
export type RollEvent = Event<"Rolled", RollFacts>;
export type RollState = { rolls: number };

/** Names the rolls that share their nonces. */
export const rollsId = (seed_hash: string, game: string, client_seed: string) =>
  createHash("sha256").update(`${seed_hash}:${game}:${client_seed}`).digest("hex").slice(0, 32);

export const streamOf = (id: string) => `rolls-${id}`;

export const initialState = (): RollState => ({ rolls: 0 });

export const evolve = ({ rolls }: RollState): RollState => ({ rolls: rolls + 1 });

export type RollRequest = {
  roll_id: string;
  tenant: string;
  game: GameName;
  params: Params;
  client_seed: string;
  rolled_at: string;
};

/** Draws a result from the active seed, `secret` of which is known to nobody else yet. */
export const roll =
  (
    { roll_id, tenant, game, params, client_seed, rolled_at }: RollRequest,
    seed: ActiveSeed,
    secret: Uint8Array,
  ) =>
  ({ rolls: nonce }: RollState): RollEvent[] => {
    if (createHash("sha256").update(secret).digest("hex") !== seed.seed_hash)
      refuse("unavailable", "the active seed is not at hand in this process", { type: "seed-missing" });
    const { space, chain, index, seed_hash } = seed;
    const result = play(game, params, new ByteStream(secret, { tenant, game, client_seed, nonce }));
    const drawn = {
      roll_id,
      tenant,
      space,
      chain,
      index,
      seed_hash,
      game,
      params,
      client_seed,
      nonce,
      result,
    };
    return [{ type: "Rolled", data: { ...drawn, rolled_at } }];
  };
