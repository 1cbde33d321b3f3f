/** A seed's hash in the anchoring contract: requested by a caller, then recorded there with the time of a block. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { chainHash, sha256, time } from "../../core/model/fields.ts";

const askedData = z.strictObject({ seed_hash: sha256, asked_at: time });

const committed = z.strictObject({
  seed_hash: sha256,
  network: z.string(),
  contract: z.string(),
  signer: z.string(),
  transaction: z.string(),
  block_number: z.int(),
  block_hash: chainHash,
  committed_at: time.describe("The block's time."),
});

const reorged = z.strictObject({ seed_hash: sha256, transaction: z.string(), found_at: time });

export const events = {
  SeedCommitmentAsked: {
    means: "A caller requested that the hash of a seed be written on the blockchain.",
    1: askedData,
    public: true,
  },
  SeedCommitted: { means: "The hash of a seed is on the blockchain.", 1: committed, public: true },
  SeedCommitmentReorged: {
    means: "The blockchain reverted the block with the hash of a seed, which is written again.",
    1: reorged,
    public: true,
  },
};

export type Commitment = DataOf<typeof events, "SeedCommitted">;
export type CommitmentEvent = EventOf<typeof events>;

/** `asked`: the next tick sends it to the chain. */
export type CommitmentState =
  | { status: "asked" }
  | { status: "committed"; commitment: Commitment }
  | undefined;

export const prefix = "seed-commitment-";

export const streamOf = (seedHash: string) => prefix + seedHash;

/** Has no owner: all callers may rely on a commitment. */
export const targetOf = (seedHash: string) => ({ tenant: "operator", id: seedHash });

export const initialState = (): CommitmentState => undefined;

export function evolve(_: CommitmentState, { type, data }: CommitmentEvent): CommitmentState {
  return type === "SeedCommitted" ? { status: "committed", commitment: data } : { status: "asked" };
}

/** Requests the commitment of a hash; a repeat does nothing. */
export const request =
  (seed_hash: string, asked_at: string) =>
  (state: CommitmentState): CommitmentEvent[] =>
    state ? [] : [{ type: "SeedCommitmentAsked", data: { seed_hash, asked_at } }];

/** Records the contract's entry. */
export const record =
  (facts: Commitment) =>
  (state: CommitmentState): CommitmentEvent[] =>
    state?.status === "asked" ? [{ type: "SeedCommitted", data: facts }] : [];

/** A reorg removed the commitment from the contract, so it is sent again. */
export const reorg =
  (found_at: string) =>
  (state: CommitmentState): CommitmentEvent[] => {
    if (state?.status !== "committed") return [];
    const { seed_hash, transaction } = state.commitment;
    return [{ type: "SeedCommitmentReorged", data: { seed_hash, transaction, found_at } }];
  };
