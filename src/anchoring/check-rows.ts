/**
 * Checks the log's rows against their hashes and columns: the newest commit at the start, and the whole log slice
 * by slice within a day. A row that does not match was edited.
 */
import type pg from "pg";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { hexOfDigest } from "../../eventstore/verify/bytes.ts";
import { LogHashes } from "../../eventstore/verify/hashes.ts";
import { RowChecks } from "../../eventstore/verify/row-checks.ts";
import { type StoredRow, storedPages } from "../../eventstore/verify/stored-rows.ts";
import type { App } from "../core/app.ts";
import { reactor } from "../core/background/reactor.ts";

export type LogTables = Pick<App, "pool" | "store">;

export type RowFault = { position: number; reason: string };

const EVERY_MS = 300_000;
/** A round takes half a day, so that late ticks still finish within a day. */
const TURNS_OF_A_ROUND = 43_200_000 / EVERY_MS;
const LEAST_ROWS = 2_500;

/**
 * Checks the rows after one position up to another: the first mismatch, and the last row read. `onRow` is called
 * with each good row.
 */
export async function checkRange(
  { pool, store }: LogTables,
  after: number,
  to: number,
  onRow?: (row: StoredRow) => void,
): Promise<{ fault?: RowFault; read_to: number }> {
  const { origin } = await store.identity(MAIN_LOG);
  const before = after === 0 ? undefined : await store.headAt(after, MAIN_LOG);
  const previous_log_hash = before
    ? Buffer.from(before.log_hash).toString("hex")
    : hexOfDigest(new LogHashes(origin).genesis);
  const checks = new RowChecks({ origin, first: after + 1, previous_log_hash });
  let read_to = after;
  for await (const page of storedPages(pool, { log_id: MAIN_LOG, after, to }))
    for (const row of page) {
      const reason = checks.fault(row);
      if (reason !== undefined) return { fault: { position: read_to + 1, reason }, read_to };
      read_to++;
      onRow?.(row);
    }
  return { read_to };
}

export async function checkNewestCommit(app: LogTables): Promise<void> {
  const { position } = await app.store.head(MAIN_LOG);
  const { rows } = await app.pool.query<{ position: string }>(
    `select position::text from eventstore.events
      where log_id = $1 and commit_size is not null order by position desc limit 1`,
    [MAIN_LOG],
  );
  const first = Number(rows[0]?.position ?? 1);
  const { fault } = await checkRange(app, first - 1, position);
  if (fault) await keepFault(app.pool, fault);
}

/** Checks the next rows, and restarts after the last. */
async function checkSlice(app: LogTables): Promise<RowFault | undefined> {
  const known = await rowFault(app);
  if (known) return known;
  const { position: head } = await app.store.head(MAIN_LOG);
  const { rows } = await app.pool.query<{ position: number }>(
    "select position::float8 as position from gate.checked_rows_v1 where log_id = $1",
    [MAIN_LOG],
  );
  const reached = rows[0]?.position ?? 0;
  const after = reached >= head ? 0 : reached;
  const to = Math.min(head, after + Math.max(LEAST_ROWS, Math.ceil(head / TURNS_OF_A_ROUND)));
  const { fault, read_to } = await checkRange(app, after, to);
  if (fault) await keepFault(app.pool, fault);
  else
    await app.pool.query(
      `insert into gate.checked_rows_v1 (log_id, position) values ($1, $2)
        on conflict (log_id) do update set position = excluded.position`,
      [MAIN_LOG, read_to],
    );
  return fault;
}

async function keepFault(pool: pg.Pool, { position, reason }: RowFault): Promise<void> {
  await pool.query(
    `insert into gate.checked_rows_v1 (log_id, position, fault_position, fault) values ($1, 0, $2, $3)
      on conflict (log_id) do update set fault_position = excluded.fault_position, fault = excluded.fault`,
    [MAIN_LOG, position, reason],
  );
}

/** Checks a reported row again: a restored row is not a fault. */
export async function rowFault(app: LogTables): Promise<RowFault | undefined> {
  const { rows } = await app.pool.query<{ position: number }>(
    `select fault_position::float8 as position from gate.checked_rows_v1
      where log_id = $1 and fault_position is not null`,
    [MAIN_LOG],
  );
  const [known] = rows;
  if (!known) return undefined;
  const { fault } = await checkRange(app, known.position - 1, known.position);
  if (fault) return fault;
  await app.pool.query(
    "update gate.checked_rows_v1 set fault_position = null, fault = null where log_id = $1 and fault_position = $2",
    [MAIN_LOG, known.position],
  );
  return undefined;
}

export const faultSentence = ({ position, reason }: RowFault): string =>
  `the row at position ${position} does not fit its hashes: ${reason}`;

export const rowsReactor = reactor({
  name: "log-rows",
  every_ms: EVERY_MS,
  memory: () => ({}),
  take: async ({ app }) => {
    const fault = await checkSlice(app);
    if (!fault) return "done";
    app.accepting.suspect();
    return { status: "edited", reason: faultSentence(fault) };
  },
  failures: {
    edited: "a row of the log was edited: nothing is recorded or sold until it is restored",
    failed: "the rows of the log cannot be checked against their hashes; retrying",
  },
  grave: ["edited"],
  resumed: "the rows of the log fit their hashes",
});
