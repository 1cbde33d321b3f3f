/** The sealed segments of the log, and the retention of their files. */
import type pg from "pg";
import { projection } from "../../core/read-models/projection.ts";
import * as segments from "../../domain/log/segments.ts";

export const segmentsProjection = projection({
  name: "segments",
  version: 1,
  ddl: `
  create table if not exists read.log_segments_v1 (
    from_position bigint primary key,
    facts         jsonb not null
  );`,
  of: [segments],
  async fold(events, tx) {
    for (const { data, id } of events) {
      await tx.query("insert into read.log_segments_v1 values ($1, $2)", [data.from, JSON.stringify(data)]);
      // A restored log may add the file after this.
      await tx.query(
        `insert into objects.large values ($1, $2, 'infinity') on conflict (name) do update set keep_until = 'infinity'`,
        [segments.objectOf(id, data.sha256), data.bytes],
      );
    }
  },
});

/** Segments that begin above `after`, by position; without a limit all of them. */
export async function segmentsAfter(
  pool: pg.Pool,
  { after = 0, limit }: { after?: number | undefined; limit?: number },
): Promise<segments.SealedSegment[]> {
  const text =
    "select facts from read.log_segments_v1 where from_position > $1 order by from_position limit $2";
  const { rows } = await pool.query<{ facts: segments.SealedSegment }>(text, [after, limit ?? null]);
  return rows.map(({ facts }) => facts);
}

/** The segment that begins at a position. */
export async function segmentFrom(pool: pg.Pool, from: number): Promise<segments.SealedSegment | undefined> {
  const [found] = await segmentsAfter(pool, { after: from - 1, limit: 1 });
  return found?.from === from ? found : undefined;
}
