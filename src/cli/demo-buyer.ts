/** A buyer's side of x402 version 2, written out: ask, sign what is asked for, ask again. It knows nothing of the runtime. */

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { LocalAccount } from "viem/accounts";
import { z } from "zod";
import type { Hex } from "../core/model/chain.ts";
import { refuse } from "../core/model/refusal.ts";
import { proofText, statementOf } from "../domain/access/wallet-proof.ts";
import { BASE, USDC } from "../domain/payments/usdc.ts";
import { stories } from "./stories.ts";

const ANSWER_MS = 30_000;
/** How long to wait for a part of the service that is unavailable or starting. */
const AWAY_MS = 60_000;
const ASK_AGAIN_MS = 1_000;

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/) as z.ZodType<Hex>;

const requirement = z.looseObject({
  scheme: z.literal("exact"),
  network: z.literal(BASE.network),
  asset: address.refine((asset) => asset.toLowerCase() === USDC.address.toLowerCase(), "is not USDC on Base"),
  payTo: address,
  amount: z.string().regex(/^\d{1,15}$/),
  maxTimeoutSeconds: z.int().min(1),
});

const offer = z.looseObject({
  resource: z.looseObject({ url: z.url(), description: z.string() }),
  accepts: z.array(z.unknown()),
});

const settlement = z.looseObject({
  success: z.literal(true),
  transaction: z.string().regex(/^0x[0-9a-f]{64}$/) as z.ZodType<Hex>,
  payer: address,
  extensions: z
    .looseObject({
      "offer-receipt": z
        .looseObject({ info: z.looseObject({ receipt: z.looseObject({ signature: z.string() }) }) })
        .optional(),
    })
    .optional(),
});

const problem = z.looseObject({ type: z.string() });

/** A 402's offer. `resource` and `accepted` are sent back unchanged. */
export type Offer = {
  resource: z.infer<typeof offer>["resource"];
  accepted: z.infer<typeof requirement>;
  amount_micro: bigint;
};

/** An authorization of EIP-3009 with its signature, and the header that carries both. Hex in lower case. */
export type SignedPayment = {
  transfer: { from: Hex; to: Hex; value: bigint; valid_after: bigint; valid_before: bigint; nonce: Hex };
  signature: Hex;
  header: string;
};

export type Purchase = {
  status: number;
  body: string;
  settlement: z.infer<typeof settlement>;
  /** The service's receipt, if any; its signature is not checked here. */
  receipt: { jws: string; payload: Record<string, unknown> } | undefined;
  /** The answer's event. */
  event_id: string | undefined;
};

/**
 * The request besides its URL; a body makes it a POST. `hurried`: does not wait for the proof or an unavailable
 * service, but for a settlement in progress. `requestId` names each HTTP request.
 */
export type BuyerRequest = { body?: object; hurried?: true; requestId?: () => string };

/** A call that gives up in time; a refusal where nobody answers. */
const MOST_RETRIES = 5;
const PAUSE_S = 5;

/** A busy service answers 503 and says in Retry-After when to repeat the request. */
export async function untilServed(request: () => Promise<Response>): Promise<Response> {
  for (let left = MOST_RETRIES; ; left--) {
    const answer = await request();
    if (answer.status !== 503 || left === 0) return answer;
    await answer.body?.cancel();
    await pause(Number(answer.headers.get("retry-after") ?? PAUSE_S) * 1_000);
  }
}

export async function get(
  url: string,
  headers: Record<string, string> = {},
  { body, requestId }: BuyerRequest = {},
): Promise<Response> {
  if (requestId) headers = { ...headers, "X-Request-Id": requestId() };
  const posted = body && {
    method: "POST",
    body: JSON.stringify(body),
    headers: { ...headers, "Content-Type": "application/json" },
  };
  try {
    return await fetch(url, { headers, ...posted, signal: AbortSignal.timeout(ANSWER_MS) });
  } catch (error) {
    const { message, cause } = error as Error;
    return refuse(
      "unavailable",
      `${url} is unreachable: ${cause instanceof Error ? cause.message : message}`,
    );
  }
}

