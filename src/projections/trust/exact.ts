/** Scores as of any position and day, computed for whoever asks: a second of work at most sizes, so one at a time, and kept. */
import type pg from "pg";
import { computeTrust, resultSha256 } from "../../domain/trust/score.ts";
import { dayOf } from "./days.ts";
import { inputAt } from "./evidence.ts";

/** Computations that one key may cause in a UTC day. */
export const EXACT_A_DAY = 10;
/** Computations that are kept. */
const KEPT = 1_000;

/** An agent's own of a computation, and the digest of all; in micro-points. */
export type ExactScore = { score: number; attested: number; result_sha256: string };

/** `computing`: somebody else's is under way; `spent`: the key has had its computations of the day. */
export type Exact = ExactScore | "computing" | "spent";

/** The newest position up to `position` at which evidence moved: until the next one, all computations of a day are the same. */
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

type Asked = { sx: number; position: number; day: number; key_id: string; today: number };

/** An agent's score as of a position where evidence moved. What is kept costs the key nothing. */
export async function exactScore(pool: pg.Pool, asked: Asked): Promise<Exact> {
  const kept = await findKept(pool, asked);
  if (kept) return kept;
  const client = await pool.connect();
  try {
    await client.query("begin");
    const computed = await compute(pool, client, asked);
    await client.query(typeof computed === "string" ? "rollback" : "commit");
    return computed;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** In a transaction that holds the one slot until it ends, and in which the key's count stands or falls with the result. */
async function compute(pool: pg.Pool, tx: pg.ClientBase, asked: Asked): Promise<Exact> {
  const slot = "select pg_try_advisory_xact_lock(hashtext('trust.exact')) as free";
  if (!(await tx.query<{ free: boolean }>(slot)).rows[0]!.free) return "computing";
  // Whoever held the slot before may have computed the same.
  const kept = await findKept(tx, asked);
  if (kept) return kept;
  if (!(await takeCall(tx, asked))) return "spent";
  const { position, day, sx } = asked;
  const result = computeTrust(await inputAt(pool, position, day));
  const told = result.scores.filter(({ score, attested }) => score > 0 || attested > 0);
  const lines = told.map(({ sx: of, score, attested }) => `${of} ${score} ${attested}\n`).join("");
  const result_sha256 = resultSha256(result);
  await tx.query(
    "insert into access.trust_exact (position, day, result_sha256, scores) values ($1, $2, $3, $4)",
    [position, day, result_sha256, lines],
  );
  await tx.query(
    `delete from access.trust_exact where made <=
       (select made from access.trust_exact order by made desc offset $1 limit 1)`,
    [KEPT],
  );
  return { ...ownOf(lines, sx), result_sha256 };
}

async function takeCall(tx: pg.ClientBase, { key_id, today }: Asked): Promise<boolean> {
  await tx.query("delete from access.trust_exact_calls where day < $1", [today]);
  const taken = await tx.query(
    `insert into access.trust_exact_calls as known (key_id, day, calls) values ($1, $2, 1)
     on conflict (key_id, day) do update set calls = known.calls + 1 where known.calls < $3`,
    [key_id, today, EXACT_A_DAY],
  );
  return taken.rowCount === 1;
}

async function findKept(
  of: pg.Pool | pg.ClientBase,
  { position, day, sx }: Asked,
): Promise<ExactScore | undefined> {
  const sql = "select result_sha256, scores from access.trust_exact where position = $1 and day = $2";
  const [row] = (await of.query<{ result_sha256: string; scores: string }>(sql, [position, day])).rows;
  return row && { ...ownOf(row.scores, sx), result_sha256: row.result_sha256 };
}

function ownOf(lines: string, sx: number): { score: number; attested: number } {
  const [, score = "0", attested = "0"] = new RegExp(`^${sx} (\\d+) (\\d+)$`, "m").exec(lines) ?? [];
  return { score: Number(score), attested: Number(attested) };
}
