/** An attestation: what one agent says of a skill of another. The newest of a pair and skill counts; its attestor may take it back. */
import { z } from "zod";
import type { Hex } from "../../core/model/chain.ts";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, madeId, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { sxId, sxNumber } from "../identity/fields.ts";
import { trustProblems } from "./problems.ts";

/** A skill, as it is named in events and on any chain. */
export const skill = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    "is 1 to 40 small letters, digits and hyphens, and begins with none of these last",
  );

export const MOST_WEIGHT_MICRO = 10_000_000;

const of = { attestation_id: madeId };

const REPLACES = "It replaces an earlier one of the same attestor, subject and skill.";

const made = z.strictObject({
  attestation_id: madeId,
  from: sxNumber.describe("The attestor's passport."),
  to: sxNumber.describe("The subject's passport."),
  skill,
  weight_micro: z.int().min(100).max(MOST_WEIGHT_MICRO).describe("In millionths; four decimals."),
  evidence: z
    .string()
    .max(200)
    .nullable()
    .describe("A payment or task between the two, as the attestor names it; shown, and worth nothing."),
  payment_id: z.string().nullable().describe("What paid for it; null where none did."),
  made_at: time,
});

export const events = {
  AttestationMade: {
    means: "An agent said, signed, what it holds of another one.",
    1: made.describe(REPLACES),
    2: made
      .extend({
        recipient: address
          .nullable()
          .describe("The subject's first live EVM key, whom EAS names; null where it has none."),
        offchain_uid: chainHash
          .nullable()
          .describe(
            "Of the EAS attestation that was answered; null where there was none, and then it goes to no chain.",
          ),
      })
      .describe(REPLACES),
    upcast: { 1: (old: object) => ({ ...old, recipient: null, offchain_uid: null }) },
    public: true,
  },
  AttestationRevoked: {
    means: "An agent took back what it had said of another one.",
    1: z
      .strictObject({ attestation_id: madeId, revoked_at: time })
      .describe("By its attestor. What it had replaced stays replaced."),
    public: true,
  },
  AttestationSent: {
    means: "An attestation is on its way to the blockchain.",
    1: z
      .strictObject({ ...of, signer: address, from_block: z.int().nonnegative(), sent_at: time })
      .describe("From now on it may be on its way to EAS from `signer`, in no block below `from_block`."),
    public: true,
  },
  AttestationUnsent: {
    means: "An attestation did not reach the blockchain, and is not on its way any more.",
    1: z
      .strictObject({ ...of, found_at: time })
      .describe("It is not on the chain, and nothing that was sent can bring it there any more."),
    public: true,
  },
  AttestationAnchored: {
    means: "An attestation stands on the blockchain.",
    1: z.strictObject({
      ...of,
      uid: chainHash.describe("By which EAS keeps it."),
      transaction: chainHash,
      block_number: z.int().nonnegative(),
      block_hash: chainHash,
      anchored_at: time,
    }),
    public: true,
  },
  AttestationReorged: {
    means: "The blockchain took back the block with an attestation.",
    1: z
      .strictObject({ ...of, transaction: chainHash, found_at: time })
      .describe("The chain took its block back."),
    public: true,
  },
  AttestationRevocationAnchored: {
    means: "That an attestation was taken back stands on the blockchain.",
    1: z.strictObject({
      ...of,
      uid: chainHash,
      revoked_s: z.int().positive().describe("The time that EAS has, in seconds of Unix time."),
      anchored_at: time,
    }),
    public: true,
  },
  AttestationRevocationReorged: {
    means: "The blockchain took back the block in which an attestation was revoked.",
    1: z.strictObject({ ...of, uid: chainHash, found_at: time }),
    public: true,
  },
};

export type AttestationFacts = DataOf<typeof events, "AttestationMade">;
export type AttestationEvent = EventOf<typeof events>;

type Data<Type extends AttestationEvent["type"]> = Extract<AttestationEvent, { type: Type }>["data"];

/**
 * How it stands with EAS. `none`: it goes to no chain; `asked`: nothing is on its way; `sent`: something may be. `revoked_s`: since
 * when it is revoked there, null while it is not.
 */
export type OnChain =
  | { status: "none" | "asked" }
  | { status: "sent"; signer: Hex; from_block: number }
  | { status: "anchored"; signer: Hex; kept: Data<"AttestationAnchored">; revoked_s: number | null };

export type Attestation = { facts: AttestationFacts; revoked_at: string | null; on_chain: OnChain };
export type AttestationState = Attestation | undefined;

/** Blocks that a reorg may bring a transaction down by. */
const REORG_DEPTH = 16;

/** What its streams are named by, before the id. */
export const prefix = "attestation-";

export const streamOf = (id: string) => prefix + id;

export const targetOf = (attestation_id: string) => ({ tenant: "operator", id: attestation_id });

export const initialState = (): AttestationState => undefined;

