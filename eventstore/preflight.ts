/**
 * Databases that speak Postgres' protocol differ in locks, so each start tests them. A broken advisory lock would silently give
 * one position to two appends.
 */
import { randomBytes, randomInt } from "node:crypto";
import pg from "pg";

/** `lock`: two keys that no other start uses. */
type Sessions = { one: pg.Client; other: pg.Client; lock: string };

export type EngineCheck = {
  name: string;
  /** The reason as a clause; undefined where it passes. A failed query is a reason too. */
  ask(sessions: Sessions): Promise<string | undefined>;
};

export class EngineUnfit extends Error {
  override readonly name = "EngineUnfit";
}

/** Reserved for this test. */
const LOCKS = 1413565518;
/** For a lock that must not be granted. */
const LOCK_NOT_AVAILABLE = "55P03";
const LOCK_WAIT = "5ms";
const CLOCK_APART_MS = 60_000;
const WAIT_MS = 5_000;
/** FIPS 180-4, appendix. */
const SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/** Reads come first: a database in recovery rejects the writes. */
export const engineChecks: readonly EngineCheck[] = [
  {
    name: "recovery",
    ask: async ({ one }) =>
      (await answerOf<boolean>(one, "select pg_is_in_recovery() as value"))
        ? "it is in recovery, a standby that takes no appends: name its primary"
        : undefined,
  },
  {
    name: "clock",
    ask: async ({ one }) => {
      const sql = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as value";
      const apart_ms = Math.abs((await answerOf<number>(one, sql)) - Date.now());
      if (apart_ms <= CLOCK_APART_MS) return undefined;
      return `its clock and this machine's are ${Math.round(apart_ms / 1000)} s apart: set both by NTP`;
    },
  },
  {
    name: "sha256",
    ask: async ({ one }) => {
      const sql = "select encode(sha256('abc'::bytea), 'hex') as value";
      return (await answerOf<string>(one, sql)) === SHA256_OF_ABC ? undefined : "its sha256 is not SHA-256";
    },
  },
  {
    name: "plpgsql",
    ask: async ({ one }) => {
      await one.query("do language plpgsql 'begin perform 1; end'");
      return undefined;
    },
  },
  {
    name: "set on functions",
    ask: async ({ one }) => {
      const name = nameOnce();
      const set = await undone(one, async () => {
        await one.query(`create function pg_temp.${name}() returns text language sql set work_mem = '1234kB'
          as $$ select current_setting('work_mem') $$`);
        return answerOf<string>(one, `select pg_temp.${name}() as value`);
      });
      return set === "1234kB" ? undefined : "`set` on a function has no effect within it";
    },
  },
  {
    name: "advisory locks",
    ask: ({ one, other, lock }) =>
      undone(one, async () => {
        await one.query(`select pg_advisory_xact_lock(${lock})`);
        const isHeld = await undone(other, async () => {
          await other.query(`set local lock_timeout = '${LOCK_WAIT}'`);
          return other.query(`select pg_advisory_xact_lock(${lock})`).then(
            () => false,
            (error: pg.DatabaseError) => {
              if (error.code !== LOCK_NOT_AVAILABLE) throw error;
              return true;
            },
          );
        });
        if (isHeld) return undefined;
        return "two connections can have the same advisory lock: two appends would fork the log";
      }),
  },
  {
    name: "read committed",
    ask: async (sessions) => {
      if (await seesWhatItWaitedFor(sessions)) return undefined;
      return "a statement does not see commits made while it waited for a lock; default_transaction_isolation must be read committed";
    },
  },
];

/** A copy may be in recovery, without locks. */
export const readerChecks = engineChecks.filter(({ name }) => name === "clock" || name === "sha256");

/** As in an append: one statement waits for the lock, then reads the holder's commit. */
async function seesWhatItWaitedFor({ one, other, lock }: Sessions): Promise<boolean> {
  const name = nameOnce();
  return undone(other, async () => {
    await other.query(`create function pg_temp.${name}() returns boolean language plpgsql as $$ begin
      perform pg_advisory_xact_lock(${lock});
      return exists(select from pg_catalog.pg_class where relname = '${name}');
    end $$`);
    const other_pid = await answerOf<number>(other, "select pg_backend_pid() as value");
    await one.query("begin");
    await one.query(`select pg_advisory_xact_lock(${lock})`);
    await one.query(`create temp table ${name} ()`);
    let isWaiting = true;
    const counted = answerOf<boolean>(other, `select pg_temp.${name}() as value`).finally(() => {
      isWaiting = false;
    });
    // Awaited below; an earlier failure must not be unhandled.
    counted.catch(() => undefined);
    // Releases the lock only once the other session waits.
    const waits = "select 1 from pg_locks where pid = $1 and locktype = 'advisory' and not granted";
    while (isWaiting && (await one.query(waits, [other_pid])).rowCount === 0);
    await one.query("commit");
    const seen = await counted;
    await one.query(`drop table pg_temp.${name}`);
    return seen;
  });
}

/**
 * Rejects with EngineUnfit, which names the reason, where the engine at `url` cannot guarantee the log's promises. Takes two connections
 * with sessions of their own, and leaves nothing behind.
 */
export async function preflight(
  url: string,
  checks: readonly EngineCheck[] = engineChecks,
  wait_ms = WAIT_MS,
): Promise<void> {
  const [one, other] = [sessionAt(url, wait_ms), sessionAt(url, wait_ms)];
  const lock = `${LOCKS}, ${randomInt(2 ** 31)}`;
  try {
    await Promise.all([one.connect(), other.connect()]);
    for (const { name, ask } of checks) {
      const reason = await ask({ one, other, lock }).catch((error: unknown) => {
        // A broken connection says nothing about the engine.
        if (!(error instanceof pg.DatabaseError)) throw error;
        return error.message;
      });
      if (reason !== undefined)
        throw new EngineUnfit(`the database cannot hold the log (${name}): ${reason}`);
    }
  } finally {
    await Promise.all([one.end(), other.end()]).catch(() => undefined);
  }
}

function sessionAt(connectionString: string, wait_ms: number): pg.Client {
  const session = new pg.Client({
    connectionString,
    application_name: "tallystick preflight",
    connectionTimeoutMillis: wait_ms,
    query_timeout: wait_ms,
  });
  // Queries on a broken connection reject.
  return session.on("error", () => undefined);
}

const nameOnce = () => `tallystick_preflight_${randomBytes(8).toString("hex")}`;

async function answerOf<T>(session: pg.Client, sql: string): Promise<T> {
  const { rows } = await session.query<{ value: T }>(sql);
  return rows[0]!.value;
}

/** The transaction is rolled back. */
async function undone<T>(session: pg.Client, work: () => Promise<T>): Promise<T> {
  await session.query("begin");
  try {
    return await work();
  } finally {
    await session.query("rollback");
  }
}
