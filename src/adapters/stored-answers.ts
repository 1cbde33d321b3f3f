/** Stores answers in Postgres for a day, so that every process repeats the same one. */
import type pg from "pg";
import type { StoredAnswer, StoredAnswers } from "../core/model/ports/answers.ts";

/** Larger bodies are computed again. */
export const KEPT_BODY_LIMIT = 1024 * 1024;

const KEPT_FOR = "interval '24 hours'";
const SWEEP_MS = 600_000;
const SWEEP_AT_ONCE = 10_000;
/** Limits of one batched write: answers, and their bytes. */
const WRITE_AT_ONCE = 256;
const BYTES_AT_ONCE = 8 * KEPT_BODY_LIMIT;

type PendingWrite = { name: string; answer: StoredAnswer; done(): void; fail(error: unknown): void };

/** During a write, further answers gather into the next batch. */
export function createStoredAnswers(pool: pg.Pool): StoredAnswers {
  const gathered: PendingWrite[] = [];
  let writing = false;
  let sweepAt = 0;

  function takeSome(): PendingWrite[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(gathered.length, WRITE_AT_ONCE); count++) {
      bytes += gathered[count]!.answer.body?.length ?? 0;
      if (count > 0 && bytes > BYTES_AT_ONCE) break;
    }
    return gathered.splice(0, count);
  }

  async function write(): Promise<void> {
    writing = true;
    while (gathered.length > 0) {
      const some = takeSome();
      await insert(pool, some).then(
        () => {
          for (const { done } of some) done();
        },
        (error) => {
          for (const { fail } of some) fail(error);
        },
      );
    }
    writing = false;
  }

  /** Deletes all expired answers now and then, in batches: more may arrive than one batch holds. */
  async function sweep(): Promise<void> {
    if (performance.now() < sweepAt) return;
    sweepAt = performance.now() + SWEEP_MS;
    const sql = `delete from access.kept_answers where name in
      (select name from access.kept_answers where kept_at < now() - ${KEPT_FOR} limit ${SWEEP_AT_ONCE})`;
    let deleted: number | null;
    do deleted = (await pool.query(sql)).rowCount;
    while (deleted === SWEEP_AT_ONCE);
  }

  return {
    find: async (name) => {
      const text = `select request_sha256, status, body, payment_id, to_json(coalesce(subjects, '{}')) as subjects from access.kept_answers
        where name = $1 and kept_at > now() - ${KEPT_FOR}`;
      const { rows } = await pool.query<StoredAnswer & { subjects: string[] }>({
        name: "kept_answer",
        text,
        values: [name],
      });
      return rows[0];
    },
    keep: async (name, answer, subjects = []) => {
      if (answer.body && answer.body.length > KEPT_BODY_LIMIT) return;
      sweep().catch(() => undefined);
      if (subjects.length > 0) return keepPersonal(pool, name, answer, subjects);
      return new Promise((done, fail) => {
        gathered.push({ name, answer, done, fail });
        if (!writing) void write();
      });
    },
    forget: async (subject_id) => {
      const sql = "select access.forget_subject($1) as forgotten";
      return (await pool.query<{ forgotten: number }>(sql, [subject_id])).rows[0]!.forgotten;
    },
  };
}

/** Written alone, because it checks whether a subject was erased meanwhile. */
async function keepPersonal(
  pool: pg.Pool,
  name: string,
  { request_sha256, status, body, payment_id }: StoredAnswer,
  subjects: readonly string[],
): Promise<void> {
  const text = "select access.keep_personal_answer($1, $2, $3, $4, $5, $6)";
  const values = [name, request_sha256, status, body, payment_id, subjects];
  await pool.query({ name: "keep_personal_answer", text, values });
}

/** A name twice in one statement would fail, so the last one counts. Sorted names prevent deadlocks. */
async function insert(pool: pg.Pool, some: PendingWrite[]): Promise<void> {
  const byName = new Map(some.map(({ name, answer }) => [name, answer]));
  const rows = [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = `insert into access.kept_answers (name, request_sha256, status, body, payment_id)
    select * from unnest($1::text[], $2::text[], $3::int[], $4::bytea[], $5::text[])
    on conflict (name) do update set request_sha256 = excluded.request_sha256, status = excluded.status,
      body = excluded.body, payment_id = excluded.payment_id, subjects = null, kept_at = now()`;
  const values = [
    rows.map(([name]) => name),
    rows.map(([, { request_sha256 }]) => request_sha256),
    rows.map(([, { status }]) => status),
    rows.map(([, { body }]) => body),
    rows.map(([, { payment_id }]) => payment_id),
  ];
  await pool.query({ name: "keep_answers", text, values });
}
