/** The 402 of x402 in both versions at once: v1 in the JSON body, v2 in the PAYMENT-REQUIRED header. */

import type { encodePaymentRequiredHeader } from "@x402/core/http";
import type { JsonObject } from "../../../../eventstore/types.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { coreProblems } from "../../../core/model/problem.ts";
import { type FieldError, sentenceOf } from "../../../core/model/refusal.ts";
import { leastDeposit, WITHDRAW_DELAY_S } from "../../../domain/payments/channel.ts";
import { BASE, USDC } from "../../../domain/payments/usdc.ts";
import { neededWithPayment } from "../../declare/access/pay.ts";
import {
  challengeOf,
  invitationOf,
  type PricedCall,
  paymentOf,
  takesWallet,
  type Usdc,
} from "../../declare/access/way.ts";
import { type Form, JSON_FORM } from "../../declare/forms/form.ts";
import type { OperationDeclaration } from "../../declare/operation.ts";
import { mediaTypeOf, methodOf, pathOf } from "../../declare/operation-facts.ts";
import { sha256 } from "../call.ts";
import type { Challenge } from "../mpp/challenge.ts";
import { type Problem, problem } from "../problem.ts";
import { bazaarForms, type Transport } from "./bazaar.ts";
import {
  paymentIdentifier,
  type SignableCall,
  signedOffer,
  signInWithX,
  type WrittenExtension,
  written,
} from "./extensions.ts";
import { toBase64 } from "./header.ts";
import type { TermsIssuer } from "./issuer.ts";
import type { PaymentRefused } from "./payment-refusal.ts";

export const NETWORK_V1 = "base";
export const NETWORK_V2 = BASE.network;
export const CHANNEL_SCHEME = "batch-settlement";
export const MAX_TIMEOUT_SECONDS = 300;
/** The asset's EIP-712 domain, which a payer signs. */
export const DOMAIN = { name: USDC.name, version: USDC.version };
/**
 * The most characters of the PAYMENT-REQUIRED header. Clients return most of it in one header, for which proxies
 * commonly allow 8 KiB.
 */
const HEADER_LIMIT = 6 * 1024;
/** The bytes of JSON that fit: base64 writes four characters for three bytes. */
const BODY_LIMIT = (HEADER_LIMIT / 4) * 3;
/** The default spending limits of common clients: x402-fetch 1.x stops at 0.10, @x402/fetch 2 at 1.00 USDC. */
const STOCK_CAPS: [above: number, note: string][] = [
  [
    1,
    " Stock x402 clients cap a payment (x402-fetch 1.x at 0.10, @x402/fetch 2 at 1.00 USDC): raise the cap for this call.",
  ],
  [0.1, " x402-fetch 1.x caps a payment at 0.10 USDC: raise its maxValue for this call."],
];
const DEVELOPMENT_CHAIN = " Development chain: do not sign with a funded wallet.";

export type PaymentTerms = {
  pay_to: Hex;
  public_url: string;
  /** True on the development chain. A signature for it would also be valid on Base. */
  embedded_chain: boolean;
  /** Absent in documents, which offer no particular call. */
  issuer?: TermsIssuer;
  /** The address that signs claims and refunds of channels. Absent if the service takes no channels. */
  receiver_authorizer?: Hex | undefined;
};

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

/** The complete version 2 requirement, for the header and MCP. */
export type RequirementV2 = Parameters<typeof encodePaymentRequiredHeader>[0];

export type PaymentRequired = {
  status: 402;
  headers: Record<string, string>;
  body: Problem & { x402Version: 1; accepts: RequirementV1[]; understood?: JsonObject };
  v2: RequirementV2;
  /** The same price as a challenge of the `Payment` scheme. */
  challenge?: Challenge;
};

/** `form`: the media type of the answer. `refused`: why the payment in the request is not acceptable. */
export type Quote = {
  price: Usdc;
  form?: Form;
  refused?: PaymentRefused;
  /** How the service reads a question, shown before the caller pays for the answer. */
  understood?: JsonObject;
  /** Errors of fields that are present but wrong, so that no wallet pays for a call that will be refused. */
  errors?: FieldError[] | undefined;
  has_key?: boolean;
  /** How the call was made, for catalogues. Default: HTTP. */
  transport?: Transport;
  /** The call's method, path and body, which its wallet may sign instead of paying. */
  signable?: Omit<SignableCall, "public_url">;
  /** True if the input is missing or wrong, so that the price is that of one unit. */
  is_unit?: boolean;
};

/** The most characters of path and query in a URL; base64 and the rest of a header leave room for no more. */
const LONGEST_PATH = 1_500;
const SHOWN_PATH = 200;

/**
 * The URL that a payment is for. A longer one is cut and ends with the SHA-256 of the whole, because headers are
 * limited.
 */
