/** Fields that operations for random numbers share: rolls, seeds and commitments. */

import { z } from "zod";
import { idFrom, sha256, time } from "../../../core/model/fields.ts";
import { drawnNames, type Result } from "../../../domain/games/drawn.ts";
import type { DrawnFacts } from "../../../domain/rng/roll.ts";
import { type Space, spaces } from "../../../domain/rng/seeds.ts";
import type { Caller } from "../../declare/caller.ts";

/** Test keys draw from separate chains of seeds. */
export const spaceOf = (caller: Caller): Space => (caller.kind === "key" ? caller.space : "live");

export const seedLocation = {
  space: z.enum(spaces).describe("test: the seeds of sk_test_ keys"),
  chain: z.int().describe("Number of the seed chain, from 1"),
  chain_index: z
    .int()
    .describe(
      "Index of the seed, from 0: SHA-256 applied that many times to its hash gives the chain's head",
    ),
};

export const rollId = idFrom("roll_id", "rng_roll").describe("The roll_id of the roll's answer");

export const rollShown = z
  .object({
    roll_id: z.string(),
    game_type: z.enum(drawnNames).describe("keno, roulette and lounge-dice are bets of the lounge"),
    params: z.record(z.string(), z.unknown()).describe("The parameters as parsed, with defaults"),
    client_seed: z.string(),
    nonce: z
      .int()
      .describe(
        "Your earlier rolls of this game with this client seed on this seed; for a bet, your earlier bets on this seed",
      ),
    result: z
      .record(z.string(), z.unknown())
      .describe(
        "dice: { dice, total }; coin: { side }; range and float: { value }; shuffle: { order, items }; pick: { index, item }; keno: { drawn }; roulette: { pocket }; lounge-dice: { number }",
      ),
    seed_hash: sha256.describe("SHA-256 of the seed, published before the roll"),
    ...seedLocation,
    rolled_at: time,
  })
  .meta({ id: "Roll" });

/** A roll in answers. Its lists are built from the drawn indexes. */
export function shownRoll(facts: DrawnFacts): z.infer<typeof rollShown> {
  const { roll_id, game, params, client_seed, nonce, seed_hash, space, chain, index, rolled_at } = facts;
  const result = withItems(params.items, facts.result);
  const place = { space, chain, chain_index: index };
  return { roll_id, game_type: game, params, client_seed, nonce, result, seed_hash, ...place, rolled_at };
}

function withItems(items: unknown, result: Result): Result {
  if (!Array.isArray(items)) return result;
  if (Array.isArray(result.order)) return { order: result.order, items: result.order.map((at) => items[at]) };
  return { index: result.index, item: items[Number(result.index)] };
}

export const commitmentShown = z
  .object({
    network: z.string(),
    contract: z.string(),
    signer: z.string().describe("The account that committed"),
    transaction: z.string().nullable(),
    block_number: z.int(),
    committed_at: time.describe("That block's time"),
  })
  .meta({ id: "SeedCommitment" });

export const tenantMeta = z
  .object({
    tenant: z.string().describe("The owner: the key's tenant, or the wallet that paid"),
  })
  .meta({ id: "TenantMeta" });
