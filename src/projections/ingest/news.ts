/** The read model of news: a tenant's items, waiting batches, and events that may be quoted. */
import type pg from "pg";
import type { Objects } from "../../core/model/ports/objects.ts";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import * as batch from "../../domain/ingest/batch.ts";
import type { Quoted } from "../../domain/ingest/quotation.ts";

export const newsProjection = projection({
  name: "news",
  version: 1,
  ddl: `
    create table if not exists read.news_items_v1 (
      tenant       text not null,
      item_sha256  text not null,
      batch_id     text not null,
      url          text,
      published_at timestamptz not null,
      source       text not null,
      primary key (tenant, item_sha256)
    );
    create table if not exists read.news_waiting_v1 (
      tenant   text not null,
      batch_id text not null,
      position bigint not null,
      primary key (tenant, batch_id)
    );
    create table if not exists read.news_events_v1 (
      position    bigint not null,
      place       int not null,
      tenant      text not null,
      batch_id    text not null,
      item_sha256 text not null,
      text_sha256 text not null,
      kind        text not null,
      date        date not null,
      countries   text[] not null,
      hs          text[] not null,
      entities    text[] not null,
      confidence  double precision not null,
      span_from   int not null,
      span_to     int not null,
      primary key (position, place)
    );
    create index if not exists news_events_v1_countries on read.news_events_v1 using gin (countries);
    create index if not exists news_events_v1_date on read.news_events_v1 (date desc, position desc, place);`,
  of: [batch],
  async fold(events, tx) {
    for (const { id, tenant, position, recorded_at_us, ...event } of events) {
      if (event.type === "NewsBatchReceived") {
        const { items, source } = event.data;
        await tx.query("insert into read.news_waiting_v1 values ($1, $2, $3)", [tenant, id, position]);
        for (const one of items) {
          await tx.query(
            "insert into read.news_items_v1 values ($1, $2, $3, $4, $5, $6) on conflict do nothing",
            [tenant, one.item_sha256, id, one.url, one.published_at, source],
          );
          await tx.query(
            `update objects.small set keep_until = greatest(keep_until,
              to_timestamp($2::bigint / 1000000) + interval '${batch.KEEP_DAYS} days') where name = $1`,
            [batch.objectOf(id, one.text_sha256), String(recorded_at_us)],
          );
        }
        continue;
      }
      await tx.query("delete from read.news_waiting_v1 where tenant = $1 and batch_id = $2", [tenant, id]);
      // If concurrent batches list the same item, the first one has it.
      for (const [place, one] of event.data.events.entries())
        await tx.query(
          `insert into read.news_events_v1
             select $1::bigint, $2::int, tenant, batch_id, item_sha256, $6, $7, $8::date, $9::text[], $10::text[], $11::text[],
               $12::double precision, $13::int, $14::int
             from read.news_items_v1 where tenant = $3 and batch_id = $4 and item_sha256 = $5`,
          [
            position,
            place,
            tenant,
            id,
            one.item_sha256,
            one.text_sha256,
            one.kind,
            one.date,
            one.countries,
            one.hs,
            one.entities,
            one.confidence,
            one.span.from,
            one.span.to,
          ],
        );
    }
  },
});

/** The items among these that a tenant already has. */
export async function existingItems(
  pool: pg.Pool,
  tenant: string,
  items: readonly string[],
): Promise<Set<string>> {
  const sql = "select item_sha256 from read.news_items_v1 where tenant = $1 and item_sha256 = any($2)";
  const { rows } = await pool.query<{ item_sha256: string }>(sql, [tenant, items]);
  return new Set(rows.map(({ item_sha256 }) => item_sha256));
}

/** Batches not yet processed: tenants alternate, so that one with many delays nobody; the oldest of each first. */
export async function waitingBatches(pool: pg.Pool): Promise<{ tenant: string; batch_id: string }[]> {
  const sql = `select tenant, batch_id from read.news_waiting_v1
    order by row_number() over (partition by tenant order by position), position limit 20`;
  return (await pool.query<{ tenant: string; batch_id: string }>(sql)).rows;
}

/** Everybody may quote the operator's news; only a tenant itself may quote its own. */
const QUOTABLE = "(tenant = 'operator' or tenant = $1)";

export type NewsExtent = { items: number; from: string | null; to: string | null };

/** The number of items that may be quoted to a tenant, and their first and last day. */
export async function newsExtent(pool: pg.Pool, tenant: string): Promise<NewsExtent> {
  const sql = `select count(*)::int as items, min(published_at)::date::text as from, max(published_at)::date::text as to
    from read.news_items_v1 where ${QUOTABLE}`;
  return (await pool.query<NewsExtent>(sql, [tenant])).rows[0]!;
}

/**
 * The condition for a quotation: the news name the country, or one of the products by its code, a part of it, or its
 * parent.
 */
export type NewsAbout = { country?: string | undefined; products?: readonly string[] };

/** The newest events that match, verbatim from their texts; those whose text is no longer stored are left out. */
export async function newsOn(
  { pool, objects }: { pool: pg.Pool; objects: Pick<Objects, "get"> },
  { tenant, country, products = [], limit }: NewsAbout & { tenant: string; limit: number },
): Promise<Quoted[]> {
  type Row = Omit<Quoted, "quote" | "untrusted"> & {
    text_sha256: string;
    span_from: number;
    span_to: number;
  };
  const values: unknown[] = [tenant, limit];
  const given = (value: unknown) => `$${values.push(value)}`;
  const named: string[] = [];
  if (country !== undefined) named.push(`countries @> array[${given(country)}]`);
  if (products.length > 0)
    named.push(`exists (select from unnest(hs) code, unnest(${given(products)}::text[]) asked
      where starts_with(code, asked) or starts_with(asked, code))`);
  if (named.length === 0) return [];
  const sql = `select kind, date::text, to_jsonb(countries) as countries, to_jsonb(hs) as hs, batch_id, item_sha256, confidence, text_sha256, span_from, span_to,
      source, url, ${utc("i.published_at")} as published_at
    from read.news_events_v1 e join read.news_items_v1 i using (tenant, item_sha256, batch_id)
    where ${QUOTABLE} and (${named.join(" or ")}) order by date desc, e.position desc, place limit $2`;
  const { rows } = await pool.query<Row>(sql, values);
  const quoted = await Promise.all(
    rows.map(async ({ text_sha256, span_from, span_to, ...row }) => {
      const bytes = await objects.get(batch.objectOf(row.batch_id, text_sha256));
      return bytes
        ? [{ ...row, quote: bytes.toString().slice(span_from, span_to), untrusted: true as const }]
        : [];
    }),
  );
  return quoted.flat();
}
