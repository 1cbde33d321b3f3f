/** One row per account, and the payments credited to it: for totals, and for reverted payments. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { readRows, saveRows } from "../../core/read-models/rows.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import * as account from "../../domain/payments/account.ts";

type Row = account.Sums & { tenant: string };

export const accountsProjection = projection({
  name: "accounts",
  version: 2,
  ddl: `
    create table if not exists read.accounts_v2 (
      tenant    text primary key,
      credited  bigint not null,
      reversed  bigint not null,
      available bigint not null,
      held      bigint not null,
      spent     bigint not null,
      withdrawn bigint not null,
      debt      bigint not null
    );
    create index if not exists accounts_v2_debt on read.accounts_v2 (tenant) where debt > 0;
    create table if not exists read.account_credits_v2 (
      source   text primary key,
      tenant   text not null,
      reversed boolean not null
    );
    create index if not exists account_credits_v2_tenant on read.account_credits_v2 (tenant);
    create table if not exists read.withdrawals_v2 (
      tenant        text not null,
      withdrawal_id text not null,
      position      bigint not null,
      paid_at       timestamptz,
      primary key (tenant, withdrawal_id)
    );
    create index if not exists withdrawals_v2_open on read.withdrawals_v2 (position) where paid_at is null;
    create index if not exists withdrawals_v2_paid on read.withdrawals_v2 (paid_at);`,
  of: [account],
  async fold(events, tx) {
    const rows = await readRows<Row, "tenant">(
      tx,
      "read.accounts_v2",
      "tenant",
      events.map(({ tenant }) => tenant),
    );
    const credits = new Map<string, string>();
    for (const event of events) {
      const { tenant, type, data } = event;
      rows.set(tenant, { tenant, ...account.posted(rows.get(tenant) ?? account.noSums(), event) });
      if (type === "AccountCredited" && account.isPayment(data.source) && !credits.has(data.source))
        credits.set(data.source, tenant);
      await foldWithdrawal(tx, event);
      if (type !== "AccountCreditReversed") continue;
      // The batch itself may contain the credit that it reverses.
      await saveCredits(tx, credits);
      await tx.query("update read.account_credits_v2 set reversed = true where source = $1", [data.source]);
    }
    await saveCredits(tx, credits);
    await saveRows(tx, "read.accounts_v2", ["tenant"], rows.values());
  },
});

/** Withdrawals that are open or paid; failed ones are deleted. */
async function foldWithdrawal(
  tx: pg.ClientBase,
  { tenant, type, data, position }: PositionedEvent<typeof account>,
) {
  const set = (paid_at: string | null) =>
    tx.query("update read.withdrawals_v2 set paid_at = $3 where tenant = $1 and withdrawal_id = $2", [
      tenant,
      (data as { withdrawal_id: string }).withdrawal_id,
      paid_at,
    ]);
  if (type === "WithdrawalAsked")
    await tx.query("insert into read.withdrawals_v2 values ($1, $2, $3, null)", [
      tenant,
      data.withdrawal_id,
      position,
    ]);
  if (type === "WithdrawalPaid") await set(data.paid_at);
  if (type === "WithdrawalReorged") await set(null);
  if (type === "WithdrawalFailed")
    await tx.query("delete from read.withdrawals_v2 where tenant = $1 and withdrawal_id = $2", [
      tenant,
      data.withdrawal_id,
    ]);
}

/** Writes the new credits and clears the map. */
async function saveCredits(tx: pg.ClientBase, credits: Map<string, string>): Promise<void> {
  if (credits.size === 0) return;
  await tx.query(
    `insert into read.account_credits_v2 select source, tenant, false from unnest($1::text[], $2::text[]) c (source, tenant)
     on conflict (source) do nothing`,
    [[...credits.keys()], [...credits.values()]],
  );
  credits.clear();
}

/** The sum of all accounts in micro-USDC, a moment old. */
export async function sumOfAccounts(pool: pg.Pool): Promise<number> {
  const text = "select coalesce(sum(available + held), 0)::float8 as kept from read.accounts_v2";
  return (await pool.query<{ kept: number }>({ name: "accounts_kept", text })).rows[0]!.kept;
}

/** Total spending by tenant in micro-USDC, a moment old; tenants without an account are missing. */
export async function spentBy(pool: pg.Pool, tenants: readonly string[]): Promise<Map<string, number>> {
  const text = "select tenant, spent::float8 as spent from read.accounts_v2 where tenant = any($1)";
  const { rows } = await pool.query<{ tenant: string; spent: number }>({
    name: "accounts_spent",
    text,
    values: [[...new Set(tenants)]],
  });
  return new Map(rows.map(({ tenant, spent }) => [tenant, spent]));
}

export type CreditedPayment = { tenant: string; source: string };

const PAGE = 200;

/** Credits whose payment was reverted for good since an ISO time. */
export async function undoneCredits(pool: pg.Pool, since: string): Promise<CreditedPayment[]> {
  const text = `select c.tenant, c.source from read.payments_v1 p
      join read.account_credits_v2 c on c.source = 'payment:' || p.id
    where p.status = 'failed' and p.final and p.updated_at >= $1 and not c.reversed limit ${PAGE}`;
  return (await pool.query<CreditedPayment>({ name: "accounts_undone", text, values: [since] })).rows;
}

export type WithdrawalKey = { tenant: string; withdrawal_id: string };

/** Withdrawals that are not paid, or were paid since then and may still be reverted; the oldest first. */
export async function withdrawalsToFollow(pool: pg.Pool, paid_since: string): Promise<WithdrawalKey[]> {
  const text = `select tenant, withdrawal_id from read.withdrawals_v2 where paid_at is null or paid_at > $1
    order by position limit ${PAGE}`;
  const { rows } = await pool.query<WithdrawalKey>({
    name: "accounts_withdrawals",
    text,
    values: [paid_since],
  });
  return rows;
}

/**
 * True if a wallet has paid into a tenant's account as that tenant, a moment old. A wallet that paid as another tenant,
 * such as a buyer, does not count.
 */
export async function hasPaidIn(pool: pg.Pool, tenant: string, wallet: string): Promise<boolean> {
  // payment:eip155:<chain>:<asset>:<payer>:<nonce>
  const text = `select exists (select from read.account_credits_v2 c where c.tenant = $1 and split_part(c.source, ':', 5) = $2
      and not exists (select from read.payments_v1 p where p.id = substr(c.source, 9) and p.caller_tenant <> c.tenant)) as has`;
  const { rows } = await pool.query<{ has: boolean }>({
    name: "accounts_paid_in",
    text,
    values: [tenant, wallet],
  });
  return rows[0]!.has;
}
