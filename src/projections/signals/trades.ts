/** Paper trades, how each ended, and how far releases were evaluated. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import { utc } from "../../core/read-models/times.ts";
import type { PositionedEvent } from "../../core/read-models/typed-events.ts";
import type { Evaluated } from "../../domain/signals/evaluation.ts";
import * as evaluation from "../../domain/signals/evaluation.ts";
import type { Opened } from "../../domain/signals/paper-trade.ts";
import * as trade from "../../domain/signals/paper-trade.ts";

export const signalsProjection = projection({
  name: "signals",
  version: 2,
  ddl: `
    create table if not exists read.paper_trades_v2 (
      position bigint primary key,
      trade_id text not null unique,
      facts    jsonb not null,
      dataset  text not null,
      strategy text not null,
      synthetic boolean not null,
      status   text not null,
      outcome  boolean,
      pnl      double precision,
      ended_at timestamptz,
      ended_by text
    );
    create index if not exists paper_trades_v2_open on read.paper_trades_v2 (dataset) where status = 'open';
    create index if not exists paper_trades_v2_ended on read.paper_trades_v2 (ended_at);
    create index if not exists paper_trades_v2_strategy on read.paper_trades_v2 (strategy, position desc);
    create table if not exists read.signals_evaluated_v2 (
      dataset          text primary key,
      release_position bigint not null,
      facts            jsonb not null
    );`,
  of: [trade, evaluation],
  async fold(events, tx) {
    for (const event of events) await add(tx, event);
  },
});

async function add(
  tx: pg.ClientBase,
  { id, position, ...event }: PositionedEvent<typeof trade | typeof evaluation>,
): Promise<void> {
  const end = (status: string, ...values: unknown[]) =>
    tx.query(
      `update read.paper_trades_v2 set status = $2, outcome = $3, pnl = $4, ended_at = $5, ended_by = $6
       where trade_id = $1`,
      [id, status, ...values],
    );
  switch (event.type) {
    case "SignalsMonthEvaluated":
      return;
    case "PaperTradeOpened": {
      const { dataset, strategy, synthetic } = event.data;
      await tx.query(
        `insert into read.paper_trades_v2 (position, trade_id, facts, dataset, strategy, synthetic, status)
         values ($1, $2, $3, $4, $5, $6, 'open')`,
        [position, id, JSON.stringify(event.data), dataset, strategy, synthetic],
      );
      return;
    }
    case "PaperTradeStopped":
      await end("stopped", null, event.data.pnl, event.data.stopped_at, event.data.vintage);
      return;
    case "PaperTradeClosed":
      await end("closed", event.data.outcome, event.data.pnl, event.data.closed_at, event.data.vintage);
      return;
    case "PaperTradeExpired":
      await end("expired", null, null, event.data.expired_at, null);
      return;
    case "SignalsEvaluated":
      await tx.query(
        `insert into read.signals_evaluated_v2 values ($1, $2, $3) on conflict (dataset) do update
         set release_position = excluded.release_position, facts = excluded.facts`,
        [event.data.dataset, event.data.release_position, JSON.stringify(event.data)],
      );
  }
}

export type Release = { dataset: string; vintage: string; position: number; released_at: string };

/** The newest release of each trade dataset and of the tables of these names that was not evaluated. */
export async function unevaluated(pool: pg.Pool, tables: readonly string[]): Promise<Release[]> {
  const newest = (from: string) =>
    `select distinct on (r.dataset) r.dataset, r.vintage, r.position, ${utc("r.released_at")} as released_at from ${from} r order by r.dataset, r.position desc`;
  const sql = `
    select dataset, vintage, position::float8 as position, released_at from (
      (${newest("read.trade_releases_v1")}) union all
      (${newest("(select * from read.reference_releases_v1 where dataset = any($1))")})) newest
    where not exists (select from read.signals_evaluated_v2 e
      where e.dataset = newest.dataset and e.release_position >= newest.position)
    order by position`;
  return (await pool.query<Release>(sql, [tables])).rows;
}

/** The release of a table's vintage, the newest of it. */
export async function releaseOfTable(pool: pg.Pool, vintage: string): Promise<Release | undefined> {
  const sql = `select r.dataset, r.vintage, r.position::float8 as position, ${utc("r.released_at")} as released_at
    from read.reference_releases_v1 r where r.vintage = $1 order by r.position desc limit 1`;
  return (await pool.query<Release>(sql, [vintage])).rows[0];
}

/** Open ones of a dataset, in the order of their opening. */
export async function openTrades(pool: pg.Pool, dataset: string): Promise<Opened[]> {
  const sql = `select facts from read.paper_trades_v2 where dataset = $1 and status = 'open' order by position`;
  return (await pool.query<{ facts: Opened }>(sql, [dataset])).rows.map(({ facts }) => facts);
}

