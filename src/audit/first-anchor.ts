/** Finds the account that anchored a log first, by the auditor's endpoint; it is trusted if the auditor names none. */
import { decodeEventLog, encodeEventTopics } from "viem/utils";
import type { Hex } from "../core/model/chain.ts";
import { ABI } from "../domain/anchoring/generated/log-anchor.ts";
import type { AskChain } from "./ask-chain.ts";

/** `block`: the number of the block in which `signer` anchored the log. */
export type FirstAnchor = { signer: Hex; block: number };

type RpcLog = { topics: [Hex, ...Hex[]]; data: Hex; blockNumber: Hex; logIndex: Hex };

/** Initial block range of a request; public endpoints allow 1,000 to 10,000, some any number. */
const WIDEST_PAGE = 10_000;

/** An endpoint that refuses so few blocks does not support such requests. */
const NARROWEST_PAGE = 100;

/** Concurrent requests. */
const AT_ONCE = 8;

/**
 * The sender of the log's earliest `Anchored`; undefined if nobody anchored it. Rejects if the endpoint does not
 * answer.
 */
export async function firstAnchor(
  ask: AskChain,
  { contract, log_id }: { contract: Hex; log_id: Hex },
): Promise<FirstAnchor | undefined> {
  const topics = encodeEventTopics({ abi: ABI, eventName: "Anchored", args: { logId: log_id } });
  const logsIn = ([from, to]: Page) =>
    ask<RpcLog[]>("eth_getLogs", [
      { address: contract, topics, fromBlock: quantity(from), toBlock: quantity(to) },
    ]);
  const latest = Number(await ask<Hex>("eth_blockNumber", []));
  const start = await placedIn(ask, contract, latest);
  const whole: Page = [start, latest];
  // One request is enough for an endpoint without a range limit.
  const all = await logsIn(whole).catch(() => undefined);
  if (all) return earliestOf(all);
  for (let from = start, width = WIDEST_PAGE; from <= latest; ) {
    const pages = pagesFrom(from, latest, width);
    const answers = await Promise.allSettled(pages.map(logsIn));
    for (const answer of answers) {
      if (answer.status === "rejected") {
        if (width <= NARROWEST_PAGE) throw answer.reason;
        width = Math.max(NARROWEST_PAGE, Math.floor(width / 5));
        break;
      }
      const found = earliestOf(answer.value);
      if (found) return found;
      from = pages[answers.indexOf(answer)]![1] + 1;
    }
  }
  return undefined;
}

/** The first and last block of one request. */
type Page = [from: number, to: number];

function pagesFrom(from: number, latest: number, width: number): Page[] {
  const pages: Page[] = [];
  for (let at = from; at <= latest && pages.length < AT_ONCE; at += width)
    pages.push([at, Math.min(at + width - 1, latest)]);
  return pages;
}

function earliestOf(logs: readonly RpcLog[]): FirstAnchor | undefined {
  const [first] = logs.toSorted(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
  if (!first) return undefined;
  const { topics, data, blockNumber } = first;
  const { args } = decodeEventLog({ abi: ABI, eventName: "Anchored", topics, data });
  return { signer: args.signer.toLowerCase() as Hex, block: Number(blockNumber) };
}

/** The block that deployed the contract, by bisection; 0 if the endpoint lacks the state of old blocks. */
async function placedIn(ask: AskChain, contract: Hex, latest: number): Promise<number> {
  let without = -1;
  let present = latest;
  try {
    while (present - without > 1) {
      const middle = Math.floor((without + present) / 2);
      const code = await ask<Hex>("eth_getCode", [contract, quantity(middle)]);
      if (code === "0x") without = middle;
      else present = middle;
    }
    return present;
  } catch {
    return 0;
  }
}

const quantity = (number: number): Hex => `0x${number.toString(16)}`;
