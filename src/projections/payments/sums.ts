/** Sums of payments by day and operation. */
import type pg from "pg";
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
    );`;

/** The part of a payment that its sums depend on. */
export type SummedPayment = { operation: string; amount_micro: number; refund_micro: number | null };

/** By the UTC day of the transfer; `payments` are the settled ones. */
type Sum = {
  day: string;
  operation: string;
  payments: number;
  settled_micro: number;
  reorged_micro: number;
  refunded_micro: number;
};

/** Sums a batch of events, then adds it to the tables at once. */
export class Sums {
  readonly #sums = new Map<string, Sum>();

  count({ operation, amount_micro, refund_micro }: SummedPayment, { type, data }: PaymentEvent): void {
    switch (type) {
      case "PaymentFound": {
        // The sender paid its gas.
        const sum = this.#on(data.found_at, operation);
        sum.payments += 1;
        sum.settled_micro += amount_micro;
        return;
      }
      case "PaymentSettled": {
        const sum = this.#on(data.settled_at, operation);
        sum.payments += 1;
        sum.settled_micro += amount_micro;
        return;
      }
      case "PaymentReorged": {
        const sum = this.#on(data.reorged_at, operation);
        sum.payments -= 1;
        sum.reorged_micro += amount_micro;
        return;
      }
      case "RefundPaid":
        this.#on(data.paid_at, operation).refunded_micro += refund_micro!;
        return;
      case "RefundReorged":
        this.#on(data.reorged_at, operation).refunded_micro -= refund_micro!;
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
  }
}

const dayOf = (at: string) => at.slice(0, 10);
