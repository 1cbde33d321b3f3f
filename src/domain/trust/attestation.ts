/** An attestation: what one agent says of a skill of another. The newest of a pair and skill counts; its attestor may take it back. */
import { z } from "zod";
import type { DataOf, EventOf } from "../entity.ts";
import { madeId, time } from "../fields.ts";
import { sxId, sxNumber } from "../identity/fields.ts";
import { refuse } from "../refusal.ts";
import { trustProblems } from "./problems.ts";

/** A skill, as it is named in events and on any chain. */
export const skill = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    "is 1 to 40 small letters, digits and hyphens, and begins with none of these last",
  );

export const MOST_WEIGHT_MICRO = 10_000_000;

export const events = {
  AttestationMade: {
    1: z
      .strictObject({
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
      })
      .describe("It replaces an earlier one of the same attestor, subject and skill."),
    public: true,
  },
  AttestationRevoked: {
    1: z
      .strictObject({ attestation_id: madeId, revoked_at: time })
      .describe("By its attestor. What it had replaced stays replaced."),
    public: true,
  },
};

export type AttestationFacts = DataOf<typeof events, "AttestationMade">;
export type AttestationEvent = EventOf<typeof events>;

export type Attestation = { facts: AttestationFacts; revoked_at: string | null };
export type AttestationState = Attestation | undefined;

/** What its streams are named by, before the id. */
export const prefix = "attestation-";

export const streamOf = (id: string) => prefix + id;

export const targetOf = (attestation_id: string) => ({ tenant: "operator", id: attestation_id });

export const initialState = (): AttestationState => undefined;

export function evolve(state: AttestationState, { type, data }: AttestationEvent): AttestationState {
  if (type === "AttestationMade") return { facts: data, revoked_at: null };
  return state && { ...state, revoked_at: data.revoked_at };
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
