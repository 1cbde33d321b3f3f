import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import type { Call, CallResult } from "./chain.ts";

/** Source: the Multicall3 project; the same address on every chain. */
export const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";

const ABI = parseAbi(["function getBlockNumber() view returns (uint256)"]);

/** A query for the number of the block that answers a bundle of queries. */
export const HEIGHT_CALL: Call = {
  to: MULTICALL3,
  data: encodeFunctionData({ abi: ABI, functionName: "getBlockNumber" }),
};

export function heightIn(answer: CallResult | undefined): bigint {
  if (!answer?.success) throw new Error("this chain has no Multicall3");
  return decodeFunctionResult({ abi: ABI, functionName: "getBlockNumber", data: answer.data });
}
