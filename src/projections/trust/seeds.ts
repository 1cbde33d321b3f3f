import type pg from "pg";

/** `event_id` is the TrustSeeded event in force. */
export type SeedRow = { sx_number: number; points_micro: number; reason: string; event_id: string };

/** Ascending by number, without withdrawn seeds. */
export async function liveSeeds(pool: pg.Pool): Promise<SeedRow[]> {
  const sql = `select sx as sx_number, points as points_micro, reason, event_id
    from read.trust_seeds_v3 where valid_to is null and points > 0 order by sx`;
  return (await pool.query<SeedRow>(sql)).rows;
}