/** The service's answer; a refusal quotes the service. */
export async function fetchAnswer<Schema extends z.ZodType>(
  url: string,
  schema: Schema,
  { headers = {}, ...question }: BuyerRequest & { headers?: Record<string, string> } = {},
): Promise<z.infer<Schema>> {
  const answer = await get(url, headers, question);
  const text = await answer.text();
  if (!answer.ok) refuse("unprocessable", `${url} answered ${answer.status}: ${text.slice(0, 500)}`);
  const read = schema.safeParse(parsed(text));
  return read.success ? read.data : refuse("unprocessable", `${url} is not a Tallystick service`);
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Requests without paying; throws a Refusal if the answer is not a 402 that this buyer would pay, up to `most`
 * micro-USDC.
 */
export async function ask(
  url: string,
  question: BuyerRequest = {},
  most = stories.answer.most,
): Promise<Offer> {
  const answer = await get(url, {}, question);
  if (answer.status !== 402) refuse("unprocessable", `${url} answered ${answer.status} in place of a 402`);
  const { resource, accepts } = read("PAYMENT-REQUIRED", offer, answer.headers);
  const accepted = accepts.map((one) => requirement.safeParse(one)).find(({ success }) => success)?.data;
  if (!accepted) return refuse("unprocessable", `${url} does not accept USDC on Base by the scheme exact`);
  const amount_micro = BigInt(accepted.amount);
  if (amount_micro > most)
    refuse("forbidden", `${url} asks for ${accepted.amount} micro-USDC; this buyer pays at most ${most}`);
  return { resource, accepted, amount_micro };
}

/** Signs a transfer of exactly the price; the signed domain is USDC's own, whatever the 402 says. */
export async function sign(
  account: LocalAccount,
  { resource, accepted }: Offer,
  nonce: Hex = `0x${randomBytes(32).toString("hex")}`,
): Promise<SignedPayment> {
  const now = Math.floor(Date.now() / 1000);
  const authorization = {
    from: lower(account.address),
    to: lower(accepted.payTo),
    value: accepted.amount,
    validAfter: String(now - 600),
    validBefore: String(now + Math.min(accepted.maxTimeoutSeconds, 300)),
    nonce,
  };
  const { from, to } = authorization;
  const value = BigInt(authorization.value);
  const validAfter = BigInt(authorization.validAfter);
  const validBefore = BigInt(authorization.validBefore);
  const signature = await account.signTypedData({
    domain: {
      name: USDC.name,
      version: USDC.version,
      chainId: BASE.chain_id,
      verifyingContract: USDC.address,
    },
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "TransferWithAuthorization",
    message: { from, to, value, validAfter, validBefore, nonce },
  });
  const payload = { x402Version: 2, resource, accepted, payload: { signature, authorization } };
  return {
    transfer: { from, to, value, valid_after: validAfter, valid_before: validBefore, nonce },
    signature: lower(signature),
    header: Buffer.from(JSON.stringify(payload)).toString("base64"),
  };
}

/** Requests again with the payment; a refusal quotes the service's reason. */
export async function buy(
  url: string,
  { header }: SignedPayment,
  question: BuyerRequest = {},
): Promise<Purchase> {
  const { hurried } = question;
  const paying = { "PAYMENT-SIGNATURE": header, ...(!hurried && { Prefer: "proof" }) };
  let answer = await get(url, paying, question);
  let body = await answer.text();
  for (const deadline = Date.now() + AWAY_MS; answer.status === 503 && Date.now() < deadline; ) {
    // The money may have moved, so the buyer keeps waiting.
    if (hurried && !isPending(body)) break;
    await pause(ASK_AGAIN_MS);
    answer = await get(url, paying, question);
    body = await answer.text();
  }
  if (!answer.ok)
    refuse("unprocessable", `${url} answered ${answer.status} to the payment: ${body.slice(0, 500)}`);
  const settled = read("PAYMENT-RESPONSE", settlement, answer.headers);
  return {
    status: answer.status,
    body,
    settlement: settled,
    event_id: answer.headers.get("Event-Id") ?? undefined,
    receipt: receiptOf(settled.extensions?.["offer-receipt"]?.info.receipt.signature),
  };
}

const isPending = (body: string): boolean =>
  problem.safeParse(parsed(body)).data?.type.endsWith("#payment-pending") ?? false;

function receiptOf(jws: string | undefined): Purchase["receipt"] {
  if (jws === undefined) return undefined;
  try {
    const payload: unknown = JSON.parse(Buffer.from(jws.split(".")[1]!, "base64url").toString());
    return { jws, payload: z.looseObject({}).parse(payload) };
  } catch {
    return refuse("unprocessable", "the receipt in PAYMENT-RESPONSE is not a JWS of a JSON object");
  }
}

/** A header of x402: base64 of JSON. */
function read<Schema extends z.ZodType>(name: string, schema: Schema, headers: Headers): z.infer<Schema> {
  const text = headers.get(name);
  if (text === null)
    return refuse("unprocessable", `the answer has no ${name} header: it is not x402 version 2`);
  try {
    return schema.parse(JSON.parse(Buffer.from(text, "base64").toString()));
  } catch {
    return refuse("unprocessable", `the ${name} header does not conform to x402 version 2`);
  }
}

const lower = (hex: Hex) => hex.toLowerCase() as Hex;

/** The wallet's proof that a call is its own: SIGN-IN-WITH-X. */
export async function ownersProof(
  wallet: LocalAccount,
  url: string,
  path: string,
  method: "GET" | "DELETE" = "GET",
): Promise<string> {
  const text = {
    domain: new URL(url).host,
    address: wallet.address.toLowerCase() as `0x${string}`,
    statement: statementOf({ method, path }),
    uri: url + path,
    version: "1",
    chainId: BASE.network,
    nonce: randomBytes(8).toString("hex"),
    issuedAt: new Date().toISOString(),
  } as const;
  const signature = await wallet.signMessage({ message: proofText(text) });
  return Buffer.from(JSON.stringify({ ...text, signature })).toString("base64");
}
