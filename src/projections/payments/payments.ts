/** One row per payment for the reactors and the public ledger, their sums, and their gas. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { EventPosition } from "../../core/read-models/typed-events.ts";
import type { ConfirmationData } from "../../domain/payments/confirmation.ts";
import * as confirmation from "../../domain/payments/confirmation.ts";
import type { Claim, PaymentEvent } from "../../domain/payments/payment.ts";
import * as payment from "../../domain/payments/payment.ts";
import { Sums, sumsDdl } from "./sums.ts";

/** `final`: the status is final. `unfinished`: the chain may still change the row, or something is owed. */
export type PaymentRow = {
  id: string;
  tenant: string;
  network: string;
  asset: Hex;
  payer: Hex;
  pay_to: Hex;
  nonce: Hex;
  amount_micro: number;
  operation: string;
  request_sha256: string;
  caller_tenant: string;
  status: "claimed" | "settled" | "failed" | "reorged";
  reason: string | null;
  /** Unix seconds, at most JavaScript's largest exact integer. */
  valid_before: number;
  seen_block: number;
  /** The transaction of the newest settlement, even a reverted one. */
  transaction: Hex | null;
  block_number: number | null;
  block_hash: Hex | null;
  fee_wei: string | null;
  /** Positions of the first settlement (the ledger's order) and of the newest. */
  ledger_position: number | null;
  settled_position: number | null;
  final: boolean;
  answered: boolean;
  /** `kept`: no call, and a refund would cost more than the payment. */
  refund_status: "open" | "paid" | "kept" | null;
  refund_micro: number | null;
  refund_reason: string | null;
  refund_transaction: Hex | null;
  refund_block_number: number | null;
  refund_block_hash: Hex | null;
  refund_fee_wei: string | null;
  refund_position: number | null;
  refund_final: boolean;
  claimed_at: string;
  settled_at: string | null;
  refunded_at: string | null;
  updated_at: string;
  unfinished: boolean;
};

export const paymentsProjection = projection({
  name: "payments",
  version: 1,
  ddl: `
    create table if not exists read.payments_v1 (
      id                  text primary key,
      tenant              text not null,
      network             text not null,
      asset               text not null,
      payer               text not null,
      pay_to              text not null,
      nonce               text not null,
      amount_micro        bigint not null,
      operation           text not null,
      request_sha256      text not null,
      caller_tenant       text not null,
      status              text not null,
      reason              text,
      valid_before        bigint not null,
      seen_block          bigint not null,
      transaction         text,
      block_number        bigint,
      block_hash          text,
      fee_wei             numeric,
      ledger_position     bigint,
      settled_position    bigint,
      final               boolean not null,
      answered            boolean not null,
      refund_status       text,
      refund_micro        bigint,
      refund_reason       text,
      refund_transaction  text,
      refund_block_number bigint,
      refund_block_hash   text,
      refund_fee_wei      numeric,
      refund_position     bigint,
      refund_final        boolean not null,
      claimed_at          text not null,
      settled_at          text,
      refunded_at         text,
      updated_at          text not null,
      unfinished          boolean not null
    );
    create index if not exists payments_v1_unsettled on read.payments_v1 (claimed_at)
      where unfinished and status <> 'settled' and not final;
    create index if not exists payments_v1_settled on read.payments_v1 (block_number, block_hash)
      where unfinished and status = 'settled' and not final;
    create index if not exists payments_v1_owing on read.payments_v1 (settled_at)
      where unfinished and status = 'settled' and final;
    create index if not exists payments_v1_refunded on read.payments_v1 (refund_block_number, refund_block_hash)
      where unfinished and refund_status = 'paid' and not refund_final;
    create index if not exists payments_v1_refunds_open on read.payments_v1 (id) where unfinished and refund_status = 'open';
    create index if not exists payments_v1_kept on read.payments_v1 (amount_micro) where refund_status = 'kept';
    create index if not exists payments_v1_failed on read.payments_v1 (updated_at) where status = 'failed' and final;
    create index if not exists payments_v1_caller on read.payments_v1 (caller_tenant, settled_at) where settled_at is not null;
    create index if not exists payments_v1_transaction on read.payments_v1 (transaction) where transaction is not null;
    create index if not exists payments_v1_ledger on read.payments_v1 (ledger_position desc);
    create table if not exists read.payments_confirmed_v1 (network text primary key, facts jsonb not null);
    ${sumsDdl}`,
  of: [payment, confirmation],
  async fold(events, tx) {
    const ids = events.flatMap(({ type, id }) => (type === "ChainConfirmed" ? [] : id));
    const rows = await readRows<PaymentRow, "id">(tx, "read.payments_v1", "id", ids);
    const sums = new Sums();
    for (const event of events) {
      if (event.type === "ChainConfirmed") {
        for (const row of rows.values()) confirm(row, event.data);
        await saveConfirmed(tx, event.data);
        continue;
      }
      const { id, tenant, position } = event;
      const begun = beginningOf(event);
      const row = begun ? claimed(id, tenant, begun) : rows.get(id);
      if (!row) throw new Error(`${event.type} of ${id} comes before its claim`);
      apply(row, event, position);
      row.updated_at = timeOf(event);
      row.unfinished = isUnfinished(row);
      rows.set(id, row);
      sums.count(row, event);
    }
    await saveRows(tx, "read.payments_v1", ["id"], rows.values());
    await sums.save(tx);
  },
});

