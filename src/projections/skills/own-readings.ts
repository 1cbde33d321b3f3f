/**
 * The caller's own data that skills read: money, and news that may be quoted to it. These are in the log of one
 * tenant, and rest on no dataset.
 */
import type pg from "pg";
import { z } from "zod";
import { month } from "../../core/model/fields.ts";
import type { Objects } from "../../core/model/ports/objects.ts";
import { refuseWith } from "../../core/model/refusal.ts";
import type { Projection } from "../../core/read-models/projection.ts";
import { decimalEuro } from "../../domain/commerce/money.ts";
import { quoted } from "../../domain/ingest/quotation.ts";
import { decimalUsdc } from "../../domain/payments/usdc.ts";
import { ordersProjection } from "../commerce/orders.ts";
import { newsOn, newsProjection } from "../ingest/news.ts";
import { paymentsProjection } from "../payments/payments.ts";

/** The tenant, the month (UTC; null: of all time), and the current month. */
type OwnQuery = { tenant: string; month: string | null; now: Date };

const about = z.object({
  dataset: z.literal("log"),
  synthetic: z.literal(false),
  source: z.string(),
  month: month.nullable().describe("YYYY-MM (UTC); null: all time"),
  over: z.boolean().describe("true: the month is over"),
  coverage: z.object({ months: z.object({ to: month }) }),
});

const monthOf = (now: Date) => now.toISOString().slice(0, 7);

const aboutOf = ({ month, now }: OwnQuery): z.infer<typeof about> => ({
  dataset: "log",
  synthetic: false,
  source: "the log of this service",
  month,
  over: month !== null && month < monthOf(now),
  coverage: { months: { to: month ?? monthOf(now) } },
});

const MOST_OPERATIONS = 20;
const money = z.string();

export const spendingOutput = z.object({
  data: z.object({
    payments: z.int().describe("Number of payments settled for the tenant"),
    settled_usdc: money,
    refunds: z.int(),
    refunded_usdc: money,
    by_operation: z
      .array(
        z.object({ operation: z.string(), payments: z.int(), settled_usdc: money, refunded_usdc: money }),
      )
      .describe(`The ${MOST_OPERATIONS} operations with the most spending`),
  }),
  meta: about,
});

async function spending(pool: pg.Pool, query: OwnQuery): Promise<z.infer<typeof spendingOutput>> {
  const sums = `count(*)::int as payments, coalesce(sum(amount_micro), 0)::bigint as settled_micro,
      count(*) filter (where refund_status in ('open', 'paid'))::int as refunds, coalesce(sum(refund_micro), 0)::bigint as refunded_micro
    from read.payments_v1 where caller_tenant = $1 and settled_at is not null and status = 'settled'
      and ($2::text is null or starts_with(settled_at, $2))`;
  type Sums = { payments: number; settled_micro: number; refunds: number; refunded_micro: number };
  const values = [query.tenant, query.month];
  const total = (await pool.query<Sums>(`select ${sums}`, values)).rows[0]!;
  const { rows } = await pool.query<Sums & { operation: string }>(
    `select operation, ${sums} group by operation order by sum(amount_micro) desc, operation limit ${MOST_OPERATIONS}`,
    values,
  );
  return {
    data: {
      payments: total.payments,
      settled_usdc: decimalUsdc(total.settled_micro),
      refunds: total.refunds,
      refunded_usdc: decimalUsdc(total.refunded_micro),
      by_operation: rows.map(({ operation, payments, settled_micro, refunded_micro }) => ({
        operation,
        payments,
        settled_usdc: decimalUsdc(settled_micro),
        refunded_usdc: decimalUsdc(refunded_micro),
      })),
    },
    meta: aboutOf(query),
  };
}

export const ordersOutput = z.object({
  data: z.object({
    orders: z.int().describe("Number of placed orders, in any status"),
    sold: z.int().describe("Number of orders that are paid, shipped or delivered"),
    net_eur: money.describe("Net value of the sold orders, EUR"),
    vat_eur: money,
    gross_eur: money,
    by_status: z.array(z.object({ status: z.string(), orders: z.int(), gross_eur: money })),
  }),
  meta: about,
});

