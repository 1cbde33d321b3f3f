/** The 402 of x402, in both generations at once: v1 in the JSON body, v2 in the PAYMENT-REQUIRED header. */
import { encodePaymentRequiredHeader } from "@x402/core/http";
import { USDC } from "../domain/payments/usdc.ts";
import { methodOf, type Operation, pathOf, paymentOf, type Usdc } from "./operation.ts";
import { type Problem, problem } from "./problem.ts";

const NETWORK_V1 = "base";
const NETWORK_V2 = "eip155:8453";
const MAX_TIMEOUT_SECONDS = 300;
/** What stock buyers pay without being told to: x402-fetch 1.x stops at 0.10, @x402/fetch 2 at 1.00 USDC. */
const STOCK_CAPS: [above: number, note: string][] = [
  [
    1,
    " Stock x402 clients cap a payment (x402-fetch 1.x at 0.10, @x402/fetch 2 at 1.00 USDC): raise the cap for this call.",
  ],
  [0.1, " x402-fetch 1.x caps a payment at 0.10 USDC: raise its maxValue for this call."],
];

export type PaymentTerms = { pay_to: string; public_url: string };

export type RequirementV1 = {
  scheme: "exact";
  network: string;
  maxAmountRequired: string;
  resource: string;
  description: string;
  mimeType: string;
  outputSchema: { input: { type: "http"; method: string; discoverable: true } };
  payTo: string;
  maxTimeoutSeconds: number;
  asset: string;
  extra: { name: string; version: string };
};

export type PaymentRequired = {
  status: 402;
  headers: Record<string, string>;
  body: Problem & { x402Version: 1; accepts: RequirementV1[] };
  v2: Parameters<typeof encodePaymentRequiredHeader>[0];
};

/** "0.05" -> "50000": the amount in the smallest unit of USDC. */
export function microUsdc(amount: Usdc): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(USDC.decimals, "0")).toString();
}

/** The price of a call with this input; the unit price when the input is not known or not valid. */
export function priceOf(operation: Operation, input?: object): Usdc {
  const way = paymentOf(operation);
  if (!way) throw new Error(`${operation.name} has no price`);
  return typeof way.price === "function" && input ? way.price(input as never) : way.unit_price;
}

/** Everything an agent needs to pay for `operation` and ask again. `path` is the request's own path and query. */
export function paymentRequired(
  operation: Operation,
  price: Usdc,
  path: string,
  terms: PaymentTerms,
): PaymentRequired {
  const resource = terms.public_url + path;
  const note = STOCK_CAPS.find(([above]) => Number(price) > above)?.[1] ?? "";
  const description = `${operation.summary}. ${price} USDC a call.${note}`;
  const mimeType = operation.output.kind === "json" ? "application/json" : "application/x-ndjson";
  const amount = microUsdc(price);
  const extra = { name: USDC.name, version: USDC.version };
  const v2 = {
    x402Version: 2,
    error: "Payment required",
    resource: { url: resource, description, mimeType },
    accepts: [
      {
        scheme: "exact",
        network: NETWORK_V2 as `${string}:${string}`,
        amount,
        asset: USDC.address,
        payTo: terms.pay_to,
        maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
        extra,
      },
    ],
  };
  const requirement: RequirementV1 = {
    scheme: "exact",
    network: NETWORK_V1,
    maxAmountRequired: amount,
    resource,
    description,
    mimeType,
    outputSchema: { input: { type: "http", method: methodOf(operation), discoverable: true } },
    payTo: terms.pay_to,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    asset: USDC.address,
    extra,
  };
  const detail = `${pathOf(operation)} costs ${price} USDC: pay as accepts says, or send an API key`;
  const told = problem("payment-required", detail, { public_url: terms.public_url, instance: path });
  return {
    status: 402,
    headers: { "PAYMENT-REQUIRED": encodePaymentRequiredHeader(v2), "Cache-Control": "no-store" },
    body: { ...told.problem, x402Version: 1, accepts: [requirement] },
    v2,
  };
}
