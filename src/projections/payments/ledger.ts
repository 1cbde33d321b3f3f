/** The public revenue ledger: every payment that was ever settled, and their sums. */
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

/** Sums in micro-USDC as decimal digits; `payments`: those that are settled now. */
export type LedgerSums = {
  payments: number;
  settled_micro: string;
  reorged_micro: string;
  refunded_micro: string;
};

export type Ledger = {
  /** The log position of the ledger. */
  as_of_position: number;
  total: LedgerSums;
  /** Kept money without a call, micro-USDC in decimal digits. */
  kept_micro: string;
  by_operation: ({ operation: string } & LedgerSums)[];
  /** Newest first, at most a year. */
  by_day: ({ day: string } & LedgerSums)[];
  /** Newest first; one more than the limit if there are more. */
  payments: LedgerRow[];
};

const SUMS = `coalesce(sum(payments), 0)::int as payments, coalesce(sum(settled_micro), 0)::text as settled_micro,
  coalesce(sum(reorged_micro), 0)::text as reorged_micro, coalesce(sum(refunded_micro), 0)::text as refunded_micro`;

const list = (sql: string) => `(select coalesce(jsonb_agg(l), '[]') from (${sql}) l)`;

/** A page has at most `limit` payments, first settled before the position `before`. */
export async function ledger(pool: pg.Pool, page: { before: number | null; limit: number }): Promise<Ledger> {
  // One statement reads one snapshot.
  const sql = `select
    coalesce((select position from read.checkpoints where projection = $1), 0) as as_of_position,
    (select to_jsonb(t) from (select ${SUMS} from read.payments_sums_v1) t) as total,
    (select coalesce(sum(amount_micro), 0)::text from read.payments_v1 where refund_status = 'kept') as kept_micro,
    ${list(`select operation, ${SUMS} from read.payments_sums_v1 group by operation order by operation`)} as by_operation,
    ${list(`select day, ${SUMS} from read.payments_sums_v1 group by day order by day desc limit 366`)} as by_day,
    ${list(`select ${COLUMNS.join(", ")} from read.payments_v1 where ledger_position is not null
              and ($2::bigint is null or ledger_position < $2) order by ledger_position desc limit $3`)} as payments`;
  const values = [nameOf(paymentsProjection), page.before, page.limit + 1];
  return (await pool.query<Ledger>(sql, values)).rows[0]!;
}

/** Settled payments by their id, or by the transaction that carried them. */
export async function settledPayments(
  pool: pg.Pool,
  by: { id: string } | { transaction: string },
): Promise<LedgerRow[]> {
  const [column, value] = "id" in by ? ["id", by.id] : ["transaction", by.transaction];
  const text = `select ${COLUMNS.join(", ")} from read.payments_v1
    where ${column} = $1 and ledger_position is not null order by ledger_position desc limit 20`;
  return (await pool.query<LedgerRow>(text, [value])).rows;
}

export type OwnPayment = { id: string; operation: string; position: number };

/** Settled payments of a caller, newest first. */
export async function paymentsOf(
  pool: pg.Pool,
  tenant: string,
  { before, limit }: { before: number; limit: number },
): Promise<OwnPayment[]> {
  const text = `select id, operation, ledger_position::float8 as position from read.payments_v1
    where caller_tenant = $1 and settled_at is not null and ledger_position < $2
    order by ledger_position desc limit $3`;
  return (await pool.query<OwnPayment>(text, [tenant, before, limit])).rows;
}
