/** The facilitator's endpoints of x402, for payments to this service alone. */

import { z } from "zod";
import type { App } from "../../../core/app.ts";
import { inTime } from "../../../core/coordination/concurrency.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { plainIssue } from "../../../core/model/plain-issue.ts";
import { ChainUnavailable } from "../../../core/model/ports/chain.ts";
import type { EventName } from "../../../core/model/refusal.ts";
import type { PaymentState } from "../../../domain/payments/payment.ts";
import * as payments from "../../../domain/payments/payment.ts";
import { USDC } from "../../../domain/payments/usdc.ts";
import { commandOf, sha256 } from "../call.ts";
import { isNoRoom } from "../problem.ts";
import { judge } from "./accept.ts";
import {
  type Charge,
  type ChargedCall,
  check,
  claim as claimPayment,
  factsOf,
  mayHaveMoved,
  refusePending,
  refuseUnsettled,
  settle as settlePayment,
  used,
} from "./charge.ts";
import type { RequiredPayment } from "./checks.ts";
import { address, type PaymentPayload, readPayment, uint256, word } from "./payload.ts";
import { PaymentRefused, refusePayment } from "./payment-refusal.ts";
import { holdOf, presentedStatusOf } from "./presented-status.ts";
import { answeredPayment } from "./replay.ts";
import { NETWORK_V1, NETWORK_V2 } from "./required.ts";
import { type SettleResponse, settleResponse } from "./response.ts";

/** The payments that can be verified and settled here. Source: "GET /supported" in the specification of x402 version 2. */
export const supported = ({ chain }: App) => ({
  kinds: [
    { x402Version: 1, scheme: "exact", network: NETWORK_V1 },
    { x402Version: 2, scheme: "exact", network: NETWORK_V2 },
  ],
  extensions: ["payment-identifier", "bazaar", "sign-in-with-x", "offer-receipt"],
  signers: { "eip155:*": [chain.sender] },
});

/** The body of POST /verify and /settle, in either version. */
export type VerifyRequest = { x402Version?: number; paymentPayload: object; paymentRequirements: object };

export type VerifyResponse = {
  isValid: boolean;
  invalidReason?: string;
  /** How to correct the payment. */
  invalidMessage?: string;
  payer?: Hex;
};

/**
 * Checks a payment as a call would, and also on the chain, without settling it. Refuses if the chain is unavailable
 * or the outcome is not final.
 */
export async function verify(app: App, request: VerifyRequest): Promise<VerifyResponse> {
  let payer: Hex | undefined;
  try {
    const payload = readPayment(request.paymentPayload);
    payer = payload.signed.transfer.from;
    const payment = judge(payload, requiredOf(request, payload, app.pay_to), app.clock.now(), app.recover);
    const state = await app.load(payments, payments.targetOf(payment.id));
    if (!payments.isFree(state)) await refuseSpent(app, state, payment.id);
    if (payment.refusal) throw payment.refusal;
    await factsOf(app.settlement, payment);
    return { isValid: true, payer };
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return {
      isValid: false,
      invalidReason: error.code,
      invalidMessage: error.message,
      ...(payer && { payer }),
    };
  }
}

/** How long to wait for the chain's node before the outcome counts as unknown. */
const PATIENCE_MS = 5_000;

/** A claimed payment is reported as pending until its outcome is final. */
async function refuseSpent({ chain }: App, state: PaymentState, id: string): Promise<never> {
  const over =
    state?.status === "settled" && (state.answer || state.refund || state.kept) ? state : undefined;
  const late = () => new ChainUnavailable("the chain's heads were not read in time");
  const { finalized } = await inTime(PATIENCE_MS, chain.heads(), late).catch((error) =>
    refusePending(id, error),
  );
  if (!over || finalized.number < BigInt(over.settlement.block_number)) return refusePending(id);
  const became = over.answer ? "has bought its answer" : over.refund ? "is refunded" : "was kept";
  throw used(`this payment was settled and ${became}`);
}

/** The body of the answer to POST /settle. */
export type SettleAnswer =
  | SettleResponse
  | {
      success: false;
      errorReason: string;
      /** How to correct the payment. */
      errorMessage: string;
      transaction: "";
      network: string;
      payer?: Hex;
    };

/**
 * Settles a payment to us. For a caller with a key, the payment is used up for a sale elsewhere; a repeat gets the
 * same answer. For other callers it is only sent to the chain, as anybody could do. The payer may still buy something
 * with it, and an unused payment is refunded. Refuses if the outcome is unknown or the chain is unavailable.
 */