/** Open ones whose last day is before a day. */
export async function nextOverdue(pool: pg.Pool): Promise<string | null> {
  const sql = `select min(facts->>'decides_by') as day from read.paper_trades_v2 where status = 'open'`;
  return (await pool.query<{ day: string | null }>(sql)).rows[0]!.day;
}

export async function overdueTrades(pool: pg.Pool, day: string): Promise<string[]> {
  const sql = `select trade_id from read.paper_trades_v2
    where status = 'open' and facts->>'decides_by' < $1 order by position limit 500`;
  return (await pool.query<{ trade_id: string }>(sql, [day])).rows.map(({ trade_id }) => trade_id);
}

export type TradeRow = Opened & {
  position: number;
  status: "open" | "stopped" | "closed" | "expired";
  outcome: boolean | null;
  pnl: number | null;
  ended_at: string | null;
  ended_by: string | null;
};

type Filter = {
  allow_synthetic: boolean;
  status?: string | undefined;
  strategy?: string | undefined;
  before?: number | null;
  /** Ended at or after this moment. */
  since?: Date | undefined;
  limit: number;
};

/** The newest first; synthetic trades only with `allow_synthetic`. */
export async function listTrades(pool: pg.Pool, filter: Filter): Promise<TradeRow[]> {
  const { allow_synthetic, status = null, strategy = null, before = null, since = null, limit } = filter;
  const sql = `select t.position::float8 as position, facts, status, outcome, pnl, ${utc("t.ended_at")} as ended_at, ended_by
    from read.paper_trades_v2 t
    where ($1 or not synthetic) and ($2::text is null or status = $2) and ($3::text is null or strategy = $3)
      and ($4::bigint is null or t.position < $4) and ($5::timestamptz is null or t.ended_at >= $5)
    order by t.position desc limit $6`;
  type Row = Omit<TradeRow, keyof Opened> & { facts: Opened };
  const { rows } = await pool.query<Row>(sql, [allow_synthetic, status, strategy, before, since, limit]);
  return rows.map(({ facts, ...row }) => ({ ...facts, ...row }));
}

/** A strategy's results, for the trades of one version and one kind of data. */
export type StrategyResult = {
  strategy: string;
  version: number;
  synthetic: boolean;
  open: number;
  ended: number;
  won: number;
  decided: number;
  pnl: number;
  brier: number | null;
  line_brier: number | null;
};

/** Results of trades that ended since a moment, or ever; `open` is as of now. */
export async function strategyResults(
  pool: pg.Pool,
  { since, allow_synthetic }: { since: Date | null; allow_synthetic: boolean },
): Promise<StrategyResult[]> {
  const error = (of: string) =>
    `avg(((facts->>'${of}')::float8 - outcome::int) ^ 2) filter (where ${closed})`;
  const isPast = "($1::timestamptz is null or ended_at >= $1)";
  const closed = `status = 'closed' and ${isPast}`;
  const ended = `status in ('closed', 'stopped') and ${isPast}`;
  const sql = `select strategy, (facts->>'version')::int as version, synthetic,
      count(*) filter (where status = 'open')::int as open,
      count(*) filter (where ${ended})::int as ended,
      count(*) filter (where ${ended} and pnl > 0)::int as won,
      count(*) filter (where ${closed})::int as decided,
      coalesce(sum(pnl) filter (where ${ended}), 0) as pnl,
      ${error("p")} as brier, ${error("line")} as line_brier
    from read.paper_trades_v2 where $2 or not synthetic group by 1, 2, 3 order by 1, 2, 3`;
  return (await pool.query<StrategyResult>(sql, [since, allow_synthetic])).rows;
}

export type Decile = { from: number; n: number; mean_p: number; share_true: number };

/** The share of true statements, by the strategies' probabilities in tenths. */
export async function calibration(
  pool: pg.Pool,
  of: { strategy: string; version: number; synthetic: boolean },
): Promise<Decile[]> {
  const sql = `select least(9, floor((facts->>'p')::float8 * 10))::int / 10.0::float8 as from, count(*)::int as n,
      avg((facts->>'p')::float8) as mean_p, avg(outcome::int)::float8 as share_true
    from read.paper_trades_v2
    where status = 'closed' and strategy = $1 and (facts->>'version')::int = $2 and synthetic = $3
    group by 1 order by 1`;
  return (await pool.query<Decile>(sql, [of.strategy, of.version, of.synthetic])).rows;
}

/** The last evaluation of each dataset, with synthetic ones on request. */
export async function evaluations(pool: pg.Pool, allow_synthetic: boolean): Promise<Evaluated[]> {
  const sql = `select facts from read.signals_evaluated_v2
    where $1 or not (facts->>'synthetic')::boolean order by dataset`;
  return (await pool.query<{ facts: Evaluated }>(sql, [allow_synthetic])).rows.map(({ facts }) => facts);
}
