/** The service on the operator's own database, with separate roles for the log's owner and the application. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect } from "vitest";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { reserveExecutions } from "../../src/projections/skills/executions.ts";
import { startService } from "./service.ts";

export async function twoRolesStory(ownerUrl: string): Promise<void> {
  const appUrl = await withLogin(ownerUrl, `app_${randomBytes(4).toString("hex")}`);
  const service = await startService({ database_url: appUrl, env: { DATABASE_OWNER_URL: ownerUrl } });
  try {
    expect(service.logged.filter(({ msg }) => String(msg).includes("could alter the log"))).toEqual([]);
    const mine = await service.issue({ daily: 5 });
    const since = `${service.url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z`;
    const feed = await fetch(since, { headers: mine.headers });
    expect(feed.status).toBe(200);
    expect(await feed.text()).toContain(mine.key_id);
    expect((await verifyDatabase(service.app.pool, MAIN_LOG)).ok).toBe(true);
    // Only the owner can read the applied migrations.
    const { rows: closed } = await service.app.pool.query(
      `select nspname from pg_namespace where nspname !~ '^(pg_|information_schema$|tallystick$)' and not has_schema_privilege(oid, 'usage')
       union all select oid::regclass::text from pg_class where relkind = 'r' and relname <> 'migrations' and not has_table_privilege(oid, 'select')
         and relnamespace in (select oid from pg_namespace where nspname !~ '^(pg_|information_schema$|tallystick$)')`,
    );
    expect(closed).toEqual([]);
    expect(await reserveExecutions(service.app.pool, "acme", { ids: ["one"], most: 1 })).toBe(true);
    for (const forbidden of [
      "update eventstore.events set payload = '\\x7b7d'",
      "delete from eventstore.events",
      "truncate eventstore.events",
      "insert into eventstore.events select * from eventstore.events",
      "alter table eventstore.events disable trigger all",
      "update eventstore.logs set origin = 'forged'",
    ]) {
      await expect(service.app.pool.query(forbidden), forbidden).rejects.toThrow(
        /permission denied|must be owner/,
      );
    }
  } finally {
    await service.stop();
  }
}

async function withLogin(ownerUrl: string, role: string): Promise<string> {
  const password = randomBytes(12).toString("hex");
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(`create role ${role} login password '${password}'`);
  await owner.end();
  const url = new URL(ownerUrl);
  url.username = role;
  url.password = password;
  return url.href;
}
