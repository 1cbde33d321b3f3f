/**
 * A check: USDC that its issuer lets somebody draw, as an EIP-3009 authorization that only the issuer's wallet can
 * sign. The service holds no money. It stores the promise, refuses what the promise does not cover, and follows the
 * chain, which decides: an authorization used there is redeemed.
 */

import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";
import { address, chainHash, madeId, time } from "../../core/model/fields.ts";
import { refuse } from "../../core/model/refusal.ts";
import { passphraseHash } from "./passphrase.ts";
import { checkProblems } from "./problems.ts";

/** `transfer`: anybody may carry it to the chain; `receive`: its payee alone, so nobody can do so before a contract's own call. */
export const modes = ["transfer", "receive"] as const;
export const statuses = ["pending", "redeemed", "expired", "cancelled"] as const;
export type CheckStatus = (typeof statuses)[number];

export const MOST_USDC = 1_000_000;

const created = z.strictObject({
  check_id: madeId,
  network: z.string(),
  asset: address,
  from: address,
  to: address,
  /** Micro-USDC. */
  amount_micro: z
    .int()
    .min(0)
    .max(MOST_USDC * 1_000_000),
  mode: z.enum(modes),
  valid_before: z
    .int()
    .positive()
    .describe("Seconds of Unix time; from then on the chain refuses the check."),
  nonce: chainHash,
  passphrase: passphraseHash.nullable(),
  created_at: time,
});

/** The location of its end on the chain. */
const endLocation = { transaction: chainHash, block_number: z.int().nonnegative(), block_hash: chainHash };

const requested = z.strictObject({ by: z.string(), asked_at: time });
const wrong = z.strictObject({
  by: z.string(),
  tries: z.int().min(1).describe("The number of wrong passphrases since the last pause."),
  paused_until: time.nullable().describe("The service checks no passphrase until then."),
  refused_at: time,
});
const cancelled = z.strictObject({
  by: z.string(),
  proof: z.enum(["creator", "payer", "signature"]).describe("How the caller proved its right to cancel."),
  cancelled_at: time,
});
const expired = z.strictObject({
  block_number: z
    .int()
    .nonnegative()
    .describe("A block later than `valid_before`; `block_timestamp` is its time."),
  block_timestamp: z.int(),
  expired_at: time,
});
const redeemed = z.strictObject({ ...endLocation, redeemed_at: time });
const revoked = z.strictObject({
  ...endLocation,
  reason: z.enum(["cancelled", "used for another transfer"]),
  revoked_at: time,
});
const reorged = z.strictObject({ transaction: chainHash, block_hash: chainHash, reorged_at: time });

export const events = {
  CheckCreated: { means: "A check in USDC was written, for its issuer to sign.", 1: created },
  CheckRedemptionAsked: { means: "A caller requested a check's money.", 1: requested },
  CheckPassphraseRefused: { means: "A wrong passphrase was given for a check.", 1: wrong },
  CheckCancelled: { means: "The issuer of a check cancelled it.", 1: cancelled },
  CheckExpired: {
    means: "A check was not drawn in time, and the chain no longer accepts it.",
    1: expired,
  },
  CheckRedeemed: { means: "The chain moved the money of a check.", 1: redeemed },
  CheckRevoked: {
    means: "A check can never be drawn: its authorization was used up on the chain without a payment.",
    1: revoked,
  },
  CheckReorged: { means: "The chain reverted the block that had decided a check.", 1: reorged },
};

type Data<Type extends keyof typeof events> = DataOf<typeof events, Type>;
export type CheckFacts = Data<"CheckCreated">;
export type EndLocation = z.infer<z.ZodObject<typeof endLocation>>;
export type Cancelled = Data<"CheckCancelled">;
type Expired = Data<"CheckExpired">;
type Redeemed = Data<"CheckRedeemed">;
type Revoked = Data<"CheckRevoked">;

export type CheckEvent = EventOf<typeof events>;

/** The authorization's end on the chain: it moved its money, or it never will. */
export type Ending = ({ kind: "redeemed" } & Redeemed) | ({ kind: "revoked" } & Revoked);

/** The service's decisions and the chain's outcome are separate, so that a reorg can undo the latter. */
export type Check = {
  facts: CheckFacts;
  asked_at: string | null;
  wrong: { tries: number; paused_until: string | null };
  cancelled: Cancelled | null;
  expired: Expired | null;
  ending: Ending | null;
};
export type CheckState = Check | undefined;

export const prefix = "check-";

export const streamOf = (id: string) => prefix + id;

export const initialState = (): CheckState => undefined;

const NO_TRIES = { tries: 0, paused_until: null };

export function evolve(state: CheckState, { type, data }: CheckEvent): CheckState {
  if (type === "CheckCreated")
    return { facts: data, asked_at: null, wrong: NO_TRIES, cancelled: null, expired: null, ending: null };
  if (!state) return state;
  switch (type) {
    case "CheckRedemptionAsked":
      return { ...state, asked_at: data.asked_at, wrong: NO_TRIES };
    case "CheckPassphraseRefused":
      return { ...state, wrong: { tries: data.tries, paused_until: data.paused_until } };
    case "CheckCancelled":
      return { ...state, cancelled: data };
    case "CheckExpired":
      return { ...state, expired: data };
    case "CheckRedeemed":
      return { ...state, ending: { kind: "redeemed", ...data } };
    case "CheckRevoked":
      return { ...state, ending: { kind: "revoked", ...data } };
    case "CheckReorged":
      return { ...state, ending: null };
  }
}