export function evolve(state: AttestationState, { type, data }: AttestationEvent): AttestationState {
  if (type === "AttestationMade") {
    const status = data.offchain_uid === null ? "none" : "asked";
    return { facts: data, revoked_at: null, on_chain: { status } };
  }
  if (!state) return state;
  const { on_chain } = state;
  switch (type) {
    case "AttestationRevoked":
      return { ...state, revoked_at: data.revoked_at };
    case "AttestationSent":
      return { ...state, on_chain: { status: "sent", signer: data.signer, from_block: data.from_block } };
    case "AttestationUnsent":
      return { ...state, on_chain: { status: "asked" } };
    case "AttestationAnchored": {
      if (on_chain.status !== "sent" && on_chain.status !== "anchored") return state;
      const { signer } = on_chain;
      return { ...state, on_chain: { status: "anchored", signer, kept: data, revoked_s: null } };
    }
    case "AttestationReorged": {
      if (on_chain.status !== "anchored") return state;
      const { signer, kept } = on_chain;
      // It may have moved to a block before the one that it was found in.
      const from_block = Math.max(0, kept.block_number - REORG_DEPTH);
      return { ...state, on_chain: { status: "sent", signer, from_block } };
    }
    case "AttestationRevocationAnchored":
    case "AttestationRevocationReorged": {
      if (on_chain.status !== "anchored") return state;
      const revoked_s = type === "AttestationRevocationAnchored" ? data.revoked_s : null;
      return { ...state, on_chain: { ...on_chain, revoked_s } };
    }
  }
}

/** Who stands on one side of an attestation, and whom it acts with. */
export type Side = {
  sx_number: number;
  /** Its live EVM keys, in lower case. */
  wallets: readonly string[];
  /** Passports that it lets act for it now. */
  delegates: readonly number[];
};

/** Refuses what an agent says of itself, or of whom it is bound to. `payer`: the wallet that pays for saying it. */
export function refuseSelf(from: Side, to: Side, payer: string | undefined): void {
  const bond =
    from.sx_number === to.sx_number
      ? "the attestor is the subject"
      : payer !== undefined && to.wallets.includes(payer)
        ? `the wallet that pays is ${sxId(to.sx_number)}'s own`
        : from.wallets.some((wallet) => to.wallets.includes(wallet))
          ? "the two share a wallet"
          : from.delegates.includes(to.sx_number)
            ? `${sxId(to.sx_number)} acts for the attestor by a delegation`
            : to.delegates.includes(from.sx_number)
              ? `the attestor acts for ${sxId(to.sx_number)} by a delegation`
              : undefined;
  if (bond)
    refuse(trustProblems["self-attestation"], `${bond}; let an agent attest that is bound to neither`);
}

export const make =
  (facts: AttestationFacts) =>
  (state: AttestationState): AttestationEvent[] =>
    state
      ? refuse("conflict", "this attestation was made before")
      : [{ type: "AttestationMade", data: facts }];

/** Its attestor takes it back; to whoever else asks there is no such attestation. Said twice, it is said. */
export const revoke =
  (by: number, revoked_at: string) =>
  (state: AttestationState): AttestationEvent[] => {
    if (state?.facts.from !== by) return refuse("not_found", "you have made no such attestation");
    if (state.revoked_at !== null) return [];
    const { attestation_id } = state.facts;
    return [{ type: "AttestationRevoked", data: { attestation_id, revoked_at } }];
  };

/** Says, before anything is sent to EAS, that it will be; of one that was taken back meanwhile, nothing. */
export const send =
  (facts: Omit<Data<"AttestationSent">, "attestation_id">) =>
  (state: AttestationState): AttestationEvent[] =>
    state?.on_chain.status === "asked" && state.revoked_at === null
      ? [{ type: "AttestationSent", data: { attestation_id: state.facts.attestation_id, ...facts } }]
      : [];

/** What was sent is not there, and will not be. */
export const unsend =
  (found_at: string) =>
  (state: AttestationState): AttestationEvent[] =>
    state?.on_chain.status === "sent"
      ? [{ type: "AttestationUnsent", data: { attestation_id: state.facts.attestation_id, found_at } }]
      : [];

/** EAS keeps it, in this block as the chain stands now. */
export const anchor =
  (facts: Omit<Data<"AttestationAnchored">, "attestation_id">) =>
  (state: AttestationState): AttestationEvent[] =>
    state?.on_chain.status === "sent"
      ? [{ type: "AttestationAnchored", data: { attestation_id: state.facts.attestation_id, ...facts } }]
      : [];

/** The block in which it was found is not in the chain any more. */
export const reorg =
  (transaction: Hex, found_at: string) =>
  (state: AttestationState): AttestationEvent[] =>
    state?.on_chain.status === "anchored" && state.on_chain.kept.transaction === transaction
      ? [
          {
            type: "AttestationReorged",
            data: { attestation_id: state.facts.attestation_id, transaction, found_at },
          },
        ]
      : [];

/** Since when EAS has it for revoked, or null where it has not: as the chain stands now. */
export const followRevocation =
  (revoked_s: number | null, at: string) =>
  (state: AttestationState): AttestationEvent[] => {
    if (state?.on_chain.status !== "anchored" || state.on_chain.revoked_s === revoked_s) return [];
    const { attestation_id } = state.facts;
    const { uid } = state.on_chain.kept;
    return revoked_s === null
      ? [{ type: "AttestationRevocationReorged", data: { attestation_id, uid, found_at: at } }]
      : [
          {
            type: "AttestationRevocationAnchored",
            data: { attestation_id, uid, revoked_s, anchored_at: at },
          },
        ];
  };
