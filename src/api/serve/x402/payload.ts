/** Reads a call's payment: of version 1 or 2 of x402, or a credential of the `Payment` scheme. */

import { z } from "zod";
import { parseStrictBytes } from "../../../../eventstore/canonical.ts";
import type { Hex } from "../../../core/model/chain.ts";
import { hexRead, lowerCase } from "../../../core/model/fields.ts";
import { plainIssue } from "../../../core/model/plain-issue.ts";
import type { SignedTransfer } from "../../../core/model/ports/settlement.ts";
import { BASE } from "../../../domain/payments/usdc.ts";
import type { EchoedChallenge } from "../mpp/challenge.ts";
import { credentialText, echoedChallenge, isCredential, isPaymentScheme } from "../mpp/credential.ts";
import { PAYMENT_IDENTIFIER } from "./extensions.ts";
import { refusePayment } from "./payment-refusal.ts";

/** The terms that a payer of version 2 accepts, with addresses in lower case. */
export type AcceptedRequirement = {
  scheme: string;
  network: string;
  asset: Hex;
  amount: bigint;
  pay_to: Hex;
  max_timeout_seconds: number;
  extra: { name?: string; version?: string };
};

/** The contents of a payment, unchecked. The signature is as presented, in lower case. */
export type PaymentPayload = {
  x402_version: 1 | 2;
  scheme: string;
  network: string;
  signed: SignedTransfer;
  accepted?: AcceptedRequirement;
  /** The URL that the payment names. */
  resource_url?: string;
  /** The payer's id of the payment (extension payment-identifier). */
  identifier?: string;
  /** The answered challenge of the `Payment` scheme; x402 has none. */
  challenge?: EchoedChallenge;
};

/** In characters; Node accepts 16 KiB of headers in total. */
const HEADER_LIMIT = 16 * 1024;
/** In hex digits: the signature of any deployed wallet fits into 2 KiB. */
const SIGNATURE_LIMIT = 4 * 1024;
const UINT256 = 1n << 256n;

export const signature = z
  .string()
  .max(2 + SIGNATURE_LIMIT, `has at most ${SIGNATURE_LIMIT} hex digits`)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, "is 0x and an even number of hex digits")
  .transform(lowerCase);

export const address = hexRead(20);

export const uint256 = z
  .string("is a decimal string")
  .regex(/^\d{1,78}$/, "is a whole number as a decimal string")
  .transform((text) => BigInt(text))
  .refine((value) => value < UINT256, "does not fit 256 bits");

export const word = z.string().max(100);

const authorization = {
  from: address,
  to: address,
  value: uint256,
  validAfter: uint256,
  validBefore: uint256,
  nonce: hexRead(32),
};

const transfer = z.strictObject({ signature, authorization: z.strictObject(authorization) });

/** The authorization and its signature as members of one object, in the `Payment` scheme. */
const credential = z.object({
  challenge: echoedChallenge,
  payload: z.strictObject({
    type: z.literal("authorization", "is authorization: only an EIP-3009 authorization is accepted"),
    signature,
    ...authorization,
  }),
});

const v1 = z.strictObject({ x402Version: z.literal(1), scheme: word, network: word, payload: transfer });

/** Common clients return the values of the 402, so these objects may have members of later servers. */
export const envelope = {
  x402Version: z.literal(2),
  resource: z.object({ url: z.string().max(HEADER_LIMIT) }).nullish(),
  accepted: z.object({
    scheme: word,
    network: word,
    asset: address,
    amount: uint256,
    payTo: address,
    maxTimeoutSeconds: z.number(),
    extra: z.object({ name: word.optional(), version: word.optional() }).nullish(),
  }),
  extensions: z
    .object({
      "payment-identifier": z
        .object({
          info: z
            .object({
              id: z
                .string()
                .min(PAYMENT_IDENTIFIER.min)
                .max(PAYMENT_IDENTIFIER.max)
                .regex(new RegExp(PAYMENT_IDENTIFIER.pattern), "takes letters, digits, - and _")
                .optional(),
            })
            .optional(),
        })
        .optional(),
    })
    .nullish(),
};

