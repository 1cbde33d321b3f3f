/**
 * The anchoring contract, LogAnchor, in terms of the Chain port: its calls, queries and logs. It takes the sender of
 * a transaction for the signer, so calls are always sent alone: batched calls come from Multicall3, which anybody can
 * use.
 */
import { createHash } from "node:crypto";
import {
  decodeEventLog,
  decodeFunctionData,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
} from "viem/utils";
import type { Call, CallResult, Hex, Log, LogQuery, Purpose, SendOptions } from "../../core/model/chain.ts";
import { deployedAt, deploymentOf } from "../../core/model/deployment.ts";
import { ABI, INIT_CODE } from "./generated/log-anchor.ts";

/** A log's tree at a size: `log_id` is `logIdOf` its origin, `root` the tree hash of RFC 9162 over the first `size` leaves. */
export type TreeHead = { log_id: Hex; size: bigint; root: Hex };

/** The block of a record; `timestamp` in seconds of Unix time. */
export type RecordBlock = { block_number: bigint; timestamp: number };

/** A head in the contract: without its key, and with the block of its transaction. */
export type ContractHead = Omit<TreeHead, "log_id"> & RecordBlock;

/** A call that must travel alone, with the options that see to it. */
export type SignersCall = { call: Call; options: Pick<SendOptions, "gas" | "purpose"> & { alone: true } };

export type Anchored = TreeHead & { signer: Hex };
export type SeedCommitted = { signer: Hex; seed_hash: Hex; timestamp: number };
export type Endorsed = { signer: Hex; successor: Hex };

/** The contract's address on every chain that it was deployed to with `deployCall`. */
export const ANCHOR_ADDRESS = deployedAt(INIT_CODE);

/** Anybody may send it, and together with others; where the contract is already, it is refused. */
export const deployCall = (): Call => deploymentOf(INIT_CODE);

/** The most gas of `deployCall`. */
export const DEPLOY_GAS = 700_000n;

/** The most hashes of one `commitSeedsCall`: as many as fit into a transaction of 2^24 gas (EIP-7825). */
export const MOST_SEEDS = 500;

/** The name of a log on the chain: SHA-256 of its origin. */
export const logIdOf = (origin: string): Hex => `0x${createHash("sha256").update(origin).digest("hex")}`;

/**
 * Anchors a head of the sender's log, with the consistency proof (RFC 9162) from the stored head; the first needs
 * none.
 */
export const anchorCall = ({ log_id, size, root }: TreeHead, proof: readonly Hex[]): SignersCall =>
  alone(
    encodeFunctionData({ abi: ABI, functionName: "anchor", args: [log_id, size, root, proof] }),
    60_000n + 1_500n * BigInt(proof.length),
    "anchor",
  );

/** The head that a call of `anchorCall` brings; undefined for any other call data, also where more follows or it is coded otherwise. */
export function headInCall(data: Hex): TreeHead | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: ABI, data });
    if (functionName !== "anchor" || encodeFunctionData({ abi: ABI, functionName, args }) !== data)
      return undefined;
    const [log_id, size, root] = args;
    return { log_id, size, root };
  } catch {
    return undefined;
  }
}

/** Commits the sender to seeds by their hashes, `MOST_SEEDS` at most; those it committed before stay as they are. */
export function commitSeedsCall(seed_hashes: readonly Hex[]): SignersCall {
  if (seed_hashes.length > MOST_SEEDS)
    throw new RangeError(
      `${seed_hashes.length} hashes do not fit into a transaction: send ${MOST_SEEDS} at most`,
    );
  return alone(
    encodeFunctionData({ abi: ABI, functionName: "commitSeeds", args: [seed_hashes] }),
    5_000n + 30_000n * BigInt(seed_hashes.length),
    "seed commitment",
  );
}

/** Names, once and finally, the key that succeeds the sender's, or the contract that it moves to. */
export const endorseCall = (successor: Hex): SignersCall =>
  alone(encodeFunctionData({ abi: ABI, functionName: "endorse", args: [successor] }), 40_000n, "endorsement");

const alone = (data: Hex, gas: bigint, purpose: Purpose): SignersCall => ({
  call: { to: ANCHOR_ADDRESS, data },
  options: { gas, alone: true, purpose },
});

/** Asks for what `keptHead` reads. */
export const headCall = (signer: Hex, log_id: Hex): Call =>
  question(encodeFunctionData({ abi: ABI, functionName: "head", args: [signer, log_id] }));

/** The newest head anchored of a signer's log, and when; undefined when there is none. */
export function contractHead(answer: CallResult): ContractHead | undefined {
  const data = answerData(answer);
  const [size, root, block_number, timestamp] = decodeFunctionResult({
    abi: ABI,
    functionName: "head",
    data,
  });
  return size === 0n ? undefined : { size, root, block_number, timestamp: Number(timestamp) };
}

/** Asks for what `seedCommitment` reads. */
export const seedCall = (signer: Hex, seed_hash: Hex): Call =>
  question(encodeFunctionData({ abi: ABI, functionName: "seedCommittedAt", args: [signer, seed_hash] }));

