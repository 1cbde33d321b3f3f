/**
 * The data that a wallet shows and signs for a check (EIP-712), and the call to USDC with the signature. Source:
 * EIP-3009.
 */
import { hashTypedData } from "viem/utils";
import type { Call, Hex } from "../../core/model/chain.ts";
import type { TransferAuthorization } from "../../core/model/ports/settlement.ts";
import { cancelCall, receiveCall, transferCall, USDC } from "../payments/usdc.ts";
import type { CheckFacts } from "./check.ts";

type Field = { name: string; type: string };

/** In the form of eth_signTypedData_v4; numbers are decimal strings. */
export type TypedData = {
  domain: { name: string; version: string; chainId: number; verifyingContract: Hex };
  types: Record<string, Field[]>;
  primaryType: string;
  message: Record<string, string>;
};

const DOMAIN_FIELDS: Field[] = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

const MOVE_FIELDS: Field[] = [
  { name: "from", type: "address" },
  { name: "to", type: "address" },
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
];

const CANCEL_FIELDS: Field[] = [
  { name: "authorizer", type: "address" },
  { name: "nonce", type: "bytes32" },
];

/** A check is valid from its signature on. */
const VALID_AFTER = 0n;

/** The authorization that a check is. */
export const transferOf = ({
  from,
  to,
  amount_micro,
  valid_before,
  nonce,
}: CheckFacts): TransferAuthorization => ({
  from,
  to,
  value: BigInt(amount_micro),
  valid_after: VALID_AFTER,
  valid_before: BigInt(valid_before),
  nonce,
});

/** The issuer's signed data for a valid check: TransferWithAuthorization or ReceiveWithAuthorization. */
export function checkTypedData(facts: CheckFacts): TypedData {
  const { from, to, amount_micro, valid_before, nonce, mode } = facts;
  return typedData(
    facts,
    mode === "transfer" ? "TransferWithAuthorization" : "ReceiveWithAuthorization",
    MOVE_FIELDS,
    {
      from,
      to,
      value: String(amount_micro),
      validAfter: String(VALID_AFTER),
      validBefore: String(valid_before),
      nonce,
    },
  );
}

/** The issuer's signed data that voids it on the chain: CancelAuthorization. */
export const cancelTypedData = (facts: CheckFacts): TypedData =>
  typedData(facts, "CancelAuthorization", CANCEL_FIELDS, { authorizer: facts.from, nonce: facts.nonce });

const typedData = (
  { network, asset }: CheckFacts,
  primaryType: string,
  fields: Field[],
  message: Record<string, string>,
): TypedData => ({
  domain: {
    name: USDC.name,
    version: USDC.version,
    chainId: Number(network.slice("eip155:".length)),
    verifyingContract: asset,
  },
  types: { EIP712Domain: DOMAIN_FIELDS, [primaryType]: fields },
  primaryType,
  message,
});

/** The 32 bytes that are signed. */
export const digestOf = (data: TypedData): Uint8Array => Buffer.from(hashTypedData(data).slice(2), "hex");

/** The call that draws a check. */
export function redemptionCall(facts: CheckFacts, signature: Hex): Call {
  const signed = { transfer: transferOf(facts), signature };
  return facts.mode === "transfer" ? transferCall(signed) : receiveCall(signed);
}

/** The call that makes it void. */
export const revocationCall = (facts: CheckFacts, signature: Hex): Call => cancelCall(facts, signature);
