/** The releases of reference tables: the current vintage of each, and the files that must stay. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import * as dataset from "../../domain/reference/dataset.ts";
import { storedReleasesIn } from "../trade/releases.ts";

export const referenceProjection = projection({
  name: "reference_releases",
  version: 1,
  ddl: `
    create table if not exists read.reference_releases_v1 (
      position    bigint primary key,
      dataset     text not null,
      vintage     text not null,
      released_at timestamptz not null
    );
    create index if not exists reference_releases_v1_dataset on read.reference_releases_v1 (dataset, position desc);`,
  of: [dataset],
  async fold(events, tx) {
    for (const { position, data } of events)
      await tx.query(
        `insert into read.reference_releases_v1 (position, dataset, vintage, released_at) values ($1, $2, $3, $4)`,
        [position, data.dataset, data.vintage, data.released_at],
      );
  },
});

export type CurrentReference = { dataset: string; vintage: string; released_at: string };

/** The newest release of every table. */
export async function currentReferences(pool: pg.Pool): Promise<CurrentReference[]> {
  const sql = `select distinct on (dataset) dataset, vintage,
      ${utc("released_at")} as released_at
    from read.reference_releases_v1
    order by dataset, position desc`;
  return (await pool.query<CurrentReference>(sql)).rows;
}

/** The last release time of each of these vintages. */
export async function releaseTimes(
  pool: pg.Pool,
  vintages: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const text = `select distinct on (vintage) vintage,
      ${utc("released_at")} as released_at
    from read.reference_releases_v1 where vintage = any($1) order by vintage, position desc`;
  const { rows } = await pool.query<Omit<CurrentReference, "dataset">>(text, [vintages]);
  return new Map(rows.map(({ vintage, released_at }) => [vintage, released_at]));
}

/** The releases that were current at some moment since then, whose files must stay; the newest first. */
export const referencesSince = (pool: pg.Pool, since: Date) =>
  storedReleasesIn(pool, "read.reference_releases_v1", since);
