/** Computations from the log, and the scores of each day's newest one. */
import type pg from "pg";
import { batched, queriedOnce } from "../../../eventstore/query-batch.ts";
import type { Score } from "../../domain/trust/score.ts";

type Database = pg.Pool | pg.ClientBase;

/** A TrustComputed event with its own `position` and `event_id`. */
export type ComputedRow = {
  position: number;
  event_id: string;
  as_of_position: number;
  day: number;
  agents: number;
  edges: number;
  rounds: number;
  result_sha256: string;
  computed_at: string;
};

const COLUMNS = "position, event_id, as_of_position, day, agents, edges, rounds, result_sha256, computed_at";

export async function newestComputed(pool: pg.Pool): Promise<ComputedRow | undefined> {
  const text = `select ${COLUMNS} from read.trust_computed_v3 order by position desc limit 1`;
  return (await pool.query<ComputedRow>({ name: "trust_newest", text })).rows[0];
}

/** The newest day whose last computation has no stored scores: after a crash, or during a rebuild. */
export async function newestUnstored(pool: pg.Pool): Promise<ComputedRow | undefined> {
  // Recursion reads one index entry per day, however many computations it has.
  const sql = `with recursive last as (
      (select * from read.trust_computed_v3 order by day desc, position desc limit 1)
      union all
      select before.* from last, lateral (
        select * from read.trust_computed_v3 where day < last.day order by day desc, position desc limit 1) before)
    select ${COLUMNS} from last where not kept limit 1`;
  return (await pool.query<ComputedRow>(sql)).rows[0];
}

/** Replaces the scores of the day's earlier computation. */
export async function storeScores(
  tx: pg.ClientBase,
  { day, position }: Pick<ComputedRow, "day" | "position">,
  scores: readonly Score[],
): Promise<void> {
  const results = scores.filter(({ score, before, base, attested, penalty }) =>
    [score, before, base, attested, penalty].some((points) => points > 0),
  );
  await tx.query("delete from read.trust_scores_v3 where day = $1", [day]);
  await tx.query(
    `insert into read.trust_scores_v3 (day, sx, score, before, base, attested, penalty)
     select $1, * from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])`,
    [
      day,
      ...(["sx", "score", "before", "base", "attested", "penalty"] as const).map((column) =>
        results.map((one) => one[column]),
      ),
    ],
  );
  await tx.query(
    "update read.trust_computed_v3 set kept = (position = $2) where day = $1 and (kept or position = $2)",
    [day, position],
  );
}

/** The newest stored computation at or before a position; undefined before the first. */
export async function storedAt(
  pool: pg.Pool,
  position = Number.MAX_SAFE_INTEGER,
): Promise<ComputedRow | undefined> {
  const text = `select ${COLUMNS} from read.trust_computed_v3
    where kept and as_of_position <= $1 order by position desc limit 1`;
  return (await pool.query<ComputedRow>({ name: "trust_kept_at", text, values: [position] })).rows[0];
}

/** Concurrent callers share one query. */
export const newestStored = queriedOnce((pool, _: "newest") => storedAt(pool));

/** A stored computation and an agent's score in it; all 0 if it has none. */
export type StoredScore = { computed: ComputedRow; own: Score };

/** One statement reads both: the day's next computation replaces these scores at any time. */
const storedScoresSql = (which: string) => `select c.*, a.sx, ${[
  "score",
  "before",
  "base",
  "attested",
  "penalty",
]
  .map((column) => `coalesce(s.${column}, 0)::bigint as ${column}`)
  .join(", ")}
    from (select ${COLUMNS} from read.trust_computed_v3 where kept and ${which} order by position desc limit 1) c
      cross join unnest($1::bigint[]) with ordinality a (sx, place)
      left join read.trust_scores_v3 s on s.day = c.day and s.sx = a.sx
    order by a.place`;

const storedScoreOf = ({ sx, score, before, base, attested, penalty, ...computed }: ComputedRow & Score) => ({
  computed,
  own: { sx, score, before, base, attested, penalty },
});

