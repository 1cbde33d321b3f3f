/** Finds a log's first anchorer by endpoints with public providers' limits. */
import { expect, test } from "vitest";
import type { AskChain } from "../../src/audit/ask-chain.ts";
import { firstAnchor } from "../../src/audit/first-anchor.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { anchoredLog } from "./scripted-chain.ts";

const contract: Hex = `0x${"aa".repeat(20)}`;
const log_id: Hex = `0x${"bb".repeat(32)}`;
const ours: Hex = `0x${"11".repeat(20)}`;
const theirs: Hex = `0x${"22".repeat(20)}`;
const LATEST = 1_000_000;
const PLACED = 700_123;

type Limits = { range?: number; old_state?: boolean };

function endpoint(
  anchored: { signer: Hex; block: number }[],
  { range = Infinity, old_state = true }: Limits,
) {
  const counts = { logs: 0 };
  const ask: AskChain = async (method, params) => {
    if (method === "eth_blockNumber") return `0x${LATEST.toString(16)}` as never;
    if (method === "eth_getCode") {
      if (!old_state) throw new Error("missing trie node");
      return (Number(params[1]) < PLACED ? "0x" : "0x00") as never;
    }
    counts.logs++;
    const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex };
    if (Number(toBlock) - Number(fromBlock) >= range)
      throw new Error(`query exceeds max block range ${range}`);
    const isIn = ({ block }: { block: number }) => block >= Number(fromBlock) && block <= Number(toBlock);
    return anchored.filter(isIn).map(anchoredLog) as never;
  };
  return { ask, counts };
}

const later = { signer: theirs, block: 940_000 };
const earlier = { signer: ours, block: 930_000 };

test.each<[string, Limits]>([
  ["answers any range", {}],
  ["limits the range to 10,000 blocks", { range: 10_000 }],
  ["limits the range to 500 blocks", { range: 500 }],
  ["limits the range and has no state of old blocks", { range: 10_000, old_state: false }],
])("an endpoint that %s reveals the first account", async (_name, limits) => {
  const { ask, counts } = endpoint([later, earlier], limits);
  expect(await firstAnchor(ask, { contract, log_id })).toEqual({ signer: ours, block: 930_000 });
  expect(counts.logs).toBeLessThan(LATEST / 1_000);
  expect(await firstAnchor(endpoint([], limits).ask, { contract, log_id })).toBeUndefined();
});

test("an endpoint that refuses every range gives no answer", async () => {
  const { ask } = endpoint([earlier], { range: 10 });
  await expect(firstAnchor(ask, { contract, log_id })).rejects.toThrow("max block range");
});
