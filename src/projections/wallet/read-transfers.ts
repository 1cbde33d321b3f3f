/** What moved of a token, read from the chain's own logs. */

import type { Hex } from "../../core/model/chain.ts";
import type { Chain } from "../../core/model/ports/chain.ts";
import type { BlockRange } from "../../domain/anchoring/contract.ts";
import { type Transfer, transferIn, transferQuery } from "../../domain/wallet/token.ts";

/** Oldest first. */
const byPlace = (a: Transfer, b: Transfer): number =>
  Number(a.block_number - b.block_number) || a.index - b.index;

/** What came in: transfers of a token to an account in these blocks, oldest first. Rejects with ChainUnavailable. */
export async function depositsTo(
  chain: Chain,
  { token, to }: { token: Hex; to: Hex },
  range: BlockRange,
): Promise<Transfer[]> {
  const logs = await chain.logs(transferQuery(token, { from: null, to }, range));
  return logs.flatMap((log) => transferIn(log) ?? []).sort(byPlace);
}

/** What came in and went out of several tokens, each transfer once, oldest first. Rejects with ChainUnavailable. */
export async function transfersOf(
  chain: Chain,
  tokens: readonly Hex[],
  account: Hex,
  range: BlockRange,
): Promise<Transfer[]> {
  const found = await Promise.all(
    tokens.flatMap((token) => [
      chain.logs(transferQuery(token, { from: account, to: null }, range)),
      chain.logs(transferQuery(token, { from: null, to: account }, range)),
    ]),
  );
  const transfers = found.flat().flatMap((log) => transferIn(log) ?? []);
  // An account that pays itself stands in both lists.
  const placed = new Map(transfers.map((one) => [`${one.block_hash} ${one.index}`, one]));
  return [...placed.values()].sort(byPlace);
}
