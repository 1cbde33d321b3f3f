/** The caller's client seed and the proof, for all operations that draw from seeds. */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { sha256 } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { ByteStream, message } from "../../../domain/games/bytes.ts";
import { play } from "../../../domain/games/drawn.ts";
import { rngProblems } from "../../../domain/rng/problems.ts";
import type { DrawnFacts } from "../../../domain/rng/roll.ts";
import type { CommitBlock } from "../../../domain/rng/seeds.ts";

export const clientSeed = z
  .string("client_seed is required: a text of 1 to 256 characters that nobody else can predict")
  .min(1, "is at least one character")
  .max(256, "is at most 256 characters")
  .describe("Your own part of the randomness: a new text that nobody can predict");

export const optionalSeed = clientSeed
  .describe(
    "Your own part of the randomness. Default: `payment:` and your payment's nonce; without a payment `block:` and the number and hash of the block that committed the chain of seeds",
  )
  .optional();

/** The client seed for a call that sends none. The operator could not know it when the seeds were committed. */
export function seedFor(payment_id: string | undefined, block: CommitBlock | undefined): string {
  if (payment_id !== undefined) return `payment:${payment_id.split(":").at(-1)}`;
  if (block) return `block:${block.block_number}:${block.block_hash}`;
  return refuseField("client_seed", "is required: no block has committed these seeds");
}

export const proofShown = z
  .array(z.object({ message: z.string().describe("The hashed text"), hmac: sha256 }))
  .describe("HMAC-SHA256 of each message, in order");

/**
 * Computes a draw again, from the revealed seed or from this process's copy: the proof, and whether the results
 * match.
 */
export function proofOf(
  { seeds: vault }: App,
  facts: DrawnFacts,
  revealed: string | undefined,
): { proof: z.infer<typeof proofShown>; valid: boolean } {
  const { space, chain, index, seed_hash, game, params, result } = facts;
  const seed = revealed ? Buffer.from(revealed, "hex") : vault.seed(space, chain, index);
  if (createHash("sha256").update(seed).digest("hex") !== seed_hash)
    return refuse(
      rngProblems["seed-missing"],
      "the seed of this roll is unavailable: it was lost before it was revealed",
    );
  const bytes = new ByteStream(seed, facts);
  const again = play(game, params, bytes);
  return {
    proof: bytes.blocks.map((hmac, round) => ({ message: message(facts, round), hmac })),
    valid: JSON.stringify(again) === JSON.stringify(result),
  };
}
