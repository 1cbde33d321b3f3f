/** Judges whether a check can be drawn now, by one batch of calls to the chain. */

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import type { Call, CallResult, Hex, RecoverKey } from "../../core/model/chain.ts";
import { MULTICALL3 } from "../../core/model/multicall.ts";
import { type FieldError, refuse } from "../../core/model/refusal.ts";
import { readSignature, signerOf, writeSignature } from "../payments/authorization.ts";
import { CONTRACT_PAYER_GAS, factCalls, paymentFacts, TRANSFER_GAS } from "../payments/usdc.ts";
import type { CheckFacts } from "./check.ts";
import { checkProblems } from "./problems.ts";
import { transferOf } from "./typed-data.ts";

const ABI = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
  "function getCurrentBlockTimestamp() view returns (uint256)",
]);

/** The 32-byte answer of `isValidSignature` to a valid signature. Source: ERC-1271. */
const GOOD = `0x1626ba7e${"0".repeat(56)}`;

/** The gas of one question to a wallet whose code is a stranger's. */
export const STRANGER_GAS = CONTRACT_PAYER_GAS + 2n * TRANSFER_GAS;

/** Asks a wallet that is a contract whether a signature is its own. */
export const signatureCall = (wallet: Hex, digest: Uint8Array, signature: Hex): Call => ({
  to: wallet,
  data: encodeFunctionData({
    abi: ABI,
    functionName: "isValidSignature",
    args: [`0x${Buffer.from(digest).toString("hex")}`, signature],
  }),
});

/** A signature by the wallet's own key in the form that contracts accept, which needs no call to a contract. */
export function keySignature(
  digest: Uint8Array,
  wallet: Hex,
  signature: Hex,
  recover: RecoverKey,
): Hex | undefined {
  const plain = readSignature(signature);
  return plain && signerOf(digest, plain, recover) === wallet ? writeSignature(plain) : undefined;
}

export const isAccepted = (answer: CallResult | undefined) =>
  answer?.success === true && answer.data === GOOD;

/** The calls whose answers `judgeRedemption` reads; the last one runs the issuer's code where there is code. */
export const redemptionCalls = (facts: CheckFacts, signature: Hex): Call[] => {
  const now = encodeFunctionData({ abi: ABI, functionName: "getCurrentBlockTimestamp" });
  return [{ to: MULTICALL3, data: now }, ...factCalls({ transfer: transferOf(facts), signature })];
};

/**
 * Refuses a check that the chain would not pay now. `is_signed`: the issuer's key made the signature or, as in USDC,
 * the issuer's code accepts it. A check that only its payee may draw cannot be simulated.
 */
export function judgeRedemption(
  facts: CheckFacts,
  is_signed: boolean,
  [clock, ...answers]: readonly CallResult[],
): void {
  if (!clock?.success) throw new Error("the chain answers fewer calls than it was sent");
  const now = decodeFunctionResult({ abi: ABI, functionName: "getCurrentBlockTimestamp", data: clock.data });
  const { used, balance, would_settle, reason } = paymentFacts(answers);
  if (now >= BigInt(facts.valid_before))
    refuse(checkProblems["check-not-pending"], "this check is expired by the chain's time");
  if (used) refuse(checkProblems["check-not-pending"], "this check was redeemed or cancelled on the chain");
  if (!is_signed) refuseSignature(facts);
  if (balance < BigInt(facts.amount_micro))
    refuse(checkProblems["check-uncovered"], "the issuer has less USDC than this check is for");
  if (facts.mode === "transfer" && !would_settle)
    refuse(checkProblems["check-uncovered"], `USDC refuses this check: ${reason || "it gives no reason"}`);
}

function refuseSignature({ from, mode }: CheckFacts): never {
  const kind = mode === "transfer" ? "TransferWithAuthorization" : "ReceiveWithAuthorization";
  const error: FieldError = {
    path: "signature",
    message: `is not a signature by ${from} of the ${kind} that checks_create returned`,
  };
  return refuse("invalid", "the signature is not the issuer's", { errors: [error] });
}