const timeOf = ({ recorded_at_us }: EventPosition) => new Date(recorded_at_us / 1000).toISOString();

/** A second claim after a failure starts over. */
const claimed = (id: string, tenant: string, claim: Claim): PaymentRow => ({
  id,
  tenant,
  network: claim.network,
  asset: claim.asset,
  payer: claim.payer,
  pay_to: claim.pay_to,
  nonce: claim.nonce,
  amount_micro: claim.amount_micro,
  operation: claim.operation,
  request_sha256: claim.request_sha256,
  caller_tenant: claim.tenant,
  status: "claimed",
  reason: null,
  valid_before: Math.min(Number(claim.valid_before), Number.MAX_SAFE_INTEGER),
  seen_block: claim.seen_block,
  transaction: null,
  block_number: null,
  block_hash: null,
  fee_wei: null,
  ledger_position: null,
  settled_position: null,
  final: false,
  answered: false,
  refund_status: null,
  refund_micro: null,
  refund_reason: null,
  refund_transaction: null,
  refund_block_number: null,
  refund_block_hash: null,
  refund_fee_wei: null,
  refund_position: null,
  refund_final: false,
  claimed_at: claim.claimed_at,
  settled_at: null,
  refunded_at: null,
  updated_at: claim.claimed_at,
  unfinished: true,
});

function beginningOf({ type, data }: PaymentEvent): Claim | undefined {
  if (type === "PaymentClaimed") return data;
  return type === "PaymentFound" ? payment.claimOfFound(data) : undefined;
}

function apply(row: PaymentRow, { type, data }: PaymentEvent, position: number): void {
  switch (type) {
    case "PaymentClaimed":
    case "PaymentTakenOver":
      return;
    case "PaymentSettled": {
      const { transaction, block_number, block_hash, fee_wei, settled_at } = data;
      Object.assign(row, { transaction, block_number, block_hash, fee_wei, settled_at });
      Object.assign(row, { status: "settled", reason: null, final: false, settled_position: position });
      row.ledger_position ??= position;
      row.answered ||= data.answer !== null;
      return;
    }
    case "PaymentFound": {
      const { transaction, block_number, block_hash, fee_wei, found_at } = data;
      Object.assign(row, { transaction, block_number, block_hash, fee_wei, settled_at: found_at });
      Object.assign(row, { status: "settled", settled_position: position, ledger_position: position });
      return;
    }
    case "PaymentAnswered":
      row.answered = true;
      return;
    case "PaymentFailed":
      Object.assign(row, { status: "failed", reason: data.reason, final: data.for_good });
      return;
    case "PaymentReorged":
      Object.assign(row, { status: "reorged", final: false });
      return;
    case "RefundOpened":
      Object.assign(row, {
        refund_status: "open",
        refund_micro: data.amount_micro,
        refund_reason: data.reason,
      });
      return;
    case "PaymentKept":
      row.refund_status = "kept";
      return;
    case "RefundPaid":
      Object.assign(row, {
        refund_status: "paid",
        refund_transaction: data.transaction,
        refund_block_number: data.block_number,
        refund_block_hash: data.block_hash,
        refund_fee_wei: data.fee_wei,
        refund_position: position,
        refund_final: false,
        refunded_at: data.paid_at,
      });
      return;
    case "RefundReorged":
      Object.assign(row, { refund_status: "open", refund_final: false, refunded_at: null });
      return;
  }
}

/** A payment that never settled for good is owed no refund. */
function isUnfinished(row: PaymentRow): boolean {
  if (!row.final) return true;
  if (row.refund_status === "kept") return false;
  if (row.refund_status === "paid") return !row.refund_final;
  return row.status === "settled" && (row.refund_status === "open" || !row.answered);
}

/** Confirms rows of this batch; saveConfirmed updates the table. */
function confirm(row: PaymentRow, { network, block_number, as_of_position }: ConfirmationData): void {
  if (row.network !== network) return;
  if (
    row.status === "settled" &&
    row.block_number! <= block_number &&
    row.settled_position! <= as_of_position
  )
    row.final = true;
  if (
    row.refund_status === "paid" &&
    row.refund_block_number! <= block_number &&
    row.refund_position! <= as_of_position
  )
    row.refund_final = true;
  row.unfinished = isUnfinished(row);
}

async function saveConfirmed(tx: pg.ClientBase, facts: ConfirmationData): Promise<void> {
  const { network, block_number, as_of_position } = facts;
  await tx.query(
    `insert into read.payments_confirmed_v1 (network, facts) values ($1, $2)
     on conflict (network) do update set facts = excluded.facts`,
    [network, JSON.stringify(facts)],
  );
  const upTo = [network, block_number, as_of_position];
  await tx.query(
    `update read.payments_v1 set final = true,
            unfinished = case refund_status when 'paid' then not refund_final when 'open' then true when 'kept' then false else not answered end
      where unfinished and not final and network = $1 and status = 'settled'
        and block_number <= $2 and settled_position <= $3`,
    upTo,
  );
  await tx.query(
    `update read.payments_v1 set refund_final = true, unfinished = not final
      where unfinished and not refund_final and network = $1 and refund_status = 'paid'
        and refund_block_number <= $2 and refund_position <= $3`,
    upTo,
  );
}
