/** Looks authorizations up in the chain's logs: what the log is reconciled with. */
import type { Hex, Receipt } from "../core/model/chain.ts";
import { type Chain, ChainUnavailable } from "../core/model/ports/chain.ts";
import type { TransferAuthorization } from "../core/model/ports/settlement.ts";
import { type MinedTransaction, minedBy } from "../domain/payments/payment.ts";
import { endedQuery, isAbout, isCancellation, settledBy } from "../domain/payments/usdc.ts";

/** A transfer to look for, and the block below which it cannot be. */
export type Sought = { transfer: TransferAuthorization; from_block: bigint };

/** How an authorization ended: it moved its money, or it was cancelled or used for something else in that block. */
export type Ending =
  | { kind: "moved"; mined: MinedTransaction }
  | ({ kind: "lost"; reason: "cancelled" | "used for another transfer" } & Place);

type Place = { transaction: Hex; block_number: bigint; block_hash: Hex };

/** Authorizations asked for in one question; nodes limit the length of a filter. */
const PIECE = 200;

/** The ending of each that has one, up to `to_block`. */
export async function endingsOf(
  chain: Chain,
  sought: readonly Sought[],
  to_block: bigint,
): Promise<Map<TransferAuthorization, Ending>> {
  const receipts = new Map<Hex, Promise<Receipt | undefined>>();
  const receiptOf = (transaction: Hex) => {
    const receipt = receipts.get(transaction) ?? chain.receipt(transaction);
    receipts.set(transaction, receipt);
    return receipt;
  };
  const endings = new Map<TransferAuthorization, Ending>();
  // Those of like age together: an old one must not have the others sought through all its blocks.
  const sorted = sought.toSorted((a, b) => Number(a.from_block - b.from_block));
  for (let at = 0; at < sorted.length; at += PIECE) {
    const piece = sorted.slice(at, at + PIECE).map(({ transfer }) => transfer);
    for (const log of await chain.logs(endedQuery(piece, sorted[at]!.from_block, to_block))) {
      const transfer = piece.find((one) => isAbout(log, one));
      if (!transfer) continue;
      const { transaction, block_number, block_hash } = log;
      const place = { transaction, block_number, block_hash };
      if (isCancellation(log)) {
        endings.set(transfer, { kind: "lost", reason: "cancelled", ...place });
        continue;
      }
      const receipt = await receiptOf(log.transaction);
      if (receipt?.block_hash !== log.block_hash)
        throw new ChainUnavailable("the chain changed while it was read");
      endings.set(
        transfer,
        settledBy(receipt, transfer)
          ? { kind: "moved", mined: minedBy(receipt) }
          : { kind: "lost", reason: "used for another transfer", ...place },
      );
    }
  }
  return endings;
}
