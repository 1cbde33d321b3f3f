/** The newest attestation of an attestor, subject and skill counts; its attestor may revoke it. */
import { z } from "zod";
import type { Hex } from "../../core/model/chain.ts";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, madeId, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { type Act, acted, withoutAct } from "../identity/act.ts";
import { lowerId, sxId, sxNumber } from "../identity/fields.ts";
import { trustProblems } from "./problems.ts";

export const skill = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    "is 1 to 40 lower-case letters, digits and hyphens, and does not begin with a hyphen",
  );

export const MOST_WEIGHT_MICRO = 10_000_000;

const of = { attestation_id: madeId };

const REPLACES = "An attestation replaces the earlier one of the same attestor, subject and skill.";

const madeData = z.strictObject({
  attestation_id: madeId,
  from: sxNumber.describe("The attestor's passport."),
  to: sxNumber.describe("The subject's passport."),
  skill,
  weight_micro: z.int().min(100).max(MOST_WEIGHT_MICRO).describe("In millionths; four decimals."),
  evidence: z
    .string()
    .max(200)
    .nullable()
    .describe("A payment or task between the two, as the attestor says; it adds no weight."),
  payment_id: z.string().nullable().describe("The payment that is evidence; null if there was none."),
  made_at: time,
});

const answeredData = madeData.extend({
  recipient: address
    .nullable()
    .describe("The subject's first live EVM key, EAS's recipient; null if it has none."),
  offchain_uid: chainHash
    .nullable()
    .describe("UID of the answered EAS attestation; null: it has none and goes to no chain."),
});

const revokedData = z.strictObject({ attestation_id: madeId, revoked_at: time });
const BY_ITS_ATTESTOR = "Its attestor revoked it. An attestation that it had replaced stays replaced.";

/** The field was added later; older data is unchanged. */
const unchanged = (old: object) => ({ ...old });

export const events = {
  AttestationMade: {
    means: "An agent attested a skill of another.",
    1: madeData.describe(REPLACES),
    2: answeredData.describe(REPLACES),
    3: answeredData.extend(acted).describe(REPLACES),
    upcast: { 1: (old: object) => ({ ...old, recipient: null, offchain_uid: null }), 2: unchanged },
    public: true,
  },
  AttestationRevoked: {
    means: "An agent revoked its attestation.",
    1: revokedData.describe(BY_ITS_ATTESTOR),
    2: revokedData.extend(acted).describe(BY_ITS_ATTESTOR),
    upcast: { 1: unchanged },
    public: true,
  },
  AttestationSent: {
    means: "An attestation is on its way to the blockchain.",
    1: z
      .strictObject({ ...of, signer: address, from_block: z.int().nonnegative(), sent_at: time })
      .describe("From now on a transaction of `signer` may be pending, in no block below `from_block`."),
    public: true,
  },
  AttestationUnsent: {
    means: "An attestation did not reach the blockchain, and is no longer pending.",
    1: z
      .strictObject({ ...of, found_at: time })
      .describe("The attestation is not on the chain, and no earlier transaction can still bring it there."),
    public: true,
  },
  AttestationAnchored: {
    means: "An attestation is on the blockchain.",
    1: z.strictObject({
      ...of,
      uid: chainHash.describe("The attestation's UID on EAS."),
      transaction: chainHash,
      block_number: z.int().nonnegative(),
      block_hash: chainHash,
      anchored_at: time,
    }),
    public: true,
  },
  AttestationReorged: {
    means: "The blockchain reverted the block of an attestation.",
    1: z
      .strictObject({ ...of, transaction: chainHash, found_at: time })
      .describe("The chain reverted its block."),
    public: true,
  },
  AttestationRevocationAnchored: {
    means: "An attestation's revocation is on the blockchain.",
    1: z.strictObject({
      ...of,
      uid: chainHash,
      revoked_s: z.int().positive().describe("EAS's time, in seconds of Unix time."),
      anchored_at: time,
    }),
    public: true,
  },
  AttestationRevocationReorged: {
    means: "The blockchain reverted the block of a revocation.",
    1: z.strictObject({ ...of, uid: chainHash, found_at: time }),
    public: true,
  },
};

export type AttestationFacts = DataOf<typeof events, "AttestationMade">;
export type AttestationEvent = EventOf<typeof events>;

type Data<Type extends AttestationEvent["type"]> = Extract<AttestationEvent, { type: Type }>["data"];

/**
 * Status on EAS. `none`: it goes to no chain; `asked`: no transaction was sent; `sent`: one may be pending.
 * `revoked_s`: revoked there since then, null = not revoked.
 */
