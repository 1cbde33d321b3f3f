/** Answers kept in Postgres for a day, so that whoever asks again gets the same one from any process. */
import type pg from "pg";
import type { KeptAnswer, KeptAnswers } from "../domain/ports.ts";

export const keptAnswersDdl = `
  create schema if not exists access;
  create table if not exists access.kept_answers (
    name           text primary key,
    request_sha256 text not null,
    status         int not null,
    body           bytea,
    payment_id     text,
    kept_at        timestamptz not null default now()
  );
  create index if not exists kept_answers_kept_at on access.kept_answers (kept_at);`;

/** Bytes of a body that is kept; a larger one is made again. */
export const KEPT_BODY_LIMIT = 1024 * 1024;

const KEPT_FOR = "interval '24 hours'";
const SWEEP_MS = 600_000;

export function createKeptAnswers(pool: pg.Pool): KeptAnswers {
  let sweepAt = 0;

  /** What has had its day is deleted now and then, a little at a time. */
  function sweep(): void {
    if (Date.now() < sweepAt) return;
    sweepAt = Date.now() + SWEEP_MS;
    const sql = `delete from access.kept_answers where name in
      (select name from access.kept_answers where kept_at < now() - ${KEPT_FOR} limit 10000)`;
    pool.query(sql).catch(() => undefined);
  }

  return {
    find: async (name) => {
      const text = `select request_sha256, status, body, payment_id from access.kept_answers
        where name = $1 and kept_at > now() - ${KEPT_FOR}`;
      const { rows } = await pool.query<KeptAnswer>({ name: "kept_answer", text, values: [name] });
      return rows[0];
    },
    keep: async (name, { request_sha256, status, body, payment_id }) => {
      if (body && body.length > KEPT_BODY_LIMIT) return;
      const text = `insert into access.kept_answers (name, request_sha256, status, body, payment_id)
        values ($1, $2, $3, $4, $5) on conflict (name) do update set
          request_sha256 = excluded.request_sha256, status = excluded.status, body = excluded.body, payment_id = excluded.payment_id, kept_at = now()`;
      const values = [name, request_sha256, status, body, payment_id];
      await pool.query({ name: "keep_answer", text, values });
      sweep();
    },
  };
}
