/**
 * The checkpoints of a log and their anchors: the size signed last, its witnesses, and the size on the chain with its
 * finality. These events are in the very log that they cover.
 */

import { z } from "zod";
import type { Hex } from "../../core/model/chain.ts";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, digits, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { logProblems } from "./problems.ts";

/** A tree head: how many events, from the first on, and their tree hash (RFC 9162, section 2.1.1). */
const head = { size: z.int().positive(), root: chainHash };

export const events = {
  CheckpointSigned: {
    means:
      "The log's key signed the log's size and root: the signature proves any later change of these events.",
    1: z.strictObject({
      ...head,
      note: z
        .string()
        .max(10_000)
        .describe("The signed note (c2sp.org/tlog-checkpoint) in its published form."),
      signed_at: time,
    }),
    public: true,
  },
  /** A witness has seen the checkpoint, and none that contradicts it. */
  CheckpointCosigned: {
    means: "An independent witness confirmed that a signed log only grew.",
    1: z.strictObject({
      ...head,
      witness: z.string().max(500).describe("The name of its key."),
      cosignature: z
        .string()
        .max(1_000)
        .describe(
          "The line that the witness adds to the note, without the line break (c2sp.org/tlog-cosignature).",
        ),
      timestamp: z
        .int()
        .nonnegative()
        .describe("When the witness signed, by its own clock, in seconds of Unix time."),
      cosigned_at: time,
    }),
    public: true,
  },
  Anchored: {
    means: "The fingerprint of the log was written on the blockchain.",
    1: z.strictObject({
      ...head,
      network: z
        .string()
        .describe(
          "The chain (`eip155:8453`), the contract, and the account under which the contract stores the head.",
        ),
      contract: address,
      signer: address,
      transaction: chainHash,
      block_number: z.int().nonnegative(),
      block_hash: chainHash,
      timestamp: z.int().describe("The block's time, in seconds of Unix time."),
      fee_wei: digits.describe("The transaction's cost in wei: decimal digits."),
      anchored_at: time,
    }),
    public: true,
  },
  /** A transaction was sent and is not mined in time; one of these, or one that replaces them, may still be. */
  AnchorPending: {
    means: "The fingerprint of the log is on its way to the blockchain, and takes long.",
    1: z.strictObject({
      ...head,
      signer: address,
      transactions: z.array(chainHash).max(1_000),
      pending_at: time,
    }),
    public: true,
  },
  AnchorReorged: {
    means:
      "The blockchain reverted the block with the log's fingerprint; the service writes the fingerprint again.",
    1: z.strictObject({ transaction: chainHash, reorged_at: time }).describe("The chain reverted the block."),
    public: true,
  },
  AnchorFinal: {
    means: "The block with the log's fingerprint is final.",
    1: z.strictObject({
      transaction: chainHash,
      block_number: z.int().nonnegative(),
      final_at: time,
    }),
    public: true,
  },
};

export type SignedCheckpoint = DataOf<typeof events, "CheckpointSigned">;
export type CosignedCheckpoint = DataOf<typeof events, "CheckpointCosigned">;
export type Anchor = DataOf<typeof events, "Anchored">;
export type PendingAnchor = DataOf<typeof events, "AnchorPending">;

export type AnchorEvent = EventOf<typeof events>;

export type StandingAnchor = Anchor & { final: boolean };

/**
 * `checkpoint`: the newest. `cosignatures`: the newest of each witness, also of an earlier checkpoint. `anchors`: the
 * newest final one, if any, and those above it, the newest last. `pending`: sent since, and not seen in the chain.
 */
export type AnchorState = {
  checkpoint: SignedCheckpoint | undefined;
  cosignatures: readonly CosignedCheckpoint[];
  pending: PendingAnchor | undefined;
  anchors: readonly StandingAnchor[];
};

export const newestAnchor = ({ anchors }: AnchorState): StandingAnchor | undefined => anchors.at(-1);

/** The cosignatures of the newest checkpoint. */
export const standingCosignatures = ({ checkpoint, cosignatures }: AnchorState): CosignedCheckpoint[] =>
  cosignatures.filter(({ size }) => size === checkpoint?.size);

/** The newest checkpoint in its published form: the signed note with a line for each witness that cosigned it. */
export const publishedNote = (state: AnchorState): string | undefined =>
  state.checkpoint &&
  [state.checkpoint.note, ...standingCosignatures(state).map(({ cosignature }) => `${cosignature}\n`)].join(
    "",
  );

/** A log's checkpoints belong to the operator, under the log's origin. */
export const targetOf = (origin: string) => ({ tenant: "operator", id: origin });

export const prefix = "anchor-";

export const streamOf = (origin: string) => prefix + origin;

export const fold_version = 1;

