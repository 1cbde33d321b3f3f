/** Multicall3: many calls in one; each may fail alone. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import type { Call, CallResult, Hex } from "../core/model/chain.ts";
import { MULTICALL3 } from "../core/model/multicall.ts";

const ABI = parseAbi([
  "struct Call { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call[] calls) payable returns (Result[])",
]);

export const aggregateCall = (calls: readonly Call[]): Call => ({
  to: MULTICALL3,
  data: encodeFunctionData({
    abi: ABI,
    functionName: "aggregate3",
    args: [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))],
  }),
});

/** The result of each call. */
export function aggregateResults(answer: Hex): CallResult[] {
  const results = decodeFunctionResult({ abi: ABI, functionName: "aggregate3", data: answer });
  return results.map(({ success, returnData }) => ({ success, data: returnData }));
}
