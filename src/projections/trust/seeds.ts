/** What the operator has given, as it stands now. */
import type pg from "pg";

/** `event_id`: of the TrustSeeded that counts. */
export type SeedRow = { sx_number: number; points_micro: number; reason: string; event_id: string };

/** The seeds that count now, ascending by number; one that was taken back is none. */
export async function liveSeeds(pool: pg.Pool): Promise<SeedRow[]> {
  const sql = `select sx as sx_number, points as points_micro, reason, event_id
    from read.trust_seeds_v3 where valid_to is null and points > 0 order by sx`;
  return (await pool.query<SeedRow>(sql)).rows;
}
