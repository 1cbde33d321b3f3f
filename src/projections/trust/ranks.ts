/**
 * Agents by their score, as of any computation of the last hour or the newest: what a directory is walked by. Scores move while somebody
 * walks; a walk stays with the computation that it began with, so it misses nobody and shows nobody twice.
 */
import type pg from "pg";
import { queriedOnce } from "../../../eventstore/query-batch.ts";
import type { Score } from "../../domain/trust/score.ts";
import type { AgentRow } from "../identity/agents.ts";
import type { ComputedRow } from "./scores.ts";

/** A row a score that stood from one computation to another, both by the positions of their events; scores of 0 have none. */
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

/** So long a walk goes on after other scores were computed. */
export const WALK_MS = 3_600_000;

const AT = "valid_from <= $1 and (valid_to is null or valid_to > $1)";

const cutoff = (newest: { computed_at: string }) =>
  new Date(Date.parse(newest.computed_at) - WALK_MS).toISOString();

/** Keeps the scores of the newest computation beside those that others may still be walking; of an older one, nothing. */
export async function keepRanks(
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

/** Whether a walk that began with this computation can go on. */
export async function isWalkable(pool: pg.Pool, position: number, newest: ComputedRow): Promise<boolean> {
  const sql = `select ($1 = 0 or exists (select from read.trust_computed_v3 where position = $1))
      and not exists (select from read.trust_computed_v3 where position > $1 and computed_at < $2) as walkable`;
  const { rows } = await pool.query<{ walkable: boolean }>(sql, [position, cutoff(newest)]);
  return rows[0]!.walkable;
}

/** Where a walk stands: the computation it began with, and the last agent that it has shown; and how many come next. */
export type Walk = { position: number; after?: { score: number; sx: number } | undefined; limit: number };

export type Ranked = AgentRow & { score: number };

/**
 * Agents that are not revoked by falling score, of equals the older passport first; after those with a score all others. Many who ask
 * for one page at a moment, as all do who begin, are told what one query finds.
 */
export const rankedAgents = queriedOnce(
  async (pool, { position, after, limit }: Walk): Promise<readonly Ranked[]> => {
    const scored =
      after?.score === 0
        ? []
        : await pool
            .query<Ranked>({
              name: "ranked_agents",
              text: `select a.*, r.score from read.trust_ranks_v3 r join read.agents_v2 a on a.sx_number = r.sx
              where ${AT} and a.status <> 'revoked' and (-r.score, r.sx) > ($2::bigint, $3::bigint)
              order by -r.score, r.sx limit $4`,
              values: [position, -(after?.score ?? Number.MAX_SAFE_INTEGER), after?.sx ?? 0, limit],
            })
            .then(({ rows }) => rows);
    if (scored.length === limit) return scored;
    const rest = await pool.query<Ranked>({
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

/** Scores of these agents as of a computation that can be walked, by number; those of 0 are left out. */
export async function scoresOf(
  pool: pg.Pool,
  position: number,
  agents: number[],
): Promise<Map<number, number>> {
  const sql = `select sx, score from read.trust_ranks_v3 where ${AT} and sx = any($2)`;
  const { rows } = await pool.query<{ sx: number; score: number }>(sql, [position, agents]);
  return new Map(rows.map(({ sx, score }) => [sx, score]));
}