/** The time of a signer's first commitment of a seed; undefined without one. */
export function seedCommitment(answer: CallResult): RecordBlock | undefined {
  const data = answerData(answer);
  const [block_number, timestamp] = decodeFunctionResult({ abi: ABI, functionName: "seedCommittedAt", data });
  return timestamp === 0n ? undefined : { block_number, timestamp: Number(timestamp) };
}

/** Asks for what `endorsedSuccessor` reads. */
export const successorCall = (signer: Hex): Call =>
  question(encodeFunctionData({ abi: ABI, functionName: "successor", args: [signer] }));

/** The key or contract that a signer named to follow it; undefined while there is none. */
export function endorsedSuccessor(answer: CallResult): Hex | undefined {
  const data = answerData(answer);
  const successor = decodeFunctionResult({ abi: ABI, functionName: "successor", data });
  return BigInt(successor) === 0n ? undefined : lower(successor);
}

const question = (data: Hex): Call => ({ to: ANCHOR_ADDRESS, data });

function answerData({ success, data }: CallResult): Hex {
  if (!success || data === "0x")
    throw new Error(`the anchoring contract is not on this chain: there is none at ${ANCHOR_ADDRESS}`);
  return data;
}

/** Some blocks, both ends included. */
export type BlockRange = Pick<LogQuery, "from_block" | "to_block">;

/** The logs that `anchoredIn` reads: what a signer anchored of these logs. */
export const anchoredQuery = (signer: Hex, log_ids: readonly Hex[], range: BlockRange): LogQuery => ({
  address: ANCHOR_ADDRESS,
  topics: encodeEventTopics({ abi: ABI, eventName: "Anchored", args: { signer, logId: [...log_ids] } }),
  ...range,
});

/** The logs that `seedCommittedIn` reads: when a signer committed these seeds. */
export const seedCommittedQuery = (
  signer: Hex,
  seed_hashes: readonly Hex[],
  range: BlockRange,
): LogQuery => ({
  address: ANCHOR_ADDRESS,
  topics: encodeEventTopics({
    abi: ABI,
    eventName: "SeedCommitted",
    args: { signer, seedHash: [...seed_hashes] },
  }),
  ...range,
});

/** The log that `endorsedIn` reads, if there is one. */
export const endorsedQuery = (signer: Hex, range: BlockRange): LogQuery => ({
  address: ANCHOR_ADDRESS,
  topics: encodeEventTopics({ abi: ABI, eventName: "Endorsed", args: { signer } }),
  ...range,
});

/** The anchored head in a log; undefined for any other log. */
export function anchoredIn(log: Log): Anchored | undefined {
  const event = eventIn(log);
  if (event?.eventName !== "Anchored") return undefined;
  const { signer, logId, size, root } = event.args;
  return { signer: lower(signer), log_id: logId, size, root };
}

/** The committed seed in a log; undefined for any other log. */
export function seedCommittedIn(log: Log): SeedCommitted | undefined {
  const event = eventIn(log);
  if (event?.eventName !== "SeedCommitted") return undefined;
  const { signer, seedHash, timestamp } = event.args;
  return { signer: lower(signer), seed_hash: seedHash, timestamp: Number(timestamp) };
}

/** The succession in a log; undefined for any other log. */
export function endorsedIn(log: Log): Endorsed | undefined {
  const event = eventIn(log);
  if (event?.eventName !== "Endorsed") return undefined;
  return { signer: lower(event.args.signer), successor: lower(event.args.successor) };
}

/** Decodes a log of the contract, whose own bytes always decode. */
function eventIn({ address, topics, data }: Log) {
  if (address !== ANCHOR_ADDRESS) return undefined;
  return decodeEventLog({ abi: ABI, topics: [...topics] as [Hex, ...Hex[]], data });
}

/**
 * The two storage slots of a signer's head, for eth_getProof: a mapping of mappings in slot 0, the root in the first.
 * Source: Solidity's documentation, "Layout of State Variables in Storage".
 */
export function headSlots(signer: Hex, log_id: Hex): [root: Hex, numbers: Hex] {
  const inner = keccak256(`0x${signer.slice(2).toLowerCase().padStart(64, "0")}${"00".repeat(32)}`);
  const root = keccak256(`0x${log_id.slice(2)}${inner.slice(2)}`);
  return [root, word(BigInt.asUintN(256, BigInt(root) + 1n))];
}

/** The head that the words in `headSlots` hold, as `keptHead` gives it. */
export function headInSlots(root: bigint, packed: bigint): ContractHead | undefined {
  const size = BigInt.asUintN(64, packed);
  if (size === 0n) return undefined;
  const block_number = BigInt.asUintN(64, packed >> 64n);
  const timestamp = Number(BigInt.asUintN(64, packed >> 128n));
  return { size, root: word(root), block_number, timestamp };
}

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;

const lower = (hex: Hex) => hex.toLowerCase() as Hex;