export function resourceUrl({ public_url }: Pick<PaymentTerms, "public_url">, path: string): string {
  if (path.length <= LONGEST_PATH) return public_url + path;
  const begin = path.split("?")[0]!.slice(0, SHOWN_PATH);
  return `${public_url}${begin}?sha256=${sha256(path)}`;
}

/** "0.05" -> "50000": the amount in the smallest unit of USDC. */
export function microUsdc(amount: Usdc): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(USDC.decimals, "0")).toString();
}

/**
 * The price of a call with this input and the current data. It is the unit price if the input is unknown or invalid.
 */
export async function priceOf(
  operation: OperationDeclaration,
  call: PricedCall,
  input?: object,
): Promise<Usdc> {
  const way = paymentOf(operation);
  if (!way) throw new Error(`${operation.name} has no price`);
  return typeof way.price === "function" && input ? way.price(input as never, call) : way.unit_price;
}

/**
 * The 402: everything an agent needs to pay for `operation` and to repeat its request. `path` is the path and query
 * of the request.
 */
export function paymentRequired(
  operation: OperationDeclaration,
  path: string,
  terms: PaymentTerms,
  quote: Quote,
): PaymentRequired {
  const { price, refused, understood, errors = [], transport = "http", signable } = quote;
  const amount = microUsdc(price);
  const cost = costOf(operation, quote);
  const resource = resourceOf(operation, path, terms, quote);
  const shared = {
    scheme: "exact" as const,
    payTo: terms.pay_to,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    asset: USDC.address,
    extra: DOMAIN,
  };
  const bare = {
    x402Version: 2 as const,
    error: refused?.code ?? "Payment required",
    resource,
    accepts: [
      { ...shared, network: NETWORK_V2 as typeof NETWORK_V2, amount },
      ...(terms.receiver_authorizer
        ? [channelRequirement(terms, terms.receiver_authorizer, amount, refused?.channel)]
        : []),
    ],
  };
  const extensions = extensionsOf(operation, terms, { resource: resource.url, amount, signable });
  const { v2, header } = fitting(operation, transport, bare, extensions);
  const issued = terms.issuer?.challenge({ amount_micro: amount, path });
  const requirement: RequirementV1 = {
    ...shared,
    network: NETWORK_V1,
    maxAmountRequired: amount,
    resource: resource.url,
    description: resource.description,
    mimeType: resource.mimeType,
    outputSchema: { input: { type: "http", method: methodOf(operation), discoverable: true } },
  };
  const body = problem(
    coreProblems["payment-required"],
    refused?.message ?? remedyOf(operation, cost, { errors, has_key: quote.has_key ?? false }),
    { public_url: terms.public_url, instance: path },
    errors.length > 0 ? { errors } : {},
  );
  return {
    status: 402,
    headers: {
      "PAYMENT-REQUIRED": header,
      ...(issued && { "WWW-Authenticate": issued.header }),
      "Cache-Control": "no-store",
    },
    body: {
      ...body.problem,
      ...(refused && { error: refused.code }),
      ...(understood && { understood }),
      x402Version: 1,
      accepts: [requirement],
    },
    v2,
    ...(issued && { challenge: issued.challenge }),
  };
}

/** The price in words: the sum of this call, or the terms of a unit while the call has no valid input. */
function costOf(operation: OperationDeclaration, { price, is_unit = false }: Quote): string {
  const unit = paymentOf(operation)?.terms;
  return unit && is_unit ? unit : `${price} USDC`;
}

/** The URL that is paid for, with a description of the price and its media type. */
function resourceOf(operation: OperationDeclaration, path: string, terms: PaymentTerms, quote: Quote) {
  const { price, form = JSON_FORM, is_unit = false } = quote;
  const unit = paymentOf(operation)?.terms;
  const total = unit === undefined ? "a call" : is_unit ? "" : `in all: ${unit}`;
  const caps = STOCK_CAPS.find(([above]) => Number(price) > above)?.[1] ?? "";
  const warning = terms.embedded_chain ? DEVELOPMENT_CHAIN : "";
  return {
    url: resourceUrl(terms, path),
    description: `${operation.summary}. ${`${costOf(operation, quote)} ${total}`.trim()}.${caps}${warning}`,
    mimeType: form === JSON_FORM ? mediaTypeOf(operation) : form,
  };
}