export type OnChain =
  | { status: "none" | "asked" }
  | { status: "sent"; signer: Hex; from_block: number }
  | { status: "anchored"; signer: Hex; kept: Data<"AttestationAnchored">; revoked_s: number | null };

export type Attestation = { facts: AttestationFacts; revoked_at: string | null; on_chain: OnChain };
export type AttestationState = Attestation | undefined;

/** A reorg can move a transaction down by at most this many blocks. */
const REORG_DEPTH = 16;

export const prefix = "attestation-";

export const streamOf = (id: string) => prefix + id;

export const targetOf = (attestation_id: string) => ({ tenant: "operator", id: attestation_id });

export const initialState = (): AttestationState => undefined;

export function evolve(state: AttestationState, { type, data }: AttestationEvent): AttestationState {
  if (type === "AttestationMade") {
    const status = data.offchain_uid === null ? "none" : "asked";
    return { facts: withoutAct(data), revoked_at: null, on_chain: { status } };
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
      // A reorg can move it to an earlier block.
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

/** An agent of an attestation, with the keys and delegates that bind it to others. */
export type Side = {
  sx_number: number;
  /** Live EVM keys, lower case. */
  wallets: readonly string[];
  /** Passports with a live delegation from it. */
  delegates: readonly number[];
};

/** Refuses an attestation of oneself or of a bound agent. `payer`: the wallet that pays for it. */
export function refuseSelf(from: Side, to: Side, payer: string | undefined): void {
  const bond =
    from.sx_number === to.sx_number
      ? "the attestor is the subject"
      : payer !== undefined && to.wallets.includes(payer)
        ? `the paying wallet belongs to ${sxId(to.sx_number)}`
        : from.wallets.some((wallet) => to.wallets.includes(wallet))
          ? "the two share a wallet"
          : from.delegates.includes(to.sx_number)
            ? `${sxId(to.sx_number)} acts for the attestor by a delegation`
            : to.delegates.includes(from.sx_number)
              ? `the attestor acts for ${sxId(to.sx_number)} by a delegation`
              : undefined;
  if (bond)
    refuse(trustProblems["self-attestation"], `${bond}; only an agent that is bound to neither may attest`);
}

export const make =
  (facts: AttestationFacts) =>
  (state: AttestationState): AttestationEvent[] =>
    state
      ? refuse("conflict", "this attestation exists already")
      : [{ type: "AttestationMade", data: facts }];

/** JCS, since the members are ASCII and sorted; the challenge with the purpose `attest` is about its SHA-256. */
export function attestationText(of: {
  agent_id: string;
  evidence: string | null;
  skill: string;
  to: number;
  weight_micro: number;
}): string {
  const { skill, weight_micro } = of;
  const evidence = of.evidence ?? undefined;
  return JSON.stringify({ agent_id: lowerId(of.agent_id), evidence, skill, to: sxId(of.to), weight_micro });
}

/** Only the attestor may revoke; others get not_found. Repeatable. */
export const revoke =
  (by: number, revoked_at: string, act?: Act) =>
  (state: AttestationState): AttestationEvent[] => {
    if (state?.facts.from !== by) return refuse("not_found", "you made no such attestation");
    if (state.revoked_at !== null) return [];
    const { attestation_id } = state.facts;
    return [{ type: "AttestationRevoked", data: { attestation_id, revoked_at, ...(act && { act }) } }];
  };

/** Recorded before the transaction is sent; a revoked attestation is not sent. */
export const send =
  (facts: Omit<Data<"AttestationSent">, "attestation_id">) =>
  (state: AttestationState): AttestationEvent[] =>
    state?.on_chain.status === "asked" && state.revoked_at === null
      ? [{ type: "AttestationSent", data: { attestation_id: state.facts.attestation_id, ...facts } }]
      : [];

/** The transaction is not on the chain and cannot arrive any more. */
export const unsend =
  (found_at: string) =>
  (state: AttestationState): AttestationEvent[] =>
    state?.on_chain.status === "sent"
      ? [{ type: "AttestationUnsent", data: { attestation_id: state.facts.attestation_id, found_at } }]
      : [];

/** The canonical chain has the attestation in this block. */
export const anchor =
  (facts: Omit<Data<"AttestationAnchored">, "attestation_id">) =>
  (state: AttestationState): AttestationEvent[] =>
    state?.on_chain.status === "sent"
      ? [{ type: "AttestationAnchored", data: { attestation_id: state.facts.attestation_id, ...facts } }]
      : [];

/** The block with the attestation is not canonical any more. */
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

/** Follows the revocation time on the canonical chain; null = not revoked. */
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
