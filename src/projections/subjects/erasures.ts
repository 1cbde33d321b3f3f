/** Requested erasures, and their progress. */
import type pg from "pg";
import * as subject from "../../core/model/subject.ts";
import { projection } from "../../core/read-models/projection.ts";

export const erasuresProjection = projection({
  name: "erasures",
  version: 1,
  ddl: `
    create table if not exists read.erasures_v1 (
      subject_id text primary key,
      tenant     text not null,
      position   bigint not null,
      erased_at  text
    );
    create index if not exists erasures_v1_open on read.erasures_v1 (position) where erased_at is null;`,
  of: [subject],
  async fold(events, tx) {
    for (const { type, data, tenant, position } of events)
      if (type === "SubjectErasureRequested")
        await tx.query(
          "insert into read.erasures_v1 (subject_id, tenant, position) values ($1, $2, $3) on conflict do nothing",
          [data.subject_id, tenant, position],
        );
      else
        await tx.query("update read.erasures_v1 set erased_at = $2 where subject_id = $1", [
          data.subject_id,
          data.erased_at,
        ]);
  },
});

export type ErasureRow = { subject_id: string; tenant: string };

/** Erasures that are not concluded, the oldest first. */
export async function openErasures(pool: pg.Pool, limit: number): Promise<ErasureRow[]> {
  const sql =
    "select subject_id, tenant from read.erasures_v1 where erased_at is null order by position limit $1";
  return (await pool.query<ErasureRow>(sql, [limit])).rows;
}

/** All subjects with a requested erasure, page by page. */
export async function* allErasures(pool: pg.Pool, page = 10_000): AsyncGenerator<string[]> {
  const sql = "select subject_id from read.erasures_v1 where subject_id > $1 order by subject_id limit $2";
  for (let after = ""; ; ) {
    const { rows } = await pool.query<{ subject_id: string }>(sql, [after, page]);
    if (rows.length > 0) yield rows.map(({ subject_id }) => subject_id);
    if (rows.length < page) return;
    after = rows.at(-1)!.subject_id;
  }
}

/** The number of sealed values in the log, and of those whose subjects were erased. */
export async function sealedCounts(pool: pg.Pool): Promise<{ values: number; erased: number }> {
  const sql = `select coalesce((select sealed from read.sealed_total_v2), 0) as "values",
      (select coalesce(sum(s.sealed), 0)::bigint from read.erasures_v1 e join read.sealed_values_v2 s using (subject_id)
        where e.erased_at is not null) as erased`;
  return (await pool.query<{ values: number; erased: number }>(sql)).rows[0]!;
}