async function orders(pool: pg.Pool, query: OwnQuery): Promise<z.infer<typeof ordersOutput>> {
  const cents = (name: string) => `coalesce(sum((state->'facts'->>'${name}_cents')::bigint), 0)::bigint`;
  const { rows } = await pool.query<{
    status: string;
    orders: number;
    net: number;
    vat: number;
    gross: number;
  }>(
    `select status, count(*)::int as orders, ${cents("net")} as net, ${cents("vat")} as vat, ${cents("gross")} as gross
     from read.orders_v1 where tenant = $1 and ($2::text is null or starts_with(state->'facts'->>'placed_at', $2))
     group by status order by status`,
    [query.tenant, query.month],
  );
  const sold = rows.filter(({ status }) => SOLD.has(status));
  const sum = (of: typeof rows, name: "orders" | "net" | "vat" | "gross") =>
    of.reduce((total, row) => total + row[name], 0);
  return {
    data: {
      orders: sum(rows, "orders"),
      sold: sum(sold, "orders"),
      net_eur: decimalEuro(sum(sold, "net")),
      vat_eur: decimalEuro(sum(sold, "vat")),
      gross_eur: decimalEuro(sum(sold, "gross")),
      by_status: rows.map(({ status, orders, gross }) => ({
        status: status.replaceAll("_", " "),
        orders,
        gross_eur: decimalEuro(gross),
      })),
    },
    meta: aboutOf(query),
  };
}

const SOLD: ReadonlySet<string> = new Set(["paid", "shipped", "delivered"]);

export const settlementsOutput = z.object({
  data: z.object({
    settled: z.int().describe("Number of settled payments"),
    settled_usdc: money,
    confirmed: z.int().describe("Number of settled payments in a final block of the chain"),
    confirmed_usdc: money,
    taken_back: z.int().describe("Number of settled payments that failed later or that the chain reversed"),
  }),
  meta: about,
});

async function settlements(pool: pg.Pool, query: OwnQuery): Promise<z.infer<typeof settlementsOutput>> {
  const sum = (which: string) => `coalesce(sum(amount_micro) filter (where ${which}), 0)::bigint`;
  const count = (which: string) => `count(*) filter (where ${which})::int`;
  const settled = "status = 'settled'";
  const { rows } = await pool.query<
    Record<"settled" | "micro" | "confirmed" | "final_micro" | "back", number>
  >(
    `select ${count(settled)} as settled, ${sum(settled)} as micro, ${count(`${settled} and final`)} as confirmed,
       ${sum(`${settled} and final`)} as final_micro, ${count("status in ('reorged', 'failed')")} as back
     from read.payments_v1 where caller_tenant = $1 and settled_at is not null
       and ($2::text is null or starts_with(settled_at, $2))`,
    [query.tenant, query.month],
  );
  const [found] = rows;
  return {
    data: {
      settled: found!.settled,
      settled_usdc: decimalUsdc(found!.micro),
      confirmed: found!.confirmed,
      confirmed_usdc: decimalUsdc(found!.final_micro),
      taken_back: found!.back,
    },
    meta: aboutOf(query),
  };
}

export const newsOutput = z.object({
  data: z.array(quoted),
  meta: about.pick({ dataset: true, synthetic: true, source: true }),
});

/** News that a skill quotes at most. */
const MOST_QUOTED = 5;

/** The sources of a reading: the read models, and the objects of the log. */
type ReadingSources = { pool: pg.Pool; objects: Pick<Objects, "get"> };
type TenantQuery = Pick<OwnQuery, "tenant" | "now">;

const ofMonth = z.object({ month: month.optional() });
const inMonth =
  (read: (pool: pg.Pool, query: OwnQuery) => Promise<object>) =>
  async ({ pool }: ReadingSources, who: TenantQuery, { month }: z.output<typeof ofMonth>) => {
    if (month !== undefined && month > monthOf(who.now))
      refuseWith("month", `${month} has not begun: name a month up to ${monthOf(who.now)}`);
    return read(pool, { ...who, month: month ?? null });
  };

/** A reading by its fields, and the projections that have to be current before it. */
const reading = <Input extends z.ZodObject>(
  input: Input,
  of: Projection,
  ask: (from: ReadingSources, who: TenantQuery, input: z.output<Input>) => Promise<object>,
) => ({
  input,
  of,
  ask: (from: ReadingSources, who: TenantQuery, given: object) => ask(from, who, input.parse(given)),
});

/** The readings by the names that plans have for them. */
export const ownReadings = {
  own_spending: reading(ofMonth, paymentsProjection, inMonth(spending)),
  own_orders: reading(ofMonth, ordersProjection, inMonth(orders)),
  own_settlements: reading(ofMonth, paymentsProjection, inMonth(settlements)),
  own_news: reading(
    z.object({ country: z.string() }),
    newsProjection,
    async (from, { tenant }, { country }) => ({
      data: await newsOn(from, { tenant, country, limit: MOST_QUOTED }),
      meta: { dataset: "log", synthetic: false, source: "submitted news" },
    }),
  ),
};
