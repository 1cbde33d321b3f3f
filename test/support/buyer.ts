/** A wallet that pays for calls over x402, written from the specification without a library. */
import { randomBytes } from "node:crypto";
import type { HDAccount, PrivateKeyAccount } from "viem/accounts";

export type RequirementV1 = {
  maxAmountRequired: string;
  payTo: `0x${string}`;
  asset: `0x${string}`;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string };
};

export type Authorization = {
  from: string;
  to: string;
  value: string;
  validAfter: string;
  validBefore: string;
  nonce: string;
};

export type SignedPayment = { signature: string; authorization: Authorization };

const TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

/** Calls without paying; the requirement in the 402. */
export async function quoteOf(url: string, init: RequestInit = {}): Promise<RequirementV1> {
  const answer = await fetch(url, init);
  if (answer.status !== 402)
    throw new Error(`${url} answered ${answer.status}, not 402: ${await answer.text()}`);
  const { accepts } = (await answer.json()) as { accepts: RequirementV1[] };
  return accepts[0]!;
}

/** The signature of an accepted requirement; `more` changes fields. */
export async function signPayment(
  account: HDAccount | PrivateKeyAccount,
  wanted: RequirementV1,
  more: Partial<Authorization> & { chainId?: number; verifyingContract?: `0x${string}` } = {},
): Promise<SignedPayment> {
  const { chainId = 8453, verifyingContract = wanted.asset, ...bent } = more;
  const now = Math.floor(Date.now() / 1000);
  const authorization: Authorization = {
    from: account.address,
    to: wanted.payTo,
    value: wanted.maxAmountRequired,
    validAfter: String(now - 600),
    validBefore: String(now + wanted.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString("hex")}`,
    ...bent,
  };
  const signature = await account.signTypedData({
    domain: { ...wanted.extra, chainId, verifyingContract },
    types: TYPES,
    primaryType: "TransferWithAuthorization",
    message: {
      from: authorization.from as `0x${string}`,
      to: authorization.to as `0x${string}`,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as `0x${string}`,
    },
  });
  return { signature, authorization };
}

/** The X-PAYMENT header of version 1. */
export const headerV1 = (payload: SignedPayment, more: object = {}) => ({
  "X-PAYMENT": Buffer.from(
    JSON.stringify({ x402Version: 1, scheme: "exact", network: "base", payload, ...more }),
  ).toString("base64"),
});

/** Calls, signs the 402, and calls again with the payment. */
export async function buy(account: HDAccount | PrivateKeyAccount, url: string, init: RequestInit = {}) {
  const payment = await signPayment(account, await quoteOf(url, init));
  return { payment, answer: await present(url, payment, init) };
}

/** Calls with an existing payment. */
export const present = (url: string, payment: SignedPayment, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { ...init.headers, ...headerV1(payment) } });

/** The settlement in an answer. */
export function settlementOf(answer: Response): { success: boolean; transaction: string; payer: string } {
  const header = answer.headers.get("X-PAYMENT-RESPONSE") ?? answer.headers.get("PAYMENT-RESPONSE");
  if (!header) throw new Error("the answer tells of no settlement");
  return JSON.parse(Buffer.from(header, "base64").toString());
}