/** Version 1 has scheme and network here. agent0-sdk also sends them here in version 2. */
const v2 = z
  .strictObject({ ...envelope, scheme: word.optional(), network: word.optional(), payload: transfer })
  .superRefine(({ accepted, ...given }, { addIssue }) => {
    for (const name of ["scheme", "network"] as const)
      if (given[name] !== undefined && given[name] !== accepted[name])
        addIssue({ code: "custom", path: [name], message: `is accepted.${name}, or absent` });
  });

/** Decodes a payment into a JSON object: from the base64 text of a header, or from an MCP call. */
export function paymentObject(presented: string | object): object {
  const given = typeof presented === "string" ? decode(bareText(presented)) : presented;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return refusePayment("invalid_payload", "the payment must be a JSON object; pay one entry of accepts");
  return given;
}

/**
 * Reads a payment: the base64 text of a header, or the object of an MCP call. If it is of neither version, throws
 * PaymentRefused, which names the first bad field.
 */
export function readPayment(presented: string | object): PaymentPayload {
  const given = paymentObject(presented);
  if (isCredential(given)) return readCredential(given);
  const version = "x402Version" in given ? given.x402Version : undefined;
  if (version === 1) {
    const { scheme, network, payload } = fitting(v1, given);
    return { x402_version: 1, scheme, network, signed: signedOf(payload) };
  }
  if (version === 2) {
    const { accepted, payload, resource, extensions } = fitting(v2, given);
    const { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra } = accepted;
    const identifier = extensions?.["payment-identifier"]?.info?.id;
    return {
      x402_version: 2,
      scheme,
      network,
      signed: signedOf(payload),
      accepted: {
        scheme,
        network,
        asset,
        amount,
        pay_to: payTo,
        max_timeout_seconds: maxTimeoutSeconds,
        extra: extra ?? {},
      },
      ...(resource && { resource_url: resource.url }),
      ...(identifier !== undefined && { identifier }),
    };
  }
  return refusePayment("invalid_x402_version", "x402Version: is 1 or 2");
}

function readCredential(given: object): PaymentPayload {
  const { challenge, payload } = fitting(credential, given);
  const { type: _, signature, ...authorization } = payload;
  return {
    x402_version: 2,
    scheme: "exact",
    network: BASE.network,
    signed: signedOf({ signature, authorization }),
    challenge,
  };
}

/** Base, the network of the method `evm` in our challenges. */

const bareText = (header: string): string =>
  isPaymentScheme(header) ? (credentialText(header) ?? "") : header;

function decode(text: string): unknown {
  if (text.length > HEADER_LIMIT)
    refusePayment("invalid_payload", `the payment is longer than ${HEADER_LIMIT / 1024} KiB`);
  const bytes = Buffer.from(text, "base64");
  // Buffer skips characters that are not base64, so the text is encoded again and compared.
  const bare = text
    .replace(/={1,2}$/, "")
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  if (text === "" || bytes.toString("base64url") !== bare)
    refusePayment("invalid_payload", "the payment is not base64; encode its JSON as the x402 clients do");
  try {
    return parseStrictBytes(bytes);
  } catch (error) {
    return refusePayment(
      "invalid_payload",
      `the payment is not base64 of JSON, as the x402 clients encode it: ${(error as Error).message}`,
    );
  }
}

export function fitting<Schema extends z.ZodType>(schema: Schema, given: object): z.output<Schema> {
  const read = schema.safeParse(given, { error: plainIssue });
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  const field = path.length === 0 ? "the payment" : path.map(String).join(".");
  return refusePayment("invalid_payload", `${field}: ${message.slice(0, 200)}`);
}

const signedOf = ({ signature, authorization }: z.output<typeof transfer>): SignedTransfer => {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    transfer: { from, to, value, valid_after: validAfter, valid_before: validBefore, nonce },
    signature,
  };
};