/** As storedAt, with the agent's score. */
export async function storedScore(
  of: Database,
  sx: number,
  position = Number.MAX_SAFE_INTEGER,
): Promise<StoredScore | undefined> {
  const { rows } = await of.query<ComputedRow & Score>({
    name: "trust_kept_score",
    text: storedScoresSql("as_of_position <= $2"),
    values: [[sx], position],
  });
  return rows[0] && storedScoreOf(rows[0]);
}

/** As storedScore without a position; concurrent queries are batched. */
export const newestScore = batched(async (pool, agents: readonly number[]) => {
  const { rows } = await pool.query<ComputedRow & Score>({
    name: "trust_newest_scores",
    text: storedScoresSql("true"),
    values: [agents],
  });
  return agents.map((_, at): StoredScore | undefined => rows[at] && storedScoreOf(rows[at]));
});

/** Points 0 to 100 by the newest computation; concurrent queries are batched. */
export const pointsOf = batched(async (pool, agents: readonly number[]) => {
  const text = `select sx::float8 as sx, score::float8 / 1e6 as points from read.trust_scores_v3
    where sx = any($1::bigint[]) and day = (select day from read.trust_computed_v3 where kept order by position desc limit 1)`;
  const { rows } = await pool.query<{ sx: number; points: number }>({
    name: "trust_points",
    text,
    values: [agents],
  });
  const points = new Map(rows.map((row) => [row.sx, row.points]));
  return agents.map((sx) => points.get(sx) ?? 0);
});

/** A snapshot transaction. */
export type Moment = pg.ClientBase;

/** Runs several reads in one snapshot. */
export async function atOneMoment<T>(pool: pg.Pool, read: (moment: Moment) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    const results = await read(client);
    await client.query("commit");
    return results;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** The scores of a day that are not 0, ascending by number. */
export async function scoresOf(moment: Moment, day: number): Promise<Pick<Score, "sx" | "score">[]> {
  const sql = "select sx, score from read.trust_scores_v3 where day = $1 and score > 0 order by sx";
  return (await moment.query<Pick<Score, "sx" | "score">>(sql, [day])).rows;
}

export async function computedAt(pool: pg.Pool, position: number): Promise<ComputedRow | undefined> {
  const text = `select ${COLUMNS} from read.trust_computed_v3 where position = $1`;
  return (await pool.query<ComputedRow>({ name: "trust_computed_at", text, values: [position] })).rows[0];
}

const NOTHING = { score: 0, before: 0, base: 0, attested: 0, penalty: 0 };

/** An agent's score of a day; all 0 if the computation has none. */
export async function scoreOn(pool: pg.Pool, day: number, sx: number): Promise<Score> {
  const text =
    "select sx, score, before, base, attested, penalty from read.trust_scores_v3 where day = $1 and sx = $2";
  const { rows } = await pool.query<Score>({ name: "trust_score_on", text, values: [day, sx] });
  return rows[0] ?? { sx, ...NOTHING };
}

/** Scores in the next-to-last round. */
export async function beforeOn(pool: Database, day: number, agents: number[]): Promise<Map<number, number>> {
  const sql = "select sx, before from read.trust_scores_v3 where day = $1 and sx = any($2)";
  const { rows } = await pool.query<{ sx: number; before: number }>(sql, [day, agents]);
  return new Map(rows.map(({ sx, before }) => [sx, before]));
}

/** A day's last score, with the event of its computation. */
export type DayScore = { day: number; score: number; as_of_position: number; event_id: string };

/** Computed days only, the oldest first. */
export async function scoresBetween(
  pool: pg.Pool,
  sx: number,
  { from, to }: { from: number; to: number },
): Promise<DayScore[]> {
  const sql = `select c.day, coalesce(s.score, 0)::bigint as score, c.as_of_position, c.event_id
    from read.trust_computed_v3 c left join read.trust_scores_v3 s on s.day = c.day and s.sx = $1
    where c.kept and c.day between $2 and $3 order by c.day`;
  return (await pool.query<DayScore>(sql, [sx, from, to])).rows;
}
