/** The public revenue ledger: every payment that was ever settled, and what they add up to. */
import type pg from "pg";
import { nameOf } from "../../core/read-models/runner.ts";
import { type PaymentRow, paymentsProjection } from "./payments.ts";

const COLUMNS = [
  "id",
  "payer",
  "pay_to",
  "amount_micro",
  "operation",
  "status",
  "final",
  "transaction",
  "block_number",
  "refund_status",
  "refund_micro",
  "refund_transaction",
  "ledger_position",
  "settled_at",
] as const satisfies (keyof PaymentRow)[];

export type LedgerRow = Pick<PaymentRow, (typeof COLUMNS)[number]>;

/** Sums are of micro-USDC, in decimal digits; `payments` are those that stand as settled. */
export type LedgerSums = {
  payments: number;
  settled_micro: string;
  reorged_micro: string;
  refunded_micro: string;
};

export type Ledger = {
  /** How much of the log the ledger knows. */
  as_of_position: number;
  total: LedgerSums;
  /** What came with no call and was kept, in decimal digits of micro-USDC. */
  kept_micro: string;
  by_operation: ({ operation: string } & LedgerSums)[];
  /** Newest first, a year at most. */
  by_day: ({ day: string } & LedgerSums)[];
  /** Newest first; one more than asked for when there are more. */
  payments: LedgerRow[];
};

const SUMS = `coalesce(sum(payments), 0)::int as payments, coalesce(sum(settled_micro), 0)::text as settled_micro,
  coalesce(sum(reorged_micro), 0)::text as reorged_micro, coalesce(sum(refunded_micro), 0)::text as refunded_micro`;

const list = (sql: string) => `(select coalesce(jsonb_agg(l), '[]') from (${sql}) l)`;

/** The ledger as of one moment; the page of at most `limit` payments first settled before the position `before`. */
export async function ledger(pool: pg.Pool, page: { before?: number; limit: number }): Promise<Ledger> {
  // One statement sees one moment.
  const sql = `select
    coalesce((select position from read.checkpoints where projection = $1), 0) as as_of_position,
    (select to_jsonb(t) from (select ${SUMS} from read.payments_sums_v1) t) as total,
    (select coalesce(sum(amount_micro), 0)::text from read.payments_v1 where refund_status = 'kept') as kept_micro,
    ${list(`select operation, ${SUMS} from read.payments_sums_v1 group by operation order by operation`)} as by_operation,
    ${list(`select day, ${SUMS} from read.payments_sums_v1 group by day order by day desc limit 366`)} as by_day,
    ${list(`select ${COLUMNS.join(", ")} from read.payments_v1 where ledger_position is not null
              and ($2::bigint is null or ledger_position < $2) order by ledger_position desc limit $3`)} as payments`;
  const values = [nameOf(paymentsProjection), page.before ?? null, page.limit + 1];
  return (await pool.query<Ledger>(sql, values)).rows[0]!;
}
