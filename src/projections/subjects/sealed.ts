/** The number of sealed values in the log, by subject and in total. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";

export const sealedProjection = projection({
  name: "sealed_values",
  version: 2,
  ddl: `
    create table if not exists read.sealed_values_v2 (
      subject_id text primary key, events bigint not null, sealed bigint not null);
    create table if not exists read.sealed_total_v2 (
      only_row boolean primary key default true check (only_row), sealed bigint not null);`,
  of: "sealed values",
  async fold(events, tx) {
    const counts = new Map<string, { events: number; sealed: number }>();
    for (const { subject_ids } of events) {
      for (const id of subject_ids) countOf(counts, id).sealed++;
      for (const id of new Set(subject_ids)) countOf(counts, id).events++;
    }
    const rows = [...counts];
    await tx.query(
      `insert into read.sealed_values_v2 as known (subject_id, events, sealed)
       select * from unnest($1::text[], $2::bigint[], $3::bigint[])
       on conflict (subject_id) do update set events = known.events + excluded.events, sealed = known.sealed + excluded.sealed`,
      [rows.map(([id]) => id), rows.map(([, count]) => count.events), rows.map(([, count]) => count.sealed)],
    );
    await tx.query(
      `insert into read.sealed_total_v2 as known (sealed) values ($1)
       on conflict (only_row) do update set sealed = known.sealed + excluded.sealed`,
      [rows.reduce((sum, [, { sealed }]) => sum + sealed, 0)],
    );
  },
});

function countOf(counts: Map<string, { events: number; sealed: number }>, id: string) {
  const known = counts.get(id);
  if (known) return known;
  const begun = { events: 0, sealed: 0 };
  counts.set(id, begun);
  return begun;
}

/** The subjects among these with sealed values in events. */
export async function sealedAmong(pool: pg.Pool, subject_ids: readonly string[]): Promise<Set<string>> {
  const sql = "select subject_id from read.sealed_values_v2 where subject_id = any($1::text[])";
  const { rows } = await pool.query<{ subject_id: string }>(sql, [subject_ids]);
  return new Set(rows.map(({ subject_id }) => subject_id));
}

/** Events that hold something sealed for a subject. */
export async function sealedEventsOf(pool: pg.Pool, subject_id: string): Promise<number> {
  const sql = "select events from read.sealed_values_v2 where subject_id = $1";
  return (await pool.query<{ events: number }>(sql, [subject_id])).rows[0]?.events ?? 0;
}
