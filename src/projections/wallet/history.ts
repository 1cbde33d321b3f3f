/** Pages of an account's transfers, newest first: from stored blocks, else from the chain in limited ranges. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";
import type { Chain } from "../../core/model/ports/chain.ts";
import type { Transfer } from "../../domain/wallet/token.ts";
import { transfersOf } from "./read-transfers.ts";
import { reachOf, storedTransfers, type TransferPosition } from "./transfers.ts";

/** The most blocks that a page scans on the chain. */
export const MOST_BLOCKS = 10_000n;

/** Blocks of the first request to the node, of its longest, and of all requests of a page. */
const LIMITS = { first_span: 50n, longest_span: 2_000n, most_blocks: MOST_BLOCKS };

/**
 * The first request suffices for a busy account, and nodes limit their logs; a sparse account's next request is
 * longer.
 */
const GROWTH = 4n;

export type HistoryQuestion = {
  account: Hex;
  tokens: readonly Hex[];
  /** Only transfers before this position; undefined = from the newest block. */
  before: TransferPosition | undefined;
  limit: number;
};

/**
 * `scanned_to`: this page or an earlier one lists every transfer down to this block. `next` is the next page's
 * cursor.
 */
export type HistoryPage = { transfers: Transfer[]; scanned_to: bigint; next: TransferPosition | undefined };

/** `latest` is the newest block's number. Rejects with ChainUnavailable. */
export async function historyPage(
  { pool, chain }: { pool: pg.Pool; chain: Chain },
  { account, tokens, before, limit }: HistoryQuestion,
  latest: bigint,
  { first_span, longest_span, most_blocks } = LIMITS,
): Promise<HistoryPage> {
  const network = `eip155:${chain.chain_id}`;
  const kept = await commonReach(pool, network, account, tokens);
  const start = before ?? { block_number: latest + 1n, index: 0 };
  const isBefore = ({ block_number, index }: TransferPosition) =>
    block_number < start.block_number || (block_number === start.block_number && index < start.index);
  let upper = start.index > 0 ? start.block_number : start.block_number - 1n;
  let scanned_to = upper + 1n;
  let left = most_blocks;
  let span = first_span;
  const found: Transfer[] = [];
  while (found.length <= limit && upper >= 0n) {
    if (kept && kept.from_block <= upper && upper <= kept.to_block) {
      const top = upper < start.block_number ? { block_number: upper + 1n, index: 0 } : start;
      found.push(...(await storedTransfers(pool, { network, account, tokens }, top, limit + 1)));
      scanned_to = kept.from_block;
    } else {
      if (left <= 0n) break;
      const floor = kept && kept.to_block < upper ? kept.to_block + 1n : 0n;
      const from_block = greatest(floor, upper - least(span, left) + 1n);
      const range = { from_block, to_block: upper };
      found.push(...(await transfersOf(chain, tokens, account, range)).filter(isBefore).reverse());
      left -= upper - from_block + 1n;
      span = least(GROWTH * span, longest_span);
      scanned_to = from_block;
    }
    upper = scanned_to - 1n;
  }
  const transfers = found.slice(0, limit);
  const last = transfers.at(-1);
  const more = found[limit];
  if (last && more) {
    const isWhole = more.block_number < last.block_number;
    return { transfers, scanned_to: last.block_number + (isWhole ? 0n : 1n), next: placeOf(last) };
  }
  const next = scanned_to > 0n ? { block_number: scanned_to, index: 0 } : undefined;
  return { transfers, scanned_to, next };
}

const placeOf = ({ block_number, index }: Transfer): TransferPosition => ({ block_number, index });

/** The blocks that were followed for all of the tokens. */
async function commonReach(pool: pg.Pool, network: string, account: Hex, tokens: readonly Hex[]) {
  const reaches = await Promise.all(tokens.map((token) => reachOf(pool, { network, account, token })));
  const known = reaches.filter((reach) => reach !== undefined);
  if (known.length < tokens.length) return undefined;
  const from_block = known.map((reach) => reach.from_block).reduce(greatest);
  const to_block = known.map((reach) => reach.to_block).reduce(least);
  return from_block <= to_block ? { from_block, to_block } : undefined;
}

const greatest = (a: bigint, b: bigint) => (a > b ? a : b);
const least = (a: bigint, b: bigint) => (a < b ? a : b);