/** A 402 without a price, for a call that the wallet may sign instead. x402 calls this an authentication-only route. */
export function signInRequired(
  operation: OperationDeclaration,
  path: string,
  { public_url, issuer }: PaymentTerms,
  signable: NonNullable<Quote["signable"]>,
): PaymentRequired {
  if (!issuer) throw new Error("only a service asks to sign in");
  const { title } = coreProblems["sign-in-required"];
  const v2: RequirementV2 = {
    x402Version: 2,
    error: title,
    resource: {
      url: resourceUrl({ public_url }, path),
      description: `${operation.summary}. Free to its owner.`,
      mimeType: mediaTypeOf(operation),
    },
    accepts: [],
    extensions: {
      "sign-in-with-x": signInWithX({ public_url, ...signable }, issuer.nonce(), issuer.now()),
    },
  };
  const { problem: body } = problem(
    coreProblems["sign-in-required"],
    `this needs ${invitationOf(operation)}`,
    { public_url, instance: path },
  );
  return {
    status: 402,
    headers: {
      "PAYMENT-REQUIRED": toBase64(JSON.stringify(v2)),
      "WWW-Authenticate": challengeOf(operation),
      "Cache-Control": "no-store",
    },
    body: { ...body, x402Version: 1, accepts: [] },
    v2,
  };
}

/** The same price, paid from a channel. `state` corrects a wrong count of the payer. */
const channelRequirement = (
  { pay_to }: PaymentTerms,
  receiverAuthorizer: Hex,
  amount: string,
  state: object = {},
) => ({
  scheme: CHANNEL_SCHEME,
  network: NETWORK_V2 as typeof NETWORK_V2,
  amount,
  asset: USDC.address,
  payTo: pay_to,
  maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
  extra: {
    ...DOMAIN,
    receiverAuthorizer,
    withdrawDelay: WITHDRAW_DELAY_S,
    minDeposit: String(leastDeposit(Number(amount))),
    ...state,
  },
});

const PAYMENT_IDENTIFIER = written(paymentIdentifier);

/** All extensions except `bazaar`, which gets the space that is left. */
function extensionsOf(
  operation: OperationDeclaration,
  { issuer, public_url, pay_to }: PaymentTerms,
  { resource, amount, signable }: { resource: string; amount: string; signable: Quote["signable"] },
): Record<string, WrittenExtension> {
  if (!issuer) return { "payment-identifier": PAYMENT_IDENTIFIER };
  const offered = {
    scheme: "exact" as const,
    network: NETWORK_V2,
    asset: USDC.address,
    payTo: pay_to,
    amount,
  };
  return {
    "payment-identifier": PAYMENT_IDENTIFIER,
    ...(signable &&
      takesWallet(operation) && {
        "sign-in-with-x": written(signInWithX({ public_url, ...signable }, issuer.nonce(), issuer.now())),
      }),
    "offer-receipt": signedOffer(issuer.offer({ resourceUrl: resource, ...offered })),
  };
}

/** The remedy. A key is suggested only to callers without one, and only if the operation accepts keys. */
function remedyOf(
  operation: OperationDeclaration,
  cost: string,
  { errors, has_key }: { errors: readonly FieldError[]; has_key: boolean },
): string {
  const needed = has_key ? undefined : neededWithPayment(operation);
  const takesKey = operation.access.some(({ scope }) => scope !== undefined);
  const key = takesKey && !has_key ? ", or send an API key" : "";
  const path = pathOf(operation);
  const offer = needed
    ? `${path} costs ${cost} and needs ${needed}; without it a payment is refused`
    : `${path} costs ${cost}: pay one entry of accepts${key}`;
  const [first] = errors;
  return first ? `Correct the input before you pay: ${sentenceOf(first)}. ${offer}` : offer;
}

/** The requirement with the longest form of `bazaar` that fits into the header. A long URL leaves less space. */
function fitting(
  operation: OperationDeclaration,
  transport: Transport,
  bare: Omit<RequirementV2, "extensions">,
  written: Record<string, WrittenExtension>,
): { v2: RequirementV2; header: string } {
  const members = Object.entries(written).map(([name, { json }]) => `"${name}":${json}`);
  // The JSON of the extensions is copied, because writing it again takes most of a 402's time.
  const json = `${JSON.stringify(bare).slice(0, -1)},"extensions":{${members.join(",")}`;
  const room = BODY_LIMIT - Buffer.byteLength(json) - BAZAAR_MEMBER.length - CLOSING.length;
  const form = bazaarForms(operation, transport).find(({ bytes }) => bytes <= room);
  const extensions = Object.fromEntries(
    Object.entries(written).map(([name, { extension }]) => [name, extension]),
  );
  if (!form) return { v2: { ...bare, extensions }, header: toBase64(json + CLOSING) };
  return {
    v2: { ...bare, extensions: { ...extensions, bazaar: form.extension } },
    header: toBase64(json + BAZAAR_MEMBER + form.json + CLOSING),
  };
}

const BAZAAR_MEMBER = ',"bazaar":';
const CLOSING = "}}";
