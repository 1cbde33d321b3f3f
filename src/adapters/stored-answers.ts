/** Stores answers in Postgres for a day, so that every process repeats the same one. */
import type pg from "pg";
import { batched } from "../../eventstore/query-batch.ts";
import type { StoredAnswer, StoredAnswers } from "../core/model/ports/answers.ts";

/** Larger bodies are computed again. */
export const KEPT_BODY_LIMIT = 1024 * 1024;

const KEPT_FOR = "interval '24 hours'";
const SWEEP_MS = 600_000;
const SWEEP_AT_ONCE = 10_000;
/** Limits of one batched write: answers, and their bytes. */
const WRITE_AT_ONCE = 256;
const BYTES_AT_ONCE = 8 * KEPT_BODY_LIMIT;

type NamedAnswer = { name: string; answer: StoredAnswer; subjects: readonly string[] };
type PendingWrite = NamedAnswer & { done(): void; fail(error: unknown): void };
type FoundAnswer = StoredAnswer & { subjects: string[] };

const foundAnswer = batched<string, FoundAnswer | undefined>(async (pool, names) => {
  const text = `select name, request_sha256, status, body, payment_id, to_json(coalesce(subjects, '{}')) as subjects
    from access.kept_answers where name = any ($1) and kept_at > now() - ${KEPT_FOR}`;
  const { rows } = await pool.query<FoundAnswer & { name: string }>({
    name: "kept_answers",
    text,
    values: [names],
  });
  const byName = new Map(rows.map(({ name, ...answer }) => [name, answer]));
  return names.map((name) => byName.get(name));
});

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
    find: (name) => foundAnswer(pool, name),
    keep: async (name, answer, subjects = []) => {
      if (answer.body && answer.body.length > KEPT_BODY_LIMIT) return;
      sweep().catch(() => undefined);
      return new Promise((done, fail) => {
        gathered.push({ name, answer, subjects, done, fail });
        if (!writing) void write();
      });
    },
    forget: async (subject_id) => {
      const sql = "select access.forget_subject($1) as forgotten";
      return (await pool.query<{ forgotten: number }>(sql, [subject_id])).rows[0]!.forgotten;
    },
  };
}

/** A name twice in one statement would fail, so the last one counts. Sorted names prevent deadlocks. */
async function insert(pool: pg.Pool, some: readonly NamedAnswer[]): Promise<void> {
  const byName = new Map(some.map((one) => [one.name, one]));
  const rows = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const isPersonal = ({ subjects }: NamedAnswer) => subjects.length > 0;
  const plain = rows.filter((one) => !isPersonal(one));
  const personal = rows.filter(isPersonal);
  if (plain.length > 0) await pool.query({ name: "keep_answers", text: KEEP, values: columnsOf(plain) });
  if (personal.length === 0) return;
  const subjects = personal.map((one) => JSON.stringify(one.subjects));
  const values = [...columnsOf(personal), subjects];
  await pool.query({ name: "keep_personal_answers", text: KEEP_PERSONAL, values });
}

const KEEP = `insert into access.kept_answers (name, request_sha256, status, body, payment_id)
  select * from unnest($1::text[], $2::text[], $3::int[], $4::bytea[], $5::text[])
  on conflict (name) do update set request_sha256 = excluded.request_sha256, status = excluded.status,
    body = excluded.body, payment_id = excluded.payment_id, subjects = null, kept_at = now()`;

/** Checks of each answer whether one of its subjects was erased meanwhile. */
const KEEP_PERSONAL = `select access.keep_personal_answer(name, request_sha256, status, body, payment_id,
    array(select json_array_elements_text(subjects::json)))
  from unnest($1::text[], $2::text[], $3::int[], $4::bytea[], $5::text[], $6::text[])
    as one (name, request_sha256, status, body, payment_id, subjects)`;

const columnsOf = (rows: readonly NamedAnswer[]) => [
  rows.map(({ name }) => name),
  rows.map(({ answer }) => answer.request_sha256),
  rows.map(({ answer }) => answer.status),
  rows.map(({ answer }) => answer.body),
  rows.map(({ answer }) => answer.payment_id),
];
