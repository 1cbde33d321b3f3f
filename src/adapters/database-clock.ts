/**
 * The clock of all processes of a service: the database's time, read at each heartbeat and continued by this machine's
 * monotonic clock. So a machine with a wrong or jumping clock neither decides nor records by it.
 */
import type pg from "pg";
import type { Clock } from "../core/model/ports/clock.ts";

/** The database's Unix time, and between which moments of the monotonic clock it was true. */
export type TimeReading = { now_ms: number; sent_at: number; received_at: number };

export type DatabaseClock = Clock & {
  /** Reads the database's time again. */
  ask(): Promise<void>;
  /** Follows a reading that came with another query. */
  follow(reading: TimeReading): void;
};

/** Rejects when the database cannot be queried. `steady`: milliseconds of a monotonic clock. */
export async function databaseClock(
  pool: Pick<pg.Pool, "query">,
  steady: () => number = () => performance.now(),
): Promise<DatabaseClock> {
  /** The database's Unix time in milliseconds minus the monotonic clock. */
  let ahead: number | undefined;
  const follow = ({ now_ms, sent_at, received_at }: TimeReading) => {
    // The answer was true at some moment of the query, so each query narrows the offset, however slow it was.
    const [least, most] = [now_ms - received_at, now_ms - sent_at];
    ahead = ahead === undefined ? (least + most) / 2 : Math.min(Math.max(ahead, least), most);
  };
  const ask = async () => {
    const sent_at = steady();
    const { rows } = await pool.query<{ ms: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
    );
    follow({ now_ms: rows[0]!.ms, sent_at, received_at: steady() });
  };
  await ask();
  return { now: () => new Date(steady() + ahead!), ask, follow };
}