export function statusOf({ ending, cancelled, expired }: Check): CheckStatus {
  if (ending?.kind === "redeemed") return "redeemed";
  if (cancelled) return "cancelled";
  if (expired) return "expired";
  return ending ? "cancelled" : "pending";
}

/** Its redemption was requested, and is not on the chain yet. */
export const isRedeeming = (check: Check) => check.asked_at !== null && statusOf(check) === "pending";

/** The check; `not_found` where there is none. */
export const existingCheck = (state: CheckState): Check =>
  state ?? refuse("not_found", "there is no such check");

/** Writes down what is promised; it is worth nothing until the issuer's wallet has signed it. */
export const create =
  (facts: CheckFacts) =>
  (state: CheckState): CheckEvent[] =>
    state ? refuse("conflict", "this check was created before") : [{ type: "CheckCreated", data: facts }];

/** Says that somebody is about to carry it to the chain: the signature and the passphrase were good. */
export const askRedemption =
  (by: string, at: string) =>
  (state: CheckState): CheckEvent[] => {
    const check = existingCheck(state);
    refuseUnlessPending(check, "redeemed");
    refuseWhilePaused(check, at);
    return check.asked_at === null ? [{ type: "CheckRedemptionAsked", data: { by, asked_at: at } }] : [];
  };

export const MOST_TRIES = 5;
export const PAUSE_S = 15 * 60;

/** Counts a wrong passphrase; after five of them none is looked at for a while. */
export const refusePassphrase =
  (by: string, at: string) =>
  (state: CheckState): CheckEvent[] => {
    const check = existingCheck(state);
    refuseWhilePaused(check, at);
    const tries = (check.wrong.paused_until === null ? check.wrong.tries : 0) + 1;
    const paused_until = tries < MOST_TRIES ? null : new Date(Date.parse(at) + PAUSE_S * 1_000).toISOString();
    return [{ type: "CheckPassphraseRefused", data: { by, tries, paused_until, refused_at: at } }];
  };

/** Refuses while passphrases are paused, without revealing whether one is right. */
export function refuseWhilePaused({ wrong: { paused_until } }: Check, at: string): void {
  if (paused_until === null || at >= paused_until) return;
  refuse(
    checkProblems["passphrase-paused"],
    `${MOST_TRIES} wrong passphrases were tried; no other is checked until ${paused_until}`,
    {
      retry_after_s: Math.ceil((Date.parse(paused_until) - Date.parse(at)) / 1_000),
    },
  );
}

/** Refuses what only a pending check allows. */
export function refuseUnlessPending(check: Check, wanted: "redeemed" | "cancelled"): void {
  const status = statusOf(check);
  if (status !== "pending")
    refuse(checkProblems["check-not-pending"], `this check is ${status}, so it cannot be ${wanted}`);
}

/** The issuer takes the promise back. The signature stays valid on the chain until it is cancelled there too. */
export const cancel =
  (facts: Cancelled) =>
  (state: CheckState): CheckEvent[] => {
    const check = existingCheck(state);
    if (statusOf(check) === "cancelled") return [];
    refuseUnlessPending(check, "cancelled");
    if (check.asked_at !== null)
      refuse(
        checkProblems["check-redeeming"],
        "this check is being redeemed; only CancelAuthorization on the chain can still be faster: checks_verify has its typed data",
      );
    return [{ type: "CheckCancelled", data: facts }];
  };

/** The chain's time has passed its end. */
export const expire =
  (facts: Expired) =>
  (state: CheckState): CheckEvent[] => {
    const check = existingCheck(state);
    if (statusOf(check) !== "pending") return [];
    if (facts.block_timestamp < check.facts.valid_before)
      refuse("conflict", "this check has not expired yet");
    return [{ type: "CheckExpired", data: facts }];
  };

/** Records the authorization's end on the chain, which may differ from an earlier one before a reorg. */
export const follow =
  (event: Extract<CheckEvent, { type: "CheckRedeemed" | "CheckRevoked" }>, at: string) =>
  (state: CheckState): CheckEvent[] => {
    const { ending } = existingCheck(state);
    if (!ending) return [event];
    if (isSameLocation(ending, event.data)) return [];
    const { transaction, block_hash } = ending;
    return [{ type: "CheckReorged", data: { transaction, block_hash, reorged_at: at } }, event];
  };

/** The chain took the block back that had the ending. */
export const takeBack =
  (gone: Pick<EndLocation, "transaction" | "block_hash">, at: string) =>
  (state: CheckState): CheckEvent[] => {
    const { ending } = existingCheck(state);
    if (!ending || !isSameLocation(ending, gone)) return [];
    const { transaction, block_hash } = gone;
    return [{ type: "CheckReorged", data: { transaction, block_hash, reorged_at: at } }];
  };

type Where = Pick<EndLocation, "transaction" | "block_hash">;
const isSameLocation = (a: Where, b: Where) =>
  a.transaction === b.transaction && a.block_hash === b.block_hash;
