/** Accounts as they stand, and which payments were credited to them: for totals, and for what the chain takes back. */
import type pg from "pg";
import * as account from "../../domain/payments/account.ts";
import { projection } from "../projection.ts";

const columns = ["credited", "reversed", "available", "held", "spent", "debt"] as const;

type Row = account.Sums & { tenant: string };

export const accountsProjection = projection({
  name: "accounts",
  version: 1,
  ddl: `
    create table if not exists read.accounts_v1 (
      tenant    text primary key,
      credited  bigint not null,
      reversed  bigint not null,
      available bigint not null,
      held      bigint not null,
      spent     bigint not null,
      debt      bigint not null
    );
    create table if not exists read.account_credits_v1 (
      source   text primary key,
      tenant   text not null,
      reversed boolean not null
    );`,
  of: [account],
  async fold(events, tx) {
    const rows = await rowsOf(tx, [...new Set(events.map(({ tenant }) => tenant))]);
    for (const event of events) {
      const { tenant, type, data } = event;
      rows.set(tenant, { tenant, ...account.posted(rows.get(tenant) ?? account.noSums(), event) });
      if (type === "AccountCredited" && account.isPayment(data.source))
        await tx.query(
          "insert into read.account_credits_v1 values ($1, $2, false) on conflict (source) do nothing",
          [data.source, tenant],
        );
      if (type === "AccountCreditReversed")
        await tx.query("update read.account_credits_v1 set reversed = true where source = $1", [data.source]);
    }
    await save(tx, [...rows.values()]);
  },
});

async function rowsOf(tx: pg.ClientBase, tenants: string[]): Promise<Map<string, Row>> {
  const sql = "select * from read.accounts_v1 where tenant = any($1)";
  const { rows } = await tx.query<Row>(sql, [tenants]);
  return new Map(rows.map((row) => [row.tenant, row]));
}

async function save(tx: pg.ClientBase, rows: readonly Row[]): Promise<void> {
  await tx.query(
    `insert into read.accounts_v1 (tenant, ${columns.join(", ")})
     select tenant, ${columns.join(", ")} from jsonb_populate_recordset(null::read.accounts_v1, $1::jsonb)
     on conflict (tenant) do update set (${columns.join(", ")}) = row (${columns.map((c) => `excluded.${c}`).join(", ")})`,
    [JSON.stringify(rows)],
  );
}

/** What is kept for all tenants together in micro-USDC, as of a moment ago. */
export async function keptForAll(pool: pg.Pool): Promise<number> {
  const text = "select coalesce(sum(available + held), 0)::float8 as kept from read.accounts_v1";
  return (await pool.query<{ kept: number }>({ name: "accounts_kept", text })).rows[0]!.kept;
}

export type CreditedPayment = { tenant: string; source: string };

const PAGE = 200;

/** Credits whose payment the chain took back for good. */
export async function undoneCredits(pool: pg.Pool): Promise<CreditedPayment[]> {
  const text = `select c.tenant, c.source from read.payments_v1 p
      join read.account_credits_v1 c on c.source = 'payment:' || p.id
    where p.status = 'failed' and p.final and not c.reversed limit ${PAGE}`;
  return (await pool.query<CreditedPayment>({ name: "accounts_undone", text })).rows;
}
