/** Answers are stored for a day, on a real database. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStoredAnswers, KEPT_BODY_LIMIT } from "../../src/adapters/stored-answers.ts";
import { type FreshDatabase, freshDatabase, makeServiceTables } from "../support/database.ts";

let database: FreshDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await freshDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  await makeServiceTables(database.url);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const answer = { request_sha256: "00", status: 200, body: Buffer.from("answer"), payment_id: null };
const age = (name: string, time: string) =>
  pool.query("update access.kept_answers set kept_at = now() - $2::interval where name = $1", [name, time]);

test("an answer is stored for a day", async () => {
  const answers = createStoredAnswers(pool);
  await answers.keep("a", answer);
  await age("a", "23 hours 59 minutes");
  expect(await answers.find("a")).toEqual({ ...answer, subjects: [] });
  await age("a", "24 hours 1 minute");
  expect(await answers.find("a")).toBeUndefined();
});

test("a body of 1 MiB is stored, a larger one is not", async () => {
  const answers = createStoredAnswers(pool);
  await answers.keep("full", { ...answer, body: Buffer.alloc(KEPT_BODY_LIMIT) });
  await answers.keep("over", { ...answer, body: Buffer.alloc(KEPT_BODY_LIMIT + 1) });
  expect(await answers.find("full")).toBeDefined();
  expect(await answers.find("over")).toBeUndefined();
});

test("expired answers are deleted, however many a day had", async () => {
  await pool.query(`insert into access.kept_answers (name, request_sha256, status, kept_at)
    select 'old ' || n, '00', 200, now() - interval '25 hours' from generate_series(1, 20001) n`);
  await createStoredAnswers(pool).keep("b", answer);
  const left = async () =>
    (await pool.query("select 1 from access.kept_answers where name like 'old %' limit 1")).rowCount;
  await expect.poll(left).toBe(0);
});
