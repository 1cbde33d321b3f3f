/**
 * A directory walk reads the agents by score as of one computation of the last hour. It stays with that computation, so
 * it shows every agent exactly once.
 */
import type pg from "pg";
import { queriedOnce } from "../../../eventstore/query-batch.ts";
import type { Score } from "../../domain/trust/score.ts";
import type { AgentRow } from "../identity/agents.ts";
import type { ComputedRow } from "./scores.ts";

/** A row per score with its range of computations, by event position; zeros have no row. */
export const ranksDdl = `
    create table if not exists read.trust_ranks_v3 (
      sx         bigint not null,
      score      bigint not null,
      valid_from bigint not null,
      valid_to   bigint,
      primary key (sx, valid_from)
    );
    create index if not exists trust_ranks_v3_order on read.trust_ranks_v3 ((-score), sx);
    create unique index if not exists trust_ranks_v3_now on read.trust_ranks_v3 (sx) where valid_to is null;`;

/** A walk may continue this long after newer scores. */
const WALK_MS = 3_600_000;

const AT = "valid_from <= $1 and (valid_to is null or valid_to > $1)";

const cutoff = (newest: { computed_at: string }) =>
  new Date(Date.parse(newest.computed_at) - WALK_MS).toISOString();

/** Stores the newest computation's scores next to those of running walks; ignores older computations. */
export async function storeRanks(
  tx: pg.ClientBase,
  computed: Pick<ComputedRow, "position" | "computed_at">,
  scores: readonly Score[],
): Promise<void> {
  const { position } = computed;
  const newer = await tx.query("select from read.trust_computed_v3 where kept and position > $1", [position]);
  if (newer.rowCount! > 0) return;
  const ranked = scores.filter(({ score }) => score > 0);
  const values = [position, ranked.map(({ sx }) => sx), ranked.map(({ score }) => score)];
  const now = "with now as (select * from unnest($2::bigint[], $3::bigint[]) as n (sx, score))";
  await tx.query(
    `${now} update read.trust_ranks_v3 r set valid_to = $1
     where valid_to is null and not exists (select from now where now.sx = r.sx and now.score = r.score)`,
    values,
  );
  await tx.query(
    `${now} insert into read.trust_ranks_v3 (sx, score, valid_from) select sx, score, $1 from now
     where not exists (select from read.trust_ranks_v3 r where r.sx = now.sx and valid_to is null)`,
    values,
  );
  await tx.query(
    `delete from read.trust_ranks_v3 where valid_to <=
       (select max(position) from read.trust_computed_v3 where computed_at < $1)`,
    [cutoff(computed)],
  );
}

export async function isWalkable(pool: pg.Pool, position: number, newest: ComputedRow): Promise<boolean> {
  const sql = `select ($1 = 0 or exists (select from read.trust_computed_v3 where position = $1))
      and not exists (select from read.trust_computed_v3 where position > $1 and computed_at < $2) as walkable`;
  const { rows } = await pool.query<{ walkable: boolean }>(sql, [position, cutoff(newest)]);
  return rows[0]!.walkable;
}

/** The first computation of a walk, the last agent shown, and the next page's size. */
export type Walk = { position: number; after?: { score: number; sx: number } | undefined; limit: number };

export type RankedAgent = AgentRow & { score: number };

/**
 * Agents by falling score, of equal ones the older passport; those without a score last; none revoked. Concurrent
 * queries for the same page share one result.
 */
export const rankedAgents = queriedOnce(
  async (pool, { position, after, limit }: Walk): Promise<readonly RankedAgent[]> => {
    const scored =
      after?.score === 0
        ? []
        : await pool
            .query<RankedAgent>({
              name: "ranked_agents",
              text: `select a.*, r.score from read.trust_ranks_v3 r join read.agents_v2 a on a.sx_number = r.sx
              where ${AT} and a.status <> 'revoked' and (-r.score, r.sx) > ($2::bigint, $3::bigint)
              order by -r.score, r.sx limit $4`,
              values: [position, -(after?.score ?? Number.MAX_SAFE_INTEGER), after?.sx ?? 0, limit],
            })
            .then(({ rows }) => rows);
    if (scored.length === limit) return scored;
    const rest = await pool.query<RankedAgent>({
      name: "unranked_agents",
      text: `select a.*, 0 as score from read.agents_v2 a
      where a.sx_number > $2 and a.status <> 'revoked'
        and not exists (select from read.trust_ranks_v3 where sx = a.sx_number and ${AT})
      order by a.sx_number limit $3`,
      values: [position, after?.score === 0 ? after.sx : 0, limit - scored.length],
    });
    return [...scored, ...rest.rows];
  },
);

/** Scores by number as of a computation; zeros are omitted. */
export async function scoresOf(
  pool: pg.Pool,
  position: number,
  agents: number[],
): Promise<Map<number, number>> {
  const sql = `select sx, score from read.trust_ranks_v3 where ${AT} and sx = any($2)`;
  const { rows } = await pool.query<{ sx: number; score: number }>(sql, [position, agents]);
  return new Map(rows.map(({ sx, score }) => [sx, score]));
}
