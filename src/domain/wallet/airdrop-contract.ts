/**
 * The Airdrop contract, which pays many at once, in terms of the Chain port. Payment names belong to the sender, so
 * calls are never batched with others.
 */
import { createHash } from "node:crypto";
import { decodeEventLog, encodeEventTopics, encodeFunctionData } from "viem/utils";
import type { Call, CallResult, Hex, Log, LogQuery } from "../../core/model/chain.ts";
import { deployedAt, deploymentOf } from "../../core/model/deployment.ts";
import { ABI, INIT_CODE } from "./generated/airdrop.ts";
import { amountIn } from "./token.ts";

/** The contract's address on every chain that it was deployed to. */
export const AIRDROP_ADDRESS = deployedAt(INIT_CODE);

/** Anybody may send it; where the contract is already, it is refused. */
export const airdropDeployment = (): Call => deploymentOf(INIT_CODE);

/** The most gas of `airdropDeployment`. */
export const AIRDROP_DEPLOY_GAS = 500_000n;

/** The most recipients of one airdrop. */
export const MOST_RECIPIENTS = 200;

/** Everything an airdrop is; `amount_each` in the token's smallest unit. */
export type Terms = { token: Hex; amount_each: bigint; recipients: readonly Hex[] };

/** An airdrop's name on the chain: SHA-256 of "tallystick airdrop", its id and all it is, a line each. */
export const nameOnChain = (airdropId: string, { token, amount_each, recipients }: Terms): Hex => {
  const lines = ["tallystick airdrop", airdropId, token, String(amount_each), ...recipients];
  return `0x${createHash("sha256").update(lines.join("\n")).digest("hex")}`;
};

/** Pays; all or none, and refused where the sender paid under this name before. */
export const payCall = (name: Hex, { token, amount_each, recipients }: Terms): Call => ({
  to: AIRDROP_ADDRESS,
  data: encodeFunctionData({ abi: ABI, functionName: "pay", args: [name, token, amount_each, recipients] }),
});

/** The most gas of `payCall`: a balance that begins, and its log, for each recipient. */
export const payGas = (recipients: number): bigint => 100_000n + 40_000n * BigInt(recipients);

/** Asks for what `paidIn` reads. */
export const paidCall = (payer: Hex, name: Hex): Call => ({
  to: AIRDROP_ADDRESS,
  data: encodeFunctionData({ abi: ABI, functionName: "paidAt", args: [payer, name] }),
});

/** The block in which a payer paid under a name; undefined if it has not, or the contract is not deployed. */
export const paidIn = (answer: CallResult | undefined): bigint | undefined => amountIn(answer) || undefined;

/** The query for the log of a payment, in the block that `paidIn` returns. */
export const paidQuery = (payer: Hex, name: Hex, block: bigint): LogQuery => ({
  address: AIRDROP_ADDRESS,
  topics: encodeEventTopics({ abi: ABI, eventName: "Paid", args: { payer, id: name } }),
  from_block: block,
  to_block: block,
});

/** True for the log of this payer's payment under this name. */
export function isPayment(log: Log, payer: Hex, name: Hex): boolean {
  if (log.address !== AIRDROP_ADDRESS) return false;
  const { args } = decodeEventLog({
    abi: ABI,
    eventName: "Paid",
    topics: [...log.topics] as [Hex, ...Hex[]],
    data: log.data,
  });
  return args.payer.toLowerCase() === payer && args.id === name;
}
