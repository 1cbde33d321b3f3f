/** Counterparties and payments of an agent, for its profiles. */
import type pg from "pg";

/** Attestations given and received in these days, live or not. */
export async function contactsOf(
  pool: pg.Pool,
  sx: number,
  { from, to }: { from: number; to: number },
): Promise<{ day: number; other: number }[]> {
  const text = `select day, to_sx as other from read.trust_edges_v3 where from_sx = $1 and to_sx <> $1 and day between $2 and $3
    union select day, from_sx from read.trust_edges_v3 where to_sx = $1 and from_sx <> $1 and day between $2 and $3`;
  return (await pool.query<{ day: number; other: number }>(text, [sx, from, to])).rows;
}

/** Calls that these wallets paid for and that were answered, by day. */
export async function paidCalls(
  pool: pg.Pool,
  wallets: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<{ day: number; calls: number }[]> {
  const text = `select settled_day as day, count(*)::int as calls from read.trust_payments_v3
    where payer = any($1) and settled and not given_back and settled_day between $2 and $3 group by settled_day`;
  return (await pool.query<{ day: number; calls: number }>(text, [wallets, from, to])).rows;
}

/** Payments of these wallets less refunds, by operation and UTC month; micro-USDC. */
export type OperationSpending = { month: string; operation: string; calls: number; spent_micro: number };

export async function spentBy(pool: pg.Pool, wallets: readonly string[]): Promise<OperationSpending[]> {
  const text = `select left(p.settled_at, 7) as month, p.operation, count(*)::int as calls,
      sum(p.amount_micro - coalesce(p.refund_micro, 0))::float8 as spent_micro
    from read.trust_payments_v3 t join read.payments_v1 p using (id)
    where t.payer = any($1) and t.settled and p.status = 'settled' group by 1, 2 order by 1, 2`;
  return (await pool.query<OperationSpending>(text, [wallets])).rows;
}
