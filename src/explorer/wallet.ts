/** A wallet of the well-known development mnemonic: it pays by x402 with worthless USDC. */
import { mnemonicToAccount } from "viem/accounts";

const MNEMONIC = "test test test test test test test test test test test junk";
/** Longer than an answer takes, and within the service's limit. */
const GOOD_FOR_S = 300;
/** Clocks differ. */
const BEFORE_S = 600;

type Hex = `0x${string}`;
type Requirement = {
  network: string;
  asset: Hex;
  payTo: Hex;
  amount: string;
  maxTimeoutSeconds: number;
  extra: { name: string; version: string };
};
export type PaymentRequired = { resource: object; accepts: Requirement[] };

/** A 402's PAYMENT-REQUIRED header. */
export const offerIn = (header: string): PaymentRequired => JSON.parse(textOf(header)) as PaymentRequired;

/** The PAYMENT-SIGNATURE header for the first accepted payment of a 402 (EIP-3009, signed by EIP-712). */
export async function pay({ resource, accepts }: PaymentRequired): Promise<string> {
  const accepted = accepts[0];
  if (!accepted) throw new Error("The 402 names no accepted payment.");
  const account = mnemonicToAccount(MNEMONIC);
  const now = Math.floor(Date.now() / 1000);
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const nonce: Hex = `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  const authorization = {
    from: account.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(now - BEFORE_S),
    validBefore: String(now + Math.min(accepted.maxTimeoutSeconds, GOOD_FOR_S)),
    nonce,
  };
  const { from, to, value, validAfter, validBefore } = authorization;
  const signature = await account.signTypedData({
    domain: {
      name: accepted.extra.name,
      version: accepted.extra.version,
      chainId: Number(accepted.network.split(":")[1]),
      verifyingContract: accepted.asset,
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
    message: {
      from,
      to,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
    },
  });
  const payment = { x402Version: 2, resource, accepted, payload: { signature, authorization } };
  return encoded(JSON.stringify(payment));
}

/** Base64 of UTF-8, both ways. */
const textOf = (header: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(header), (character) => character.charCodeAt(0)));
const encoded = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
