/** The facilitator's side of x402, for payments to us alone: whoever is paid by others settles for itself. */
import { z } from "zod";
import type { App } from "../../app.ts";
import { USDC } from "../../domain/payments/usdc.ts";
import type { Hex } from "../../domain/ports.ts";
import { settleable } from "./charge.ts";
import { type Asked, examine } from "./checks.ts";
import { address, type PaymentPayload, readPayment, uint256, word } from "./payload.ts";
import { PaymentRefused, refusePayment } from "./refused.ts";
import { NETWORK_V1, NETWORK_V2 } from "./required.ts";

/** What can be verified here. Source: "GET /supported" in the specification of x402 version 2. */
export const supported = ({ chain }: App) => ({
  kinds: [
    { x402Version: 1, scheme: "exact", network: NETWORK_V1 },
    { x402Version: 2, scheme: "exact", network: NETWORK_V2 },
  ],
  extensions: ["payment-identifier", "bazaar"],
  signers: { "eip155:*": [chain.sender] },
});

/** The body of POST /verify, in either generation. */
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
    if (request.x402Version !== undefined && request.x402Version !== payload.x402_version)
      refusePayment("invalid_x402_version", "x402Version: differs from that of paymentPayload");
    const asked = askedOf(request.paymentRequirements, payload, app.pay_to);
    const { signed } = examine(payload, asked, app.clock.now(), app.recover);
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

const terms = { scheme: word, network: word, asset: address, payTo: address };
const requirements = {
  1: z.object({ ...terms, maxAmountRequired: uint256 }).transform(({ maxAmountRequired, ...rest }) => ({
    ...rest,
    amount: maxAmountRequired,
  })),
  2: z.object({ ...terms, amount: uint256 }),
};

/** What the requirements ask for, in the generation of the payment. */
function askedOf(given: object, { x402_version }: PaymentPayload, pay_to: Hex): Asked {
  const read = requirements[x402_version].safeParse(given);
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
