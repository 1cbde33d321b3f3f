import { expect, test } from "vitest";
import { freshDatabase } from "./support/database.ts";
import { startService } from "./support/service.ts";
import { twoRolesStory } from "./support/two-roles-story.ts";
import { until } from "./support/until.ts";

test("the application's role can append and read, and change nothing", async () => {
  const database = await freshDatabase();
  await twoRolesStory(database.url);
  await database.drop();
});

test("a single role for both is reported at the start", async () => {
  const service = await startService();
  expect(service.logged.some(({ msg }) => String(msg).includes("could alter the log"))).toBe(true);
  await service.stop();
});

test("LISTEN has its own address, also with a single role", async () => {
  const database = await freshDatabase();
  // The same address twice, distinguished by a parameter that Postgres shows for each connection.
  const DATABASE_SESSION_URL = `${database.url}?application_name=sessions`;
  const service = await startService({ database_url: database.url, env: { DATABASE_SESSION_URL } });
  const listening = async () => {
    const { rows } = await service.app.pool.query<{ name: string }>(
      `select application_name as name from pg_stat_activity where datname = current_database()
        and (query like 'listen%' or query like 'select pg_notify(%')`,
    );
    return rows.map(({ name }) => name);
  };
  await until(async () => (await listening()).length > 0);
  expect(await listening()).toEqual(["sessions"]);
  expect(service.logged.some(({ msg }) => String(msg).includes("could alter the log"))).toBe(true);
  await service.stop();
  await database.drop();
});
