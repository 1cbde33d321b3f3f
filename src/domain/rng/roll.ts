/** Rolls of one tenant with one client seed in one game on one seed: their number is the next roll's nonce. */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { sha256, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { ByteStream } from "../games/bytes.ts";
import { type DrawnName, type Params, play } from "../games/drawn.ts";
import { type GameName, gameNames } from "../games/games.ts";
import { rngProblems } from "./problems.ts";
import { type ActiveSeed, spaces } from "./seeds.ts";

/** The record of any draw from a seed. */
export const drawn = {
  roll_id: z.string(),
  tenant: z.string().describe("The tenant whose name is part of the signed message."),
  space: z.enum(spaces),
  chain: z.int(),
  index: z.int(),
  seed_hash: sha256,
  params: z.record(z.string(), z.unknown()),
  client_seed: z.string(),
  nonce: z.int().min(0),
  result: z.record(z.string(), z.unknown()),
  rolled_at: time,
};

export const rolled = z.strictObject({ ...drawn, game: z.enum(gameNames) });

export const events = { Rolled: { means: "A random number was drawn for somebody.", 1: rolled } };

export type RollFacts = DataOf<typeof events, "Rolled">;
/** The facts of any draw: a roll, or a bet of the lounge. */
export type DrawnFacts = z.infer<z.ZodObject<typeof drawn>> & { game: DrawnName };
export type RollEvent = EventOf<typeof events>;
export type RollState = { rolls: number };

/** Names the rolls that share their nonces. */
export const rollsId = (seed_hash: string, game: string, client_seed: string) =>
  createHash("sha256").update(`${seed_hash}:${game}:${client_seed}`).digest("hex").slice(0, 32);

export const prefix = "rolls-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): RollState => ({ rolls: 0 });

export const evolve = ({ rolls }: RollState): RollState => ({ rolls: rolls + 1 });

export type RollRequest<Name extends DrawnName = GameName> = {
  roll_id: string;
  tenant: string;
  game: Name;
  params: Params;
  client_seed: string;
  rolled_at: string;
};

/** The active seed and its secret, which is still private. */
export type SeedAtHand = { seed: ActiveSeed; secret: Uint8Array };

/** The seed's result for a request. Refuses `unavailable` where the secret does not match the seed. */
export function draw<Name extends DrawnName>(
  { roll_id, tenant, game, params, client_seed, rolled_at }: RollRequest<Name>,
  { seed, secret }: SeedAtHand,
  nonce: number,
) {
  if (createHash("sha256").update(secret).digest("hex") !== seed.seed_hash)
    refuse(rngProblems["seed-missing"], "this process does not have the active seed");
  const { space, chain, index, seed_hash } = seed;
  const result = play(game, params, new ByteStream(secret, { tenant, game, client_seed, nonce }));
  const place = { space, chain, index, seed_hash };
  return { roll_id, tenant, ...place, game, params, client_seed, nonce, result, rolled_at };
}

/** Draws a result from the active seed. */
export const roll =
  (request: RollRequest, seed: SeedAtHand) =>
  ({ rolls: nonce }: RollState): RollEvent[] => [{ type: "Rolled", data: draw(request, seed, nonce) }];
