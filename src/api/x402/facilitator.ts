/** The facilitator's side of x402, for payments to us alone: whoever is paid by others settles for itself. */
import { z } from "zod";
import type { App } from "../../app.ts";
import type { Hex } from "../../domain/chain.ts";
import * as payments from "../../domain/payments/payment.ts";
import { USDC } from "../../domain/payments/usdc.ts";
import type { EventName } from "../../domain/refusal.ts";
import { commandOf, sha256 } from "../call.ts";
import { payer } from "../caller.ts";
import { judge } from "./accept.ts";
import {
  type ChargedCall,
  check,
  claim as claimPayment,
  refusePending,
  settleable,
  settle as settlePayment,
} from "./charge.ts";
import { type Asked, examine } from "./checks.ts";
import { address, type PaymentPayload, readPayment, uint256, word } from "./payload.ts";
import { standingOf } from "./payment-flow.ts";
import { PaymentRefused, refusePayment } from "./refused.ts";
import { answeredPayment } from "./replay.ts";
import { NETWORK_V1, NETWORK_V2 } from "./required.ts";
import { type SettleResponse, settleResponse } from "./response.ts";

/** What can be verified and settled here. Source: "GET /supported" in the specification of x402 version 2. */
export const supported = ({ chain }: App) => ({
  kinds: [
    { x402Version: 1, scheme: "exact", network: NETWORK_V1 },
    { x402Version: 2, scheme: "exact", network: NETWORK_V2 },
  ],
  extensions: ["payment-identifier", "bazaar"],
  signers: { "eip155:*": [chain.sender] },
});

/** The body of POST /verify and /settle, in either generation. */
export type VerifyRequest = { x402Version?: number; paymentPayload: object; paymentRequirements: object };

export type VerifyResponse = {
  isValid: boolean;
  invalidReason?: string;
  /** What to do about it. */
  invalidMessage?: string;
  payer?: Hex;
};

/** Judges a payment as a call would, the chain included, and settles nothing. Refuses while the chain is away. */
export async function verify(app: App, request: VerifyRequest): Promise<VerifyResponse> {
  let payer: Hex | undefined;
  try {
    const payload = readPayment(request.paymentPayload);
    payer = payload.signed.transfer.from;
    const { signed } = examine(payload, askedOf(request, payload, app.pay_to), app.clock.now(), app.recover);
    await settleable(app.settlement, signed);
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

/** The body that POST /settle answers. */
export type SettleAnswer =
  | SettleResponse
  | {
      success: false;
      errorReason: string;
      /** What to do about it. */
      errorMessage: string;
      transaction: "";
      network: string;
      payer?: Hex;
    };

/** A payment worth less would cost more to settle than it brings: 0.001 USDC. */
const SMALLEST_MICRO = 1_000n;

/**
 * Settles a payment to us that buys something elsewhere, once: asked again, it answers the same. Refuses while the
 * outcome is not known, or the chain is away.
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
    const asked = askedOf(request, payload, app.pay_to);
    if (asked.amount_micro < SMALLEST_MICRO)
      refusePayment(
        "invalid_payment_requirements",
        "paymentRequirements: at least 0.001 USDC is settled here",
      );
    const payment = judge(payload, asked, app.clock.now(), app.recover);
    const caller = payer(payment.signed.transfer.from);
    const charge = { app, payment, call: { ...call, caller } };
    const target = payments.targetOf(payment.id);
    const state = await app.load(payments, target);
    const standing = standingOf(state, charge);
    if (standing === "pending") return refusePending(payment.id);
    if (standing === "answered" && state?.status === "settled") {
      names((await answeredPayment(app, payment.id)).event);
      return settleResponse(state, payload.x402_version);
    }
    const checked = await check(charge, state);
    const { claim, settlement } = await settlePayment(charge, checked, await claimPayment(charge, checked));
    const response = settleResponse({ claim, settlement }, payload.x402_version);
    const answer = { status: 200, sha256: sha256(JSON.stringify(response)), vintage: null };
    const decision = payments.settle(settlement, answer, app.clock.now().toISOString());
    await app.decide(payments, target, decision, commandOf(charge.call));
    names((await answeredPayment(app, payment.id)).event);
    return response;
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

const terms = { scheme: word, network: word, asset: address, payTo: address };
const requirements = {
  1: z.object({ ...terms, maxAmountRequired: uint256 }).transform(({ maxAmountRequired, ...rest }) => ({
    ...rest,
    amount: maxAmountRequired,
  })),
  2: z.object({ ...terms, amount: uint256 }),
};

/** What the requirements ask for, in the generation of the payment. */
function askedOf(request: VerifyRequest, { x402_version }: PaymentPayload, pay_to: Hex): Asked {
  if (request.x402Version !== undefined && request.x402Version !== x402_version)
    refusePayment("invalid_x402_version", "x402Version: differs from that of paymentPayload");
  const read = requirements[x402_version].safeParse(request.paymentRequirements);
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
      `paymentRequirements.payTo: only payments to ${pay_to} are judged here`,
    );
  return { pay_to, amount_micro: amount };
}
