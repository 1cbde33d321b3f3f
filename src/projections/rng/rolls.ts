/** Queries over rolls: one by its id, a tenant's, and the distribution of their numbers. */
import type pg from "pg";
import type { DrawnFacts } from "../../domain/rng/roll.ts";
import type { Space } from "../../domain/rng/seeds.ts";
import { CELLS, type Cell, shareOf } from "../../domain/rng/statistics.ts";

export async function findRoll(pool: pg.Pool, rollId: string): Promise<DrawnFacts | undefined> {
  const sql = "select facts from read.rng_rolls_v3 where roll_id = $1";
  return (await pool.query<{ facts: DrawnFacts }>(sql, [rollId])).rows[0]?.facts;
}

export type ListedRoll = { position: number; facts: DrawnFacts };

/** A page ends once it reaches this size: a roll may list a thousand items. */
const LONG_PAGE_BYTES = 1_000_000;

/** A tenant's rolls and bets, newest first, before a position; at least one, and whether there are more. */
export async function listRolls(
  pool: pg.Pool,
  page: { tenant: string; before: number | null; limit: number },
): Promise<{ rolls: ListedRoll[]; more: boolean }> {
  const sql = `
    select position::float8 as position, facts, found::int as found
      from (select *, count(*) over () as found,
                   sum(octet_length(facts::text)) over (order by position desc) - octet_length(facts::text) as above
              from (select position, facts from read.rng_rolls_v3
                     where tenant = $1 and ($2::bigint is null or position < $2)
                     order by position desc limit $3 + 1) next) measured
     where above < $4 order by measured.position desc limit $3`;
  const values = [page.tenant, page.before, page.limit, LONG_PAGE_BYTES];
  const { rows } = await pool.query<ListedRoll & { found: number }>(sql, values);
  return { rolls: rows, more: (rows[0]?.found ?? 0) > rows.length };
}

export type Counts = { game: string; rolls: number; cells: Cell[] };

/** The number of rolls of each game since a day, and the distribution of their first numbers. */
export async function countsSince(pool: pg.Pool, space: Space, day: string): Promise<Counts[]> {
  const { rows } = await pool.query<CountRow & { game: string }>(
    `select game, outcomes::float8 as outcomes, rolls::float8 as rolls, to_jsonb(observed) as observed
       from read.rng_counts_v3 where space = $1 and day >= $2 order by game, day, outcomes`,
    [space, day],
  );
  return [...new Set(rows.map(({ game }) => game))].map((game) =>
    countsOf(
      game,
      rows.filter((row) => row.game === game),
    ),
  );
}

/** Rolls of a day whose first number was one of so many `outcomes`. */
type CountRow = { outcomes: number; rolls: number; observed: number[] };

const countsOf = (game: string, counts: readonly CountRow[]): Counts => ({
  game,
  rolls: counts.reduce((sum, { rolls }) => sum + rolls, 0),
  cells: Array.from({ length: CELLS }, (_, cell) => ({
    observed: counts.reduce((sum, { observed }) => sum + observed[cell]!, 0),
    expected: counts.reduce((sum, { rolls, outcomes }) => sum + rolls * shareOf(cell, outcomes), 0),
  })),
});
