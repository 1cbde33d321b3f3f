/** The stack's current items with sales and buyers' votes, one a row. stack-lists.ts has the queries. */

import type pg from "pg";
import { objectName } from "../../core/model/objects.ts";
import { projection } from "../../core/read-models/projection.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import { sxOfTenant } from "../../domain/identity/soul-tenant.ts";
import * as item from "../../domain/marketplace/item.ts";
import { daysAfter, FOR_EVER, readTexts, setRetention, TAKEN_DOWN } from "./stored-texts.ts";

/** An item's text; null where the operator has taken it down. */
export type ItemText = { title: string; summary: string };

export const stackProjection = projection({
  name: "stack",
  version: 1,
  ddl: `
    create table if not exists read.stack_v1 (
      item_id        text primary key,
      position       bigint not null,
      sx             bigint not null,
      kind           text not null,
      title          text,
      summary        text,
      text_sha256    text not null,
      content_sha256 text not null,
      price_micro    bigint not null,
      sales          int not null default 0,
      works          int not null default 0,
      broken         int not null default 0,
      listed         boolean not null,
      published_at   timestamptz not null,
      words          tsvector generated always as
        (to_tsvector('simple', coalesce(title, '') || ' ' || coalesce(summary, ''))) stored
    );
    create index if not exists stack_v1_newest on read.stack_v1 (position desc) where listed;
    create index if not exists stack_v1_price on read.stack_v1 (price_micro, position desc) where listed;
    create index if not exists stack_v1_author on read.stack_v1 (sx, position desc);
    create index if not exists stack_v1_words on read.stack_v1 using gin (words);
    create table if not exists read.stack_sales_v1 (
      item_id     text not null,
      tenant      text not null,
      price_micro bigint not null,
      sold_at     timestamptz not null,
      event_id    text not null,
      primary key (item_id, tenant)
    );
    create index if not exists stack_sales_v1_newest on read.stack_sales_v1 (sold_at);
    create table if not exists read.stack_verdicts_v1 (
      item_id      text not null,
      tenant       text not null,
      sx           bigint,
      verdict      text not null,
      note_sha256  text,
      validated_at timestamptz not null,
      position     bigint not null,
      event_id     text not null,
      primary key (item_id, tenant)
    );
    create index if not exists stack_verdicts_v1_newest on read.stack_verdicts_v1 (validated_at);
    create index if not exists stack_verdicts_v1_of on read.stack_verdicts_v1 (sx);`,
  of: [item],
  async fold(events, tx) {
    for (const event of events) await foldOne(event, tx);
  },
});

async function foldOne(event: PositionedEvent<typeof item>, tx: pg.ClientBase): Promise<void> {
  const { id: item_id } = event;
  switch (event.type) {
    case "ItemPublished":
      return publish(event, tx);
    case "ItemSold": {
      const { to, price_micro, sold_at } = event.data;
      await tx.query("insert into read.stack_sales_v1 values ($1, $2, $3, $4, $5) on conflict do nothing", [
        item_id,
        to,
        price_micro,
        sold_at,
        event.event_id,
      ]);
      await tx.query("update read.stack_v1 set sales = sales + 1 where item_id = $1", [item_id]);
      return;
    }
    case "ItemValidated":
      return validate(event, tx);
    case "ItemWithdrawn":
      return withdraw(item_id, event.data, tx);
  }
}

async function publish(
  { id: item_id, position, data }: Extract<PositionedEvent<typeof item>, { type: "ItemPublished" }>,
  tx: pg.ClientBase,
): Promise<void> {
  const text = objectName("stack", item_id, data.text_sha256);
  const written = (await readTexts<ItemText>(tx, [text])).get(text);
  await tx.query(
    `insert into read.stack_v1 (item_id, position, sx, kind, title, summary, text_sha256, content_sha256, price_micro, listed, published_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, true, $10) on conflict do nothing`,
    [
      item_id,
      position,
      data.sx,
      data.kind,
      written?.title ?? null,
      written?.summary ?? null,
      data.text_sha256,
      data.content_sha256,
      data.price_micro,
      data.published_at,
    ],
  );
  await setRetention(tx, [
    { name: text, until: FOR_EVER },
    { name: objectName("stack", item_id, data.content_sha256), until: FOR_EVER },
  ]);
}

async function validate(
  { id: item_id, position, event_id, data }: Extract<PositionedEvent<typeof item>, { type: "ItemValidated" }>,
  tx: pg.ClientBase,
): Promise<void> {
  const { by, verdict, note_sha256, validated_at } = data;
  const sx = sxOfTenant(by) ?? null;
  await tx.query(
    `insert into read.stack_verdicts_v1 values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (item_id, tenant) do update set verdict = excluded.verdict, note_sha256 = excluded.note_sha256,
       validated_at = excluded.validated_at, position = excluded.position, event_id = excluded.event_id`,
    [item_id, by, sx, verdict, note_sha256, validated_at, position, event_id],
  );
  await tx.query(
    `update read.stack_v1 set (works, broken) = (select count(*) filter (where verdict = 'works'), count(*) filter (where verdict = 'broken')
       from read.stack_verdicts_v1 where item_id = $1) where item_id = $1`,
    [item_id],
  );
  if (note_sha256 !== null)
    await setRetention(tx, [{ name: objectName("stack", item_id, note_sha256), until: FOR_EVER }]);
}

/** Buyers can still read a withdrawn item for some time; nobody can read one that was taken down. */
async function withdraw(
  item_id: string,
  { by, withdrawn_at }: item.Withdrawn,
  tx: pg.ClientBase,
): Promise<void> {
  if (by === "author") {
    const sql = "update read.stack_v1 set listed = false where item_id = $1 returning content_sha256";
    const { rows } = await tx.query<{ content_sha256: string }>(sql, [item_id]);
    const until = daysAfter(withdrawn_at);
    await setRetention(
      tx,
      rows.map(({ content_sha256 }) => ({ name: objectName("stack", item_id, content_sha256), until })),
    );
    return;
  }
  await tx.query("update read.stack_v1 set listed = false, title = null, summary = null where item_id = $1", [
    item_id,
  ]);
  await tx.query("update objects.small set keep_until = $2 where starts_with(name, $1)", [
    `stack/${item_id}/`,
    TAKEN_DOWN,
  ]);
}