export const initialState = (): AnchorState => ({
  checkpoint: undefined,
  cosignatures: [],
  pending: undefined,
  anchors: [],
});

export function evolve(state: AnchorState, event: AnchorEvent): AnchorState {
  const { anchors, cosignatures } = state;
  switch (event.type) {
    case "CheckpointSigned":
      return { ...state, checkpoint: event.data };
    case "CheckpointCosigned": {
      const others = cosignatures.filter(({ witness }) => witness !== event.data.witness);
      return { ...state, cosignatures: [...others, event.data] };
    }
    case "Anchored":
      return { ...state, pending: undefined, anchors: [...anchors, { ...event.data, final: false }] };
    case "AnchorPending":
      return { ...state, pending: event.data };
    case "AnchorReorged":
      return {
        ...state,
        anchors: anchors.filter(({ transaction }) => transaction !== event.data.transaction),
      };
    case "AnchorFinal": {
      const from = anchors.findIndex(({ transaction }) => transaction === event.data.transaction);
      const standing = anchors
        .slice(from)
        .map((anchor, n) => (n === 0 ? { ...anchor, final: true } : anchor));
      return from < 0 ? state : { ...state, anchors: standing };
    }
  }
}

/** Commits the log to its first `size` events; a later checkpoint is always of more. */
export const sign =
  (facts: SignedCheckpoint) =>
  (state: AnchorState): AnchorEvent[] => {
    refuseFork(state, facts);
    const { checkpoint } = state;
    if (checkpoint?.size === facts.size) return [];
    if (checkpoint && checkpoint.size > facts.size)
      refuse("conflict", `a checkpoint of ${checkpoint.size} events was signed already`);
    return [{ type: "CheckpointSigned", data: facts }];
  };

/** Adds a witness's signature of the newest checkpoint; a second one of the same witness changes nothing. */
export const cosign =
  (facts: CosignedCheckpoint) =>
  (state: AnchorState): AnchorEvent[] => {
    refuseFork(state, facts);
    if (state.checkpoint?.size !== facts.size)
      refuse("conflict", `the checkpoint of ${facts.size} events is not the newest`);
    if (standingCosignatures(state).some(({ witness }) => witness === facts.witness)) return [];
    return [{ type: "CheckpointCosigned", data: facts }];
  };

/** Records a head on the chain, from the transaction's own log. */
export const anchor =
  (facts: Anchor) =>
  (state: AnchorState): AnchorEvent[] => {
    refuseFork(state, facts);
    if (state.anchors.some((known) => isSameBlock(known, facts))) return [];
    const anchored: AnchorEvent = { type: "Anchored", data: facts };
    const newest = newestAnchor(state);
    if (!newest || newest.size < facts.size) return [anchored];
    if (newest.size > facts.size) refuse("conflict", `${newest.size} events are anchored already`);
    if (newest.final)
      refuse("conflict", `the anchor of these ${newest.size} events is final and cannot move`);
    // It moved to another block, or another transaction carried it after a reorg.
    return [reorged(newest.transaction, facts.anchored_at), anchored];
  };

/** Records a sent transaction as pending, unless an anchor covers it already. */
export const pend =
  (facts: PendingAnchor) =>
  (state: AnchorState): AnchorEvent[] =>
    (newestAnchor(state)?.size ?? 0) >= facts.size ? [] : [{ type: "AnchorPending", data: facts }];

/** The chain took an anchor back. */
export const reorg =
  (transaction: Hex, at: string) =>
  (state: AnchorState): AnchorEvent[] => {
    const known = state.anchors.find((one) => one.transaction === transaction);
    if (known?.final) refuse("conflict", "a final anchor cannot be reversed");
    return known ? [reorged(transaction, at)] : [];
  };

/** An anchor is final, and so is every earlier one. */
export const finalise =
  (transaction: Hex, at: string) =>
  (state: AnchorState): AnchorEvent[] => {
    const known = state.anchors.find((one) => one.transaction === transaction);
    if (!known || known.final) return [];
    const { block_number } = known;
    return [{ type: "AnchorFinal", data: { transaction, block_number, final_at: at } }];
  };

const reorged = (transaction: Hex, at: string): AnchorEvent => ({
  type: "AnchorReorged",
  data: { transaction, reorged_at: at },
});

const isSameBlock = (a: Anchor, b: Anchor) =>
  a.transaction === b.transaction && a.block_hash === b.block_hash;

/** One size has one root, from any source. */
function refuseFork({ checkpoint, anchors }: AnchorState, given: { size: number; root: Hex }): void {
  const other = [checkpoint, ...anchors].find((known) => known?.size === given.size);
  if (other && other.root !== given.root)
    refuse(logProblems["log-forked"], `the root of ${given.size} events is ${other.root}, not ${given.root}`);
}
