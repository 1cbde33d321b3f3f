import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
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

const COLUMNS = `position::float8 as position, dataset, vintage, source, synthetic, periods,
  rows::float8 as rows, control_totals, partitions, replaces,
  ${utc("released_at")} as released_at`;

export async function currentReleases(pool: pg.Pool): Promise<ReleaseRow[]> {
  const sql = `select distinct on (dataset) ${COLUMNS} from read.trade_releases_v1 order by dataset, read.trade_releases_v1.position desc`;
  return (await pool.query<ReleaseRow>(sql)).rows;
}

/** `replaced_at` null = current. */
export type DatedRelease = ReleaseRow & { replaced_at: string | null };

export async function releasesBefore(pool: pg.Pool, moment: Date): Promise<DatedRelease[]> {
  const sql = `select ${COLUMNS}, ${utc("replaced_at")} as replaced_at from (
      select *, lead(r.released_at) over (partition by dataset order by r.position) as replaced_at
      from read.trade_releases_v1 r) r
    where r.released_at < $1 and (r.replaced_at is null or r.replaced_at >= $1)`;
  return (await pool.query<DatedRelease>(sql, [moment])).rows;
}

/** The newest release of a vintage that was current at some moment since `since`. */
export async function storedRelease(
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

/** The earliest release of these datasets or of this vintage; undefined = never released. */
export async function firstReleaseOf(
  pool: pg.Pool,
  of: { datasets: string[] } | { vintage: string },
): Promise<string | undefined> {
  const [column, values] = "vintage" in of ? ["vintage", [of.vintage]] : ["dataset", of.datasets];
  const sql = `select ${utc("min(r.released_at)")} as first from read.trade_releases_v1 r where ${column} = any($1)`;
  return (await pool.query<{ first: string | null }>(sql, [values])).rows[0]?.first ?? undefined;
}

/** `replaced_at` null = current. */
export type StoredRelease = {
  dataset: string;
  vintage: string;
  released_at: string;
  replaced_at: string | null;
};

/** Files of releases that were current at some moment since `since` must stay; the newest comes first. */
export const releasesSince = (pool: pg.Pool, since: Date) =>
  storedReleasesIn(pool, "read.trade_releases_v1", since);

export async function storedReleasesIn(pool: pg.Pool, table: string, since: Date): Promise<StoredRelease[]> {
  const sql = `
    select dataset, vintage, ${utc("released_at")} as released_at, ${utc("replaced_at")} as replaced_at from (
      select *, lead(released_at) over (partition by dataset order by position) as replaced_at from ${table}) r
    where replaced_at is null or replaced_at >= $1 order by r.position desc`;
  return (await pool.query<StoredRelease>(sql, [since])).rows;
}

export type ListedRelease = { dataset: string; vintage: string; synthetic: boolean; position: number };

/** Newest first; only those whose vintage can still be read. */
export async function releasesBelow(
  pool: pg.Pool,
  { before, limit, since }: { before: number; limit: number; since: Date },
): Promise<ListedRelease[]> {
  const sql = `select dataset, vintage, synthetic, position::float8 as position from (
      select *, lead(r.released_at) over (partition by dataset order by r.position) as replaced_at
      from read.trade_releases_v1 r) r
    where r.position < $1 and (r.replaced_at is null or r.replaced_at >= $3) order by r.position desc limit $2`;
  return (await pool.query<ListedRelease>(sql, [before, limit, since])).rows;
}
