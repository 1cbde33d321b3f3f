/** The chain publishes settled payments, so only a payer that proves to be one gets more than a public answer again. */
import type { App } from "../../../core/app.ts";
import type { Hex } from "../../../core/model/chain.ts";
import type { AddressLimits } from "../../../core/model/ports/address-limits.ts";
import { refuse } from "../../../core/model/refusal.ts";
import type { Claim, PaymentState } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { admitWallet } from "../../declare/access/owner.ts";
import { againTo, effectOf } from "../../declare/operation-facts.ts";
import type { Call } from "../call.ts";
import { type Charge, isSamePayment } from "./charge.ts";
import type { DeliveredAnswer, Offer } from "./paid-call.ts";
import { givesSecrets, withoutMembers } from "./replay.ts";

/**
 * True if the caller proves that it paid: by the key that claimed the payment, or by the wallet's signature of this
 * call. The chain shows neither, so nobody can copy them.
 */
export type PayerProof = (claim: Claim | undefined) => Promise<boolean>;

/** A payment that is charged for a call of this service. */
export type PaidCall = Charge & { call: Call; isPayer: PayerProof };

type ProofParts = { app: App; limits: AddressLimits };

/** `isClaimed`: whether a claim is of the presented payment. */
export function payerProof(
  parts: ProofParts,
  { caller, wallet }: { caller: Call["caller"]; wallet: Hex },
  offer: Offer,
  isClaimed: (claim: Claim) => boolean = () => true,
): PayerProof {
  let signed: Promise<boolean> | undefined;
  return async (claim) => {
    if (claim && isKey(caller) && claim.tenant === caller.tenant && isClaimed(claim)) return true;
    signed ??= isSignedBy(wallet, parts, offer);
    return signed;
  };
}

const isKey = ({ kind }: Call["caller"]): boolean => kind === "key" || kind === "subject";

/** True if the wallet signed the call's SIGN-IN-WITH-X. Refuses a signature of another wallet. */
async function isSignedBy(
  wallet: Hex,
  { app, limits }: ProofParts,
  { presented, sent }: Offer,
): Promise<boolean> {
  if (presented.wallet_proof === undefined) return false;
  const proven = await admitWallet(presented.wallet_proof, presented, { app, clock: app.clock, limits });
  proven.covers?.(sent);
  if (proven.caller.tenant === payments.walletTenant(wallet)) return true;
  return refuse("forbidden", "SIGN-IN-WITH-X is signed by another wallet than the one that paid");
}

/** Repeats only a public answer without a proof of the payer. */
export async function shownAgain(
  paid: Pick<PaidCall, "call" | "isPayer">,
  found: DeliveredAnswer,
): Promise<DeliveredAnswer> {
  const { operation } = paid.call;
  const { made, bought_by } = found;
  // An unpaid answer is stored under the caller's own Idempotency-Key; no other caller can find it.
  const isOwn = bought_by === undefined && isKey(paid.call.caller);
  if (isOwn || (await paid.isPayer(bought_by?.claim))) return found;
  if (againTo(operation) === "payer") return refuseStranger();
  if (made.kind !== "body") return found;
  // A caller that can repeat the secret fields already knows whom the answer is about.
  const isPersonal = made.subjects.length > 0 || bought_by?.answer.sha256 === null;
  if (isPersonal && !givesSecrets(paid.call)) return refuseStranger();
  if (!operation.omitted_in_repeats) return found;
  return {
    ...found,
    made: { ...made, body: withoutMembers(made.body, operation.omitted_in_repeats) },
    is_part: true,
  };
}

/**
 * Refuses a payment that anybody may have read from the chain, unless the caller proves to be its payer. Applies to a
 * read about its payer, and to a command other than the claimed one. If a third party sent the payment unclaimed, it
 * applies to every call.
 */
export async function refuseIfPublic(
  { call, payment, isPayer }: PaidCall,
  state: PaymentState,
): Promise<void> {
  const { operation, request_sha256 } = call;
  const claim = state?.claim;
  if (claim && !isSamePayment(claim, payment)) return;
  const isSame = claim?.request_sha256 === request_sha256;
  const isOthersCommand = effectOf(operation).changes !== "nothing" && payments.isFree(state) && !isSame;
  if (claim && againTo(operation) !== "payer" && !isOthersCommand) return;
  if (!(await isPayer(claim))) refuseStranger();
}

/**
 * The chain has the payment, but no call of this service sent it. Another process may have claimed it in the
 * meantime.
 */
export async function refuseIfCarriedByOthers(paid: PaidCall): Promise<void> {
  const state = await paid.app.load(payments, payments.targetOf(paid.payment.id));
  if (!payments.isFree(state)) refuse(paymentProblems["payment-known"], "this payment was presented before");
  await refuseIfPublic(paid, state);
}

const refuseStranger = () =>
  refuse(
    "unauthorized",
    "this payment is on the chain or was presented before, and anybody can read it there: call again with " +
      "SIGN-IN-WITH-X, signed by the wallet that paid, or with the API key that came with it first; for another call sign a new payment",
  );
