import type pg from "pg";
import { computeTrust, resultSha256 } from "../../domain/trust/score.ts";
import { inputAt } from "./evidence.ts";
import { storeRanks } from "./ranks.ts";
import { type ComputedRow, storeScores } from "./scores.ts";

/** Scores and ranks of each day's last computation, as the reactor stores them; none where the digest is not the log's. */
export async function remakeScores(tx: pg.ClientBase, stored: string): Promise<void> {
  // The reactor stores a computation's scores a moment after its event.
  const { rows } = await tx.query<ComputedRow>(
    `select distinct on (day) c.* from read.trust_computed_v3 c
      where position < (select max(position) from read.trust_computed_v3)
         or exists (select from ${stored}.trust_computed_v3 s where s.position = c.position and s.kept)
      order by day, position desc`,
  );
  for (const computed of rows) {
    const result = computeTrust(await inputAt(tx, computed.as_of_position, computed.day));
    if (resultSha256(result) !== computed.result_sha256) continue;
    await storeScores(tx, computed, result.scores);
    if (computed === rows.at(-1)) await storeRanks(tx, computed, result.scores);
  }
}
