/**
 * The clock by which all processes of a service go: the database's, asked now and then, and carried on by this machine's steady clock,
 * which nobody sets. So a machine whose own clock is wrong, or jumps, neither decides nor records by it.
 */
import type pg from "pg";
import type { Clock } from "../core/model/ports/clock.ts";

export type DatabaseClock = Clock & {
  /** Asks the database once more. */
  ask(): Promise<void>;
  close(): void;
};

const EVERY_MS = 10_000;

/** Opens with the database's time; rejects where that cannot be asked. `steady`: milliseconds of a clock that only goes on. */
export async function databaseClock(
  pool: Pick<pg.Pool, "query">,
  steady: () => number = () => performance.now(),
): Promise<DatabaseClock> {
  /** What the database's time, in milliseconds of Unix time, is ahead of the steady clock. */
  let ahead: number | undefined;
  const ask = async () => {
    const before = steady();
    const { rows } = await pool.query<{ ms: number }>(
      "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms",
    );
    const { ms } = rows[0]!;
    // It was so much at some moment of the asking: what is possible is kept, however slow that was.
    const [least, most] = [ms - steady(), ms - before];
    ahead = ahead === undefined ? (least + most) / 2 : Math.min(Math.max(ahead, least), most);
  };
  await ask();
  // A database that is away is asked again.
  const timer = setInterval(() => void ask().catch(() => undefined), EVERY_MS);
  timer.unref();
  return {
    now: () => new Date(steady() + ahead!),
    ask,
    close: () => clearInterval(timer),
  };
}
