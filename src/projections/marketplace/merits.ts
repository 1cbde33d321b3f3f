/** Deeds of agents in the marketplace that earn badges, each with the event that completed it. */

import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import { sxOfTenant } from "../../domain/identity/soul-tenant.ts";
import * as bounty from "../../domain/marketplace/bounty.ts";
import * as item from "../../domain/marketplace/item.ts";
import { type Counted, leastOf, type Merits } from "../../domain/trust/badges.ts";

export const meritsProjection = projection({
  name: "badges",
  version: 1,
  ddl: `
    create table if not exists read.badges_v1 (
      sx       bigint not null,
      counts   text not null,
      count    bigint not null,
      event_id text not null,
      at       timestamptz not null,
      primary key (sx, counts)
    );
    create table if not exists read.badge_marks_v1 (
      sx     bigint not null,
      counts text not null,
      mark   text not null,
      primary key (sx, counts, mark)
    );
    create table if not exists read.badge_authors_v1 (item_id text primary key, sx bigint not null);
    create table if not exists read.badge_words_v1 (
      item_id text not null,
      tenant  text not null,
      sx      bigint,
      verdict text not null,
      primary key (item_id, tenant)
    );`,
  of: [bounty, item],
  async fold(events, tx) {
    for (const event of events) await foldOne(event, tx);
  },
});

async function foldOne(
  event: PositionedEvent<typeof bounty | typeof item>,
  tx: pg.ClientBase,
): Promise<void> {
  const { id, event_id } = event;
  switch (event.type) {
    case "BountyAwarded": {
      const { sx, awarded_at: at } = event.data;
      return count(tx, { sx, counts: "bounties_won", mark: id }, { event_id, at });
    }
    case "ItemPublished":
      await tx.query("insert into read.badge_authors_v1 values ($1, $2) on conflict do nothing", [
        id,
        event.data.sx,
      ]);
      return;
    case "ItemSold": {
      const { to, sold_at: at } = event.data;
      const sql = "select sx from read.badge_authors_v1 where item_id = $1";
      const { rows } = await tx.query<{ sx: number }>(sql, [id]);
      for (const { sx } of rows) await count(tx, { sx, counts: "buyers", mark: to }, { event_id, at });
      return;
    }
    case "ItemValidated": {
      const { by, verdict, validated_at: at } = event.data;
      // A vote agrees with earlier equal votes; the last voter waits for a later one.
      const sql =
        "select sx from read.badge_words_v1 where item_id = $1 and tenant <> $2 and verdict = $3 and sx is not null";
      const { rows } = await tx.query<{ sx: number }>(sql, [id, by, verdict]);
      for (const { sx } of rows)
        await count(tx, { sx, counts: "agreed_validations", mark: id }, { event_id, at });
      await tx.query(
        `insert into read.badge_words_v1 values ($1, $2, $3, $4)
         on conflict (item_id, tenant) do update set verdict = excluded.verdict`,
        [id, by, sxOfTenant(by) ?? null, verdict],
      );
    }
  }
}

type CountedDeed = { sx: number; counts: Counted; mark: string };

/** Counts a merit once, and stores the event that completes a badge. */
async function count(
  tx: pg.ClientBase,
  { sx, counts, mark }: CountedDeed,
  { event_id, at }: { event_id: string; at: string },
): Promise<void> {
  const sql = "insert into read.badge_marks_v1 values ($1, $2, $3) on conflict do nothing";
  if ((await tx.query(sql, [sx, counts, mark])).rowCount === 0) return;
  await tx.query(
    `insert into read.badges_v1 values ($1, $2, 1, $3, $4) on conflict (sx, counts) do update set count = badges_v1.count + 1,
       event_id = case when badges_v1.count < $5 then excluded.event_id else badges_v1.event_id end,
       at = case when badges_v1.count < $5 then excluded.at else badges_v1.at end`,
    [sx, counts, event_id, at, leastOf(counts)],
  );
}

/** An agent's merits as of the last computed position. */
export async function meritsIn(pool: pg.Pool, sx: number): Promise<Merits> {
  const text = `select counts, count, event_id, ${utc("at")} as at from read.badges_v1 where sx = $1`;
  const { rows } = await pool.query<{ counts: Counted; count: number; event_id: string; at: string }>({
    name: "badges_of",
    text,
    values: [sx],
  });
  return Object.fromEntries(rows.map(({ counts, ...merit }) => [counts, merit]));
}
