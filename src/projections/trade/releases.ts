/** The releases of datasets: which vintage of each is current, and which ones a snapshot may still ask for. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import type { ReleaseFacts } from "../../domain/trade/dataset.ts";
import * as dataset from "../../domain/trade/dataset.ts";

export type ReleaseRow = Omit<ReleaseFacts, "inputs"> & {
  /** Position of the release in the log. */
  position: number;
};

export const releasesProjection = projection({
  name: "trade_releases",
  version: 1,
  ddl: `
    create table if not exists read.trade_releases_v1 (
      position       bigint primary key,
      dataset        text not null,
      vintage        text not null,
      source         text not null,
      synthetic      boolean not null,
      periods        jsonb not null,
      rows           bigint not null,
      control_totals jsonb not null,
      partitions     jsonb not null,
      replaces       text,
      released_at    timestamptz not null
    );
    create index if not exists trade_releases_v1_dataset on read.trade_releases_v1 (dataset, position desc);`,
  of: [dataset],
  async fold(events, tx) {
    for (const { position, data: facts } of events)
      await tx.query(
        `insert into read.trade_releases_v1 (position, dataset, vintage, source, synthetic, periods, rows,
           control_totals, partitions, replaces, released_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
        [
          position,
          facts.dataset,
          facts.vintage,
          facts.source,
          facts.synthetic,
          JSON.stringify(facts.periods),
          facts.rows,
          JSON.stringify(facts.control_totals),
          JSON.stringify(facts.partitions),
          facts.replaces,
          facts.released_at,
        ],
      );
  },
});

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const COLUMNS = `position::float8 as position, dataset, vintage, source, synthetic, periods,
  rows::float8 as rows, control_totals, partitions, replaces,
  ${utc("released_at")} as released_at`;

/** The newest release of every dataset. */
export async function currentReleases(pool: pg.Pool): Promise<ReleaseRow[]> {
  const sql = `select distinct on (dataset) ${COLUMNS} from read.trade_releases_v1 order by dataset, read.trade_releases_v1.position desc`;
  return (await pool.query<ReleaseRow>(sql)).rows;
}

/** The newest release of one dataset. */
export async function currentRelease(pool: pg.Pool, dataset: string): Promise<ReleaseRow | undefined> {
  const sql = `select ${COLUMNS} from read.trade_releases_v1 r where dataset = $1 order by r.position desc limit 1`;
  return (await pool.query<ReleaseRow>(sql, [dataset])).rows[0];
}

/** A release and when it was replaced; null: it is current. */
export type DatedRelease = ReleaseRow & { replaced_at: string | null };

/** The release of each dataset that was current just before a moment. */
export async function releasesBefore(pool: pg.Pool, moment: Date): Promise<DatedRelease[]> {
  const sql = `select ${COLUMNS}, ${utc("replaced_at")} as replaced_at from (
      select *, lead(r.released_at) over (partition by dataset order by r.position) as replaced_at
      from read.trade_releases_v1 r) r
    where r.released_at < $1 and (r.replaced_at is null or r.replaced_at >= $1)`;
  return (await pool.query<DatedRelease>(sql, [moment])).rows;
}

/** The newest release of a vintage, if it was current at some moment since then. */
export async function keptRelease(
  pool: pg.Pool,
  vintage: string,
  since: Date,
): Promise<DatedRelease | undefined> {
  const sql = `select ${COLUMNS}, ${utc("replaced_at")} as replaced_at from (
      select *, lead(r.released_at) over (partition by dataset order by r.position) as replaced_at
      from read.trade_releases_v1 r) r
    where r.vintage = $1 and (r.replaced_at is null or r.replaced_at >= $2) order by r.position desc limit 1`;
  return (await pool.query<DatedRelease>(sql, [vintage, since])).rows[0];
}

/** When each of these datasets, or this vintage, was first released; the earliest of all, undefined where none was. */
export async function firstReleaseOf(
  pool: pg.Pool,
  of: { datasets: string[] } | { vintage: string },
): Promise<string | undefined> {
  const [column, values] = "vintage" in of ? ["vintage", [of.vintage]] : ["dataset", of.datasets];
  const sql = `select ${utc("min(r.released_at)")} as first from read.trade_releases_v1 r where ${column} = any($1)`;
  return (await pool.query<{ first: string | null }>(sql, [values])).rows[0]?.first ?? undefined;
}

/** Releases of a dataset, newest first; a page of at most `limit` before a position. */
export async function listReleases(
  pool: pg.Pool,
  page: { dataset: string; before?: number; limit: number },
): Promise<ReleaseRow[]> {
  const sql = `select ${COLUMNS} from read.trade_releases_v1 r
    where dataset = $1 and ($2::bigint is null or r.position < $2) order by r.position desc limit $3`;
  return (await pool.query<ReleaseRow>(sql, [page.dataset, page.before ?? null, page.limit])).rows;
}

/** A vintage that is kept; `replaced_at` is null while it is current. */
export type KeptRelease = {
  dataset: string;
  vintage: string;
  released_at: string;
  replaced_at: string | null;
};

/** The releases that were current at some moment since then, whose files must stay; the newest first. */
export const releasesSince = (pool: pg.Pool, since: Date) => keptIn(pool, "read.trade_releases_v1", since);

/** As releasesSince, of a table of releases. */
export async function keptIn(pool: pg.Pool, table: string, since: Date): Promise<KeptRelease[]> {
  const sql = `
    select dataset, vintage, ${utc("released_at")} as released_at, ${utc("replaced_at")} as replaced_at from (
      select *, lead(released_at) over (partition by dataset order by position) as replaced_at from ${table}) r
    where replaced_at is null or replaced_at >= $1 order by r.position desc`;
  return (await pool.query<KeptRelease>(sql, [since])).rows;
}
