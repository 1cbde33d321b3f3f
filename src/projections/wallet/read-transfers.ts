/** Transfers of a token, read from the chain's own logs. */

import type { Hex } from "../../core/model/chain.ts";
import type { Chain } from "../../core/model/ports/chain.ts";
import type { BlockRange } from "../../domain/anchoring/contract.ts";
import { type Transfer, transferIn, transferQuery } from "../../domain/wallet/token.ts";

/** Oldest first. */
const byPosition = (a: Transfer, b: Transfer): number =>
  Number(a.block_number - b.block_number) || a.index - b.index;

/** Transfers of a token to an account in these blocks, oldest first. Rejects with ChainUnavailable. */
export async function depositsTo(
  chain: Chain,
  { token, to }: { token: Hex; to: Hex },
  range: BlockRange,
): Promise<Transfer[]> {
  const logs = await chain.logs(transferQuery(token, { from: null, to }, range));
  return logs.flatMap((log) => transferIn(log) ?? []).sort(byPosition);
}

/** Incoming and outgoing transfers of several tokens, each once, oldest first. Rejects with ChainUnavailable. */
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
  // A payment of an account to itself is in both lists.
  const placed = new Map(transfers.map((one) => [`${one.block_hash} ${one.index}`, one]));
  return [...placed.values()].sort(byPosition);
}
