/** Who anchored a log first, as an auditor's endpoint shows it: the account to believe where the auditor names none. */
import { decodeEventLog, encodeEventTopics } from "viem/utils";
import type { Hex } from "../core/model/chain.ts";
import { ABI } from "../domain/anchoring/generated/log-anchor.ts";
import type { AskChain } from "./ask-chain.ts";

/** `block` is the number of the block in which `signer` anchored the log. */
export type FirstAnchor = { signer: Hex; block: number };

type RpcLog = { topics: [Hex, ...Hex[]]; data: Hex; blockNumber: Hex; logIndex: Hex };

/** Blocks of one question at first; public endpoints allow between 1,000 and 10,000, some of them any number. */
const WIDEST_PAGE = 10_000;

/** An endpoint that refuses even so few blocks does not answer such questions. */
const NARROWEST_PAGE = 100;

/** Pages in flight at once. */
const AT_ONCE = 8;

/** The sender of the earliest `Anchored` for the log, undefined where nobody anchored it. Rejects where the endpoint does not say. */
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
  // One question is enough where an endpoint does not limit the range.
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

/** The first and the last block of one question. */
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

/** The block that placed the contract, by bisection; 0 where the endpoint has no state of old blocks. */
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
