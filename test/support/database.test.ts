import pg from "pg";
import { expect, test } from "vitest";
import { freshDatabase } from "./database.ts";

test("a fresh database is empty and its own", async () => {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const answer = await client.query("select count(*)::int as n from pg_tables where schemaname = 'public'");
  await client.end();
  await database.drop();
  expect(answer.rows).toEqual([{ n: 0 }]);
});
