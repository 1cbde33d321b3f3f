/** An exact score takes about a second, so computations run one at a time and are stored. */
import type pg from "pg";
import { computeTrust, resultSha256 } from "../../domain/trust/score.ts";
import { dayOf } from "./days.ts";
import { inputAt } from "./evidence.ts";

/** A key may cause this many computations per UTC day. */
export const EXACT_A_DAY = 10;
/** The most stored computations. */
const MOST_STORED = 1_000;

/** The agent's score in micro-points, and the digest of all scores. */
export type ExactScore = { score: number; attested: number; result_sha256: string };

/** `computing`: another computation is running; `spent`: the key has used its computations of the day. */
export type Exact = ExactScore | "computing" | "spent";

/**
 * The newest position up to `position` that changed evidence: until the next one, all computations of a day are equal.
 */
export async function movedBy(pool: pg.Pool, position: number): Promise<number> {
  const moves = ["edges", "evidence", "seeds", "silence"].flatMap((table) =>
    ["valid_from", "valid_to"].map(
      (column) => `(select max(${column}) from read.trust_${table}_v3 where ${column} <= $1)`,
    ),
  );
  const sql = `select coalesce(greatest(${moves.join(", ")}), 0)::bigint as moved`;
  return (await pool.query<{ moved: number }>(sql, [position])).rows[0]!.moved;
}

/** The UTC day of the event at a position; undefined beyond the log's end. */
export async function dayAt(pool: pg.Pool, position: number): Promise<number | undefined> {
  const sql = "select recorded_at_us from eventstore.events where log_id = 1 and position = $1";
  const [event] = (await pool.query<{ recorded_at_us: number }>(sql, [position])).rows;
  return event && dayOf(event);
}

type ExactQuery = { sx: number; position: number; day: number; key_id: string; today: number };

/** `query.position` must be one that changed evidence. A stored result costs the key nothing. */
export async function exactScore(pool: pg.Pool, query: ExactQuery): Promise<Exact> {
  const stored = await findStored(pool, query);
  if (stored) return stored;
  const client = await pool.connect();
  try {
    await client.query("begin");
    const computed = await compute(pool, client, query);
    await client.query(typeof computed === "string" ? "rollback" : "commit");
    return computed;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** One transaction locks the only slot and counts the key's call together with the result. */
async function compute(pool: pg.Pool, tx: pg.ClientBase, query: ExactQuery): Promise<Exact> {
  const slot = "select pg_try_advisory_xact_lock(hashtext('trust.exact')) as free";
  if (!(await tx.query<{ free: boolean }>(slot)).rows[0]!.free) return "computing";
  // The previous owner of the lock may have computed the same.
  const stored = await findStored(tx, query);
  if (stored) return stored;
  if (!(await takeCall(tx, query))) return "spent";
  const { position, day, sx } = query;
  const result = computeTrust(await inputAt(pool, position, day));
  const nonZero = result.scores.filter(({ score, attested }) => score > 0 || attested > 0);
  const lines = nonZero.map(({ sx: of, score, attested }) => `${of} ${score} ${attested}\n`).join("");
  const result_sha256 = resultSha256(result);
  await tx.query(
    "insert into access.trust_exact (position, day, result_sha256, scores) values ($1, $2, $3, $4)",
    [position, day, result_sha256, lines],
  );
  await tx.query(
    `delete from access.trust_exact where made <=
       (select made from access.trust_exact order by made desc offset $1 limit 1)`,
    [MOST_STORED],
  );
  return { ...ownOf(lines, sx), result_sha256 };
}

async function takeCall(tx: pg.ClientBase, { key_id, today }: ExactQuery): Promise<boolean> {
  await tx.query("delete from access.trust_exact_calls where day < $1", [today]);
  const counted = await tx.query(
    `insert into access.trust_exact_calls as known (key_id, day, calls) values ($1, $2, 1)
     on conflict (key_id, day) do update set calls = known.calls + 1 where known.calls < $3`,
    [key_id, today, EXACT_A_DAY],
  );
  return counted.rowCount === 1;
}

async function findStored(
  of: pg.Pool | pg.ClientBase,
  { position, day, sx }: ExactQuery,
): Promise<ExactScore | undefined> {
  const sql = "select result_sha256, scores from access.trust_exact where position = $1 and day = $2";
  const [row] = (await of.query<{ result_sha256: string; scores: string }>(sql, [position, day])).rows;
  return row && { ...ownOf(row.scores, sx), result_sha256: row.result_sha256 };
}

function ownOf(lines: string, sx: number): { score: number; attested: number } {
  const [, score = "0", attested = "0"] = new RegExp(`^${sx} (\\d+) (\\d+)$`, "m").exec(lines) ?? [];
  return { score: Number(score), attested: Number(attested) };
}
