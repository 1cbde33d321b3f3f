/** Multicall3: many calls in one, each failing alone. */
import { decodeFunctionResult, encodeFunctionData, multicall3Abi } from "viem";
import type { Call, CallResult, Hex } from "../domain/ports.ts";

/** Source: the Multicall3 project; the same address on every chain. */
export const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";

export const together = (calls: readonly Call[]): Call => ({
  to: MULTICALL3,
  data: encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))],
  }),
});

/** What each of the calls answered. */
export function apart(answer: Hex): CallResult[] {
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: answer });
  return results.map(({ success, returnData }) => ({ success, data: returnData }));
}