export async function settle(
  app: App,
  call: ChargedCall,
  request: VerifyRequest,
  names: (event: EventName) => void,
): Promise<SettleAnswer> {
  let payload: PaymentPayload | undefined;
  try {
    payload = readPayment(request.paymentPayload);
    const input = requiredOf(request, payload, app.pay_to);
    if (input.amount_micro < payments.SMALLEST_MICRO)
      refusePayment(
        "invalid_payment_requirements",
        "paymentRequirements: the least amount settled here is 0.001 USDC",
      );
    const payment = judge(payload, input, app.clock.now(), app.recover);
    const charge = { app, payment, call };
    const { x402_version } = payload;
    if (call.caller.kind !== "key") return settleResponse(await carryOnly(charge), x402_version);
    const { settled, event } = await sellElsewhere(charge, x402_version);
    names(event);
    return settleResponse(settled, x402_version);
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    return {
      success: false,
      errorReason: error.code,
      errorMessage: error.message,
      transaction: "",
      network: payload?.network ?? NETWORK_V2,
      ...(payload && { payer: payload.signed.transfer.from }),
    };
  }
}

type SettlementResult = Parameters<typeof settleResponse>[0];

/** Sends a payment to the chain without a log entry, because the chain shows it to everybody. */
async function carryOnly({ app, payment }: Charge): Promise<SettlementResult> {
  const { id, signed } = payment;
  const state = await app.load(payments, payments.targetOf(id));
  if (!payments.isFree(state)) return refuseSpent(app, state, id);
  if (payment.refusal && !payment.expired) throw payment.refusal;
  await app.accepting.confirm();
  const found = await factsOf(app.settlement, payment, "carrying");
  const { from: payer, value } = signed.transfer;
  const claim = { payer, amount_micro: Number(value) };
  if (found.status === "carried") return { claim, settlement: found.settlement };
  const receipt = await app.settlement
    .settle(signed, found.seen_block, "carrying")
    .catch((error) => refuseUnsettled(id, error));
  return { claim, settlement: receipt };
}

/** The key's tenant claims the payment, which buys the answer that confirms the settlement. */
async function sellElsewhere(
  charge: Charge,
  x402_version: 1 | 2,
): Promise<{ settled: SettlementResult; event: EventName }> {
  const { app, call, payment } = charge;
  const target = payments.targetOf(payment.id);
  const state = await app.load(payments, target);
  const standing = await presentedStatusOf(state, charge);
  if (standing === "pending") return refusePending(payment.id, undefined, await holdOf(app, state));
  if (standing === "open") {
    const checked = await check(charge, state);
    if (checked.status === "carried") await refuseOthers(charge);
    let isClaimed = false;
    try {
      const claimed = await claimPayment(charge, checked);
      isClaimed = true;
      const settled = await settlePayment(charge, checked, claimed);
      const body = JSON.stringify(settleResponse(settled, x402_version));
      const answer = { status: 200, sha256: sha256(body), vintage: null };
      const decision = payments.settle(settled.settlement, answer, app.clock.now().toISOString());
      const held = payments.byOwner(app.presence.name, settled.claim, decision);
      await app.decide(payments, target, held, commandOf(call));
    } catch (error) {
      if (isNoRoom(error) && mayHaveMoved(checked, isClaimed)) refusePending(payment.id, error);
      throw error;
    }
  }
  const answered = await answeredPayment(app, payment.id);
  return { settled: answered, event: answered.event };
}

/**
 * Anybody can copy a payment from the chain. Only a tenant that claimed it before it was there certainly got it from
 * its payer.
 */
async function refuseOthers({ app, call, payment }: Charge): Promise<void> {
  const state = await app.load(payments, payments.targetOf(payment.id));
  if (!payments.isFree(state)) refusePending(payment.id);
  if (state?.claim.tenant !== call.caller.tenant)
    throw used(
      "somebody carried this payment to the chain before it came here: only its payer decides its purchase, and it is refunded " +
        "if nobody uses it; request a new one",
    );
}

const terms = { scheme: word, network: word, asset: address, payTo: address };
const requirements = {
  1: z.object({ ...terms, maxAmountRequired: uint256 }).transform(({ maxAmountRequired, ...rest }) => ({
    ...rest,
    amount: maxAmountRequired,
  })),
  2: z.object({ ...terms, amount: uint256 }),
};

/** The requirements in the version of the payment. */
function requiredOf(request: VerifyRequest, { x402_version }: PaymentPayload, pay_to: Hex): RequiredPayment {
  if (request.x402Version !== undefined && request.x402Version !== x402_version)
    refusePayment("invalid_x402_version", "x402Version: differs from that of paymentPayload");
  const read = requirements[x402_version].safeParse(request.paymentRequirements, {
    error: plainIssue,
  });
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    return refusePayment("invalid_payment_requirements", `${path.join(".")}: ${message}`);
  }
  const { scheme, network, asset, payTo, amount } = read.data;
  if (scheme !== "exact") refusePayment("invalid_scheme", "paymentRequirements.scheme: is exact");
  if (network !== (x402_version === 1 ? NETWORK_V1 : NETWORK_V2))
    refusePayment("invalid_network", "paymentRequirements.network: is Base; see /x402/supported");
  if (asset !== USDC.address.toLowerCase())
    refusePayment("invalid_payment_requirements", `paymentRequirements.asset: is USDC, ${USDC.address}`);
  if (payTo !== pay_to)
    refusePayment(
      "invalid_payment_requirements",
      `paymentRequirements.payTo: only payments to ${pay_to} are checked here`,
    );
  return { pay_to, amount_micro: amount };
}
