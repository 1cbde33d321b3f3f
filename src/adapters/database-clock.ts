/**
 * The clock of all processes of a service: the database's time, read now and then and continued by this machine's
 * monotonic clock. So a machine with a wrong or jumping clock neither decides nor records by it.
 */
import type pg from "pg";
import type { Clock } from "../core/model/ports/clock.ts";

export type DatabaseClock = Clock & {
  /** Reads the database's time again. */
  ask(): Promise<void>;
  close(): void;
};

const EVERY_MS = 10_000;

/** Rejects when the database cannot be queried. `steady`: milliseconds of a monotonic clock. */
export async function databaseClock(
  pool: Pick<pg.Pool, "query">,
  steady: () => number = () => performance.now(),
): Promise<DatabaseClock> {
  /** The database's Unix time in milliseconds minus the monotonic clock. */
  let ahead: number | undefined;
  const ask = async () => {
    const before = steady();
    const { rows } = await pool.query<{ ms: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
    );
    const { ms } = rows[0]!;
    // The answer was true at some moment of the query, so each query narrows the offset, however slow it was.
    const [least, most] = [ms - steady(), ms - before];
    ahead = ahead === undefined ? (least + most) / 2 : Math.min(Math.max(ahead, least), most);
  };
  await ask();
  // A failed query is retried at the next interval.
  const timer = setInterval(() => void ask().catch(() => undefined), EVERY_MS);
  timer.unref();
  return {
    now: () => new Date(steady() + ahead!),
    ask,
    close: () => clearInterval(timer),
  };
}
