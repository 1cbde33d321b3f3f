/** Payments and refunds whose outcome is unknown or may still change. */
import type pg from "pg";
import type { Hex } from "../../core/model/chain.ts";
import { nameOf } from "../../core/read-models/runner.ts";
import type { ConfirmationData } from "../../domain/payments/confirmation.ts";
import { NO_OPERATION } from "../../domain/payments/payment.ts";
import { paymentsProjection } from "./payments.ts";

export type WatchedBlock = { block_number: number; block_hash: Hex };
type FinalSums = Pick<ConfirmationData, "payments" | "settled_micro" | "refunds" | "refunded_micro">;

export type WatchedPayments = {
  /** The log position of this read. */
  as_of_position: number;
  confirmed: ConfirmationData | undefined;
  /** Claimed by a dead process, failed but not for good, or reverted. */
  unsettled: string[];
  /** Blocks of unconfirmed settlements and refunds, lowest first. */
  blocks: WatchedBlock[];
};

/** Each condition has an index of its own with few rows, however many payments there were. */
const UNSETTLED = "unfinished and status <> 'settled' and not final";
const SETTLED = "unfinished and status = 'settled' and not final";
const OWING = "unfinished and status = 'settled' and final";
const REFUNDED = "unfinished and refund_status = 'paid' and not refund_final";

/** Everything on a network to compare with the chain; `claimed_before` is an ISO time. */
export async function watchedPayments(
  pool: pg.Pool,
  { network, claimed_before }: { network: string; claimed_before: string },
): Promise<WatchedPayments> {
  // One statement reads one snapshot.
  const sql = `select
    coalesce((select position from read.checkpoints where projection = $3), 0) as as_of_position,
    (select facts from read.payments_confirmed_v1 where network = $1) as confirmed,
    (select coalesce(jsonb_agg(id), '[]') from read.payments_v1
      where ${UNSETTLED} and network = $1 and (status <> 'claimed' or claimed_at < $2)) as unsettled,
    (select coalesce(jsonb_agg(b order by block_number), '[]') from (
      select block_number, block_hash from read.payments_v1 where ${SETTLED} and network = $1
      union
      select refund_block_number, refund_block_hash from read.payments_v1 where ${REFUNDED} and network = $1) b) as blocks`;
  const values = [network, claimed_before, nameOf(paymentsProjection)];
  const { confirmed, ...rest } = (await pool.query<WatchedPayments>(sql, values)).rows[0]!;
  return { ...rest, confirmed: confirmed ?? undefined };
}

/** True while a payment or refund may still change. */
export async function arePaymentsOpen(pool: pg.Pool): Promise<boolean> {
  const sql = "select exists(select from read.payments_v1 where unfinished) as is_open";
  return (await pool.query<{ is_open: boolean }>(sql)).rows[0]!.is_open;
}

/** Unconfirmed settlements and refunds in blocks of these hashes. */
export async function movedWith(
  pool: pg.Pool,
  hashes: Hex[],
): Promise<{ settled: string[]; refunded: string[] }> {
  const sql = `select
    (select coalesce(jsonb_agg(id), '[]') from read.payments_v1
      where ${SETTLED} and block_hash = any($1)) as settled,
    (select coalesce(jsonb_agg(id), '[]') from read.payments_v1
      where ${REFUNDED} and refund_block_hash = any($1)) as refunded`;
  return (await pool.query(sql, [hashes])).rows[0]!;
}

/** Settlements and refunds that a confirmation up to a block adds, as of `as_of_position`. */
export async function finalUpTo(
  pool: pg.Pool,
  {
    network,
    block_number,
    as_of_position,
  }: { network: string; block_number: number; as_of_position: number },
): Promise<FinalSums> {
  const sql = `select * from
    (select count(*)::int as payments, coalesce(sum(amount_micro), 0)::bigint as settled_micro
       from read.payments_v1 where ${SETTLED} and network = $1 and block_number <= $2 and settled_position <= $3) p,
    (select count(*)::int as refunds, coalesce(sum(refund_micro), 0)::bigint as refunded_micro
       from read.payments_v1
      where ${REFUNDED} and network = $1 and refund_block_number <= $2 and refund_position <= $3) r`;
  return (await pool.query<FinalSums>(sql, [network, block_number, as_of_position])).rows[0]!;
}

/** Payments settled for good before an ISO time, without an answer or a refund. */
export async function unanswered(pool: pg.Pool, network: string, settled_before: string): Promise<string[]> {
  const sql = `select id from read.payments_v1 where ${OWING} and network = $1
    and not answered and refund_status is null and settled_at < $2 order by settled_at limit 100`;
  const { rows } = await pool.query<{ id: string }>(sql, [network, settled_before]);
  return rows.map(({ id }) => id);
}

/** Payments with an open refund and a final settlement, the oldest first: only those without a call, or all others. */
export async function openRefunds(pool: pg.Pool, network: string, withoutCall: boolean): Promise<string[]> {
  const sql = `select id from read.payments_v1 where ${OWING} and network = $1
    and refund_status = 'open' and (operation = $2) = $3 order by settled_at limit 100`;
  const { rows } = await pool.query<{ id: string }>(sql, [network, NO_OPERATION, withoutCall]);
  return rows.map(({ id }) => id);
}

/** Kept payments without a call: their number and sum in micro-USDC. */
export async function keptPayments(pool: pg.Pool): Promise<{ count: number; micro: number }> {
  const sql = `select count(*)::int as count, coalesce(sum(amount_micro), 0)::float8 as micro
    from read.payments_v1 where refund_status = 'kept'`;
  return (await pool.query<{ count: number; micro: number }>(sql)).rows[0]!;
}

/** True if the chain moved the payment in a final block, as far as it was followed. */
export async function isFinal(pool: pg.Pool, id: string): Promise<boolean> {
  const sql =
    "select exists(select from read.payments_v1 where id = $1 and status = 'settled' and final) as is_final";
  return (await pool.query<{ is_final: boolean }>(sql, [id])).rows[0]!.is_final;
}

/**
 * True if a tenant has paid something that remains: neither fully refunded, nor reverted, nor in an account that its
 * owner can empty. Spending from an account counts, and what was claimed of a channel. A moment old.
 */
export async function isPaying(pool: pg.Pool, tenant: string): Promise<boolean> {
  const sql = `select exists(select from read.payments_v1 p
      where caller_tenant = $1 and settled_at is not null and status = 'settled'
        and (refund_status is null or refund_status = 'kept' or refund_micro < amount_micro)
        and not exists(select from read.account_credits_v2 c where c.source = 'payment:' || p.id))
    or exists(select from read.accounts_v2 where tenant = $1 and spent > 0)
    or exists(select from read.channels_v1 where tenant = $1 and claimed_micro > 0) as is_paying`;
  return (await pool.query<{ is_paying: boolean }>(sql, [tenant])).rows[0]!.is_paying;
}

/** Owed, unpaid refunds: their number and sum in micro-USDC. */
export async function owedRefunds(pool: pg.Pool): Promise<{ count: number; micro: number }> {
  const sql = `select count(*)::int as count, coalesce(sum(refund_micro), 0)::float8 as micro
    from read.payments_v1 where unfinished and refund_status = 'open'`;
  return (await pool.query<{ count: number; micro: number }>(sql)).rows[0]!;
}
