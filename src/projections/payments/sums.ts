/** What payments add up to by day and operation, and the gas that their transactions cost. */
import type pg from "pg";
import type { Hex } from "../../domain/chain.ts";
import type { PaymentEvent } from "../../domain/payments/payment.ts";

export const sumsDdl = `
    create table if not exists read.payments_sums_v1 (
      day            text not null,
      operation      text not null,
      payments       bigint not null,
      settled_micro  bigint not null,
      reorged_micro  bigint not null,
      refunded_micro bigint not null,
      primary key (day, operation)
    );
    create table if not exists read.payments_gas_v1 (
      transaction text primary key,
      day         text not null,
      fee_wei     numeric not null
    );
    create index if not exists payments_gas_v1_day on read.payments_gas_v1 (day);`;

/** What of a payment its sums are made of. */
export type Summed = { operation: string; amount_micro: number; refund_micro: number | null };

/** Money by the UTC day it moved; `payments` that stand as settled. */
type Sum = {
  day: string;
  operation: string;
  payments: number;
  settled_micro: number;
  reorged_micro: number;
  refunded_micro: number;
};

/** Counts a batch of events, then adds it to the tables at once. */
export class Sums {
  readonly #sums = new Map<string, Sum>();
  /** A transaction's fee, once whatever it carried; null when the chain took it back. */
  readonly #fees = new Map<Hex, { day: string; fee_wei: string } | null>();

  count({ operation, amount_micro, refund_micro }: Summed, { type, data }: PaymentEvent): void {
    switch (type) {
      case "PaymentFound": {
        // Whoever carried it paid its gas.
        const sum = this.#on(data.found_at, operation);
        sum.payments += 1;
        sum.settled_micro += amount_micro;
        return;
      }
      case "PaymentSettled": {
        const sum = this.#on(data.settled_at, operation);
        sum.payments += 1;
        sum.settled_micro += amount_micro;
        this.#fees.set(data.transaction, { day: dayOf(data.settled_at), fee_wei: data.fee_wei });
        return;
      }
      case "PaymentReorged": {
        const sum = this.#on(data.reorged_at, operation);
        sum.payments -= 1;
        sum.reorged_micro += amount_micro;
        this.#fees.set(data.transaction, null);
        return;
      }
      case "RefundPaid":
        this.#on(data.paid_at, operation).refunded_micro += refund_micro!;
        this.#fees.set(data.transaction, { day: dayOf(data.paid_at), fee_wei: data.fee_wei });
        return;
      case "RefundReorged":
        this.#on(data.reorged_at, operation).refunded_micro -= refund_micro!;
        this.#fees.set(data.transaction, null);
        return;
    }
  }

  #on(at: string, operation: string): Sum {
    const day = dayOf(at);
    const key = `${day} ${operation}`;
    const nothing = { payments: 0, settled_micro: 0, reorged_micro: 0, refunded_micro: 0 };
    const sum = this.#sums.get(key) ?? { day, operation, ...nothing };
    this.#sums.set(key, sum);
    return sum;
  }

  async save(tx: pg.ClientBase): Promise<void> {
    if (this.#sums.size === 0) return;
    await tx.query(
      `insert into read.payments_sums_v1 as t
       select * from jsonb_populate_recordset(null::read.payments_sums_v1, $1::jsonb)
       on conflict (day, operation) do update set
         payments = t.payments + excluded.payments,
         settled_micro = t.settled_micro + excluded.settled_micro,
         reorged_micro = t.reorged_micro + excluded.reorged_micro,
         refunded_micro = t.refunded_micro + excluded.refunded_micro`,
      [JSON.stringify([...this.#sums.values()])],
    );
    const fees = [...this.#fees];
    const taken_back = fees.flatMap(([transaction, fee]) => (fee ? [] : transaction));
    const paid = fees.flatMap(([transaction, fee]) => (fee ? { transaction, ...fee } : []));
    await tx.query("delete from read.payments_gas_v1 where transaction = any($1)", [taken_back]);
    await tx.query(
      `insert into read.payments_gas_v1
       select * from jsonb_populate_recordset(null::read.payments_gas_v1, $1::jsonb) on conflict do nothing`,
      [JSON.stringify(paid)],
    );
  }
}

const dayOf = (at: string) => at.slice(0, 10);

/**
 * What the settlements and refunds of a UTC day (YYYY-MM-DD) cost in gas, each transaction once; in wei. What strangers
 * spent on carrying payments here is among it; what went into transactions that settled nothing is not.
 */
export async function gasSpent(pool: pg.Pool, day: string, except: readonly Hex[] = []): Promise<bigint> {
  const sql = `select coalesce(sum(fee_wei), 0)::text as wei from read.payments_gas_v1
    where day = $1 and transaction <> all($2)`;
  const { rows } = await pool.query<{ wei: string }>(sql, [day, except]);
  return BigInt(rows[0]!.wei);
}
