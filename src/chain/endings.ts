/** Finds authorizations in the chain's logs, to reconcile the log. */
import type { Hex, Receipt } from "../core/model/chain.ts";
import { type Chain, ChainUnavailable } from "../core/model/ports/chain.ts";
import type { TransferAuthorization } from "../core/model/ports/settlement.ts";
import { type MinedTransaction, minedBy } from "../domain/payments/payment.ts";
import { endedQuery, isAbout, isCancellation, settledBy } from "../domain/payments/usdc.ts";

/** A transfer to find, and the earliest block that may have it. */
export type SoughtTransfer = { transfer: TransferAuthorization; from_block: bigint };

/** An authorization moved its money, or was cancelled or otherwise used in that block. */
export type Ending =
  | { kind: "moved"; mined: MinedTransaction }
  | ({ kind: "lost"; reason: "cancelled" | "used for another transfer" } & TransactionLocation);

type TransactionLocation = { transaction: Hex; block_number: bigint; block_hash: Hex };

/** Authorizations per request; nodes limit the length of a filter. */
const PIECE = 200;

/** The ending of each authorization that has one, up to `to_block`. */
export async function endingsOf(
  chain: Chain,
  sought: readonly SoughtTransfer[],
  to_block: bigint,
): Promise<Map<TransferAuthorization, Ending>> {
  const receipts = new Map<Hex, Promise<Receipt | undefined>>();
  const receiptOf = (transaction: Hex) => {
    const receipt = receipts.get(transaction) ?? chain.receipt(transaction);
    receipts.set(transaction, receipt);
    return receipt;
  };
  const endings = new Map<TransferAuthorization, Ending>();
  // Grouped by age, so that an old one does not widen the block range of the others.
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
