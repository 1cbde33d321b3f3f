/** A scripted chain, method by method: any answer of an auditor's endpoint, true or false. */
import { decodeFunctionData, encodeAbiParameters, encodeEventTopics, encodeFunctionResult } from "viem";
import type { Hex } from "../../src/core/model/chain.ts";
import { ABI } from "../../src/domain/anchoring/generated/log-anchor.ts";

/** Heads and successors by signer, hashes by block number; all else is missing. */
export type World = {
  chain_id: number;
  blocks: Record<number, Hex>;
  /** Unix seconds; missing blocks have the time of the beginning. */
  times?: Record<number, number>;
  newest?: { number: number; time: number };
  finalized: number;
  heads: Record<Hex, { size: number; root: Hex; timestamp: number }>;
  successors: Record<Hex, Hex>;
  /** The accounts that anchored the log, and their blocks. */
  anchored: { signer: Hex; block: number }[];
};

const NOBODY: Hex = `0x${"00".repeat(20)}`;
const NOTHING: Hex = `0x${"00".repeat(32)}`;
const quantity = (n: number): Hex => `0x${n.toString(16)}`;

/** One answer. */
export function answerOf(world: World, method: string, params: readonly unknown[]): unknown {
  if (method === "eth_chainId") return quantity(world.chain_id);
  if (method === "eth_getBlockByNumber") {
    if (params[0] === "finalized") return { number: quantity(world.finalized), hash: NOTHING };
    if (params[0] === "latest")
      return {
        number: quantity(world.newest?.number ?? world.finalized),
        hash: NOTHING,
        timestamp: quantity(world.newest?.time ?? 0),
      };
    const hash = world.blocks[Number(params[0])];
    const timestamp = quantity(world.times?.[Number(params[0])] ?? 0);
    return hash ? { number: params[0], hash, timestamp } : null;
  }
  if (method === "eth_blockNumber") return quantity(world.finalized);
  if (method === "eth_getCode") return "0x00";
  if (method === "eth_getLogs") return world.anchored.map(anchoredLog);
  const { data } = params[0] as { data: Hex };
  const { functionName, args } = decodeFunctionData({ abi: ABI, data });
  const signer = String(args?.[0]).toLowerCase() as Hex;
  if (functionName === "successor")
    return encodeFunctionResult({ abi: ABI, functionName, result: world.successors[signer] ?? NOBODY });
  const { size, root, timestamp } = world.heads[signer] ?? { size: 0, root: NOTHING, timestamp: 0 };
  return encodeFunctionResult({
    abi: ABI,
    functionName: "head",
    result: [BigInt(size), root, 1n, BigInt(timestamp)],
  });
}

/** The log of an `Anchored` event. */
export function anchoredLog({ signer, block }: World["anchored"][number]) {
  const head = [{ type: "uint64" }, { type: "bytes32" }] as const;
  return {
    topics: encodeEventTopics({ abi: ABI, eventName: "Anchored", args: { signer, logId: NOTHING } }),
    data: encodeAbiParameters(head, [1n, NOTHING]),
    blockNumber: quantity(block),
    logIndex: "0x0",
  };
}
