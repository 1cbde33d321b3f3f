/** The service behind a pooler in transaction mode: DATABASE_URL is PgBouncer, and sessions bypass it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { signTick } from "../../src/anchoring/sign-growth.ts";
import { reactorLeases } from "../../src/core/background/reactor.ts";
import { underLease } from "../../src/core/coordination/lease.ts";
import { AT_ONCE } from "../anchoring/anchoring-setup.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { type Pooler, pgbouncer, startPgBouncer } from "../support/pgbouncer.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const POOL = 4;

describe.skipIf(pgbouncer.lacks !== undefined)(
  `behind PgBouncer ${pgbouncer.lacks ? `(skipped: ${pgbouncer.lacks})` : pgbouncer.version}`,
  () => {
    let database: FreshDatabase;
    let pooler: Pooler;
    let services: Service[];

    beforeAll(async () => {
      database = await freshDatabase();
      pooler = await startPgBouncer(database.url, POOL);
      const env = {
        DATABASE_SESSION_URL: `${database.url}?application_name=sessions`,
        DATABASE_OWNER_URL: database.url,
      };
      const first = await startService({ database_url: pooler.url, env, reactors: true });
      services = [first];
      const beside = { data_dir: first.data_dir, database_url: pooler.url };
      services.push(await startService({ beside, env, reactors: true }));
    });
    afterAll(async () => {
      for (const service of services?.toReversed() ?? []) await service.stop();
      await pooler?.stop();
      await database?.drop();
    });

    test("two processes append at the same time, each reads the other's events, and the log verifies", async () => {
      const [one, other] = services as [Service, Service];
      const issued = await Promise.all(
        Array.from({ length: 80 }, (_, n) => services[n % 2]!.issue({ tenant: `t${n}` })),
      );
      expect(new Set(issued.map(({ key_id }) => key_id)).size).toBe(80);
      for (const [n, { headers }] of issued.entries()) {
        const { url } = n % 2 === 0 ? other : one;
        const answer = await fetch(`${url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z`, {
          headers,
        });
        expect(answer.status).toBe(200);
        await answer.body?.cancel();
      }
      expect(await signTick(one.app, AT_ONCE)).toBe("done");
      expect(await verifyDatabase(one.app.pool, MAIN_LOG)).toMatchObject({ ok: true });
    });

    test("one process's notices reach the other by LISTEN, past the pooler", async () => {
      const [one, other] = services as [Service, Service];
      const listening = async () => {
        const { rows } = await one.app.pool.query<{ name: string }>(
          `select distinct application_name as name from pg_stat_activity where datname = current_database()
            and (query like 'listen%' or query like 'select pg_notify(%')`,
        );
        return rows.map(({ name }) => name);
      };
      expect(await listening()).toEqual(["sessions"]);
      const before = (await one.app.store.head()).position;
      await other.issue({ tenant: "news" });
      await until(() => one.app.tail.position > before);
    });

    test("a lease belongs to one process, whatever connection renews it", async () => {
      const [one, other] = services as [Service, Service];
      let within = 0;
      let most = 0;
      const alone = (service: Service) =>
        underLease(reactorLeases(service.app.pool), "pgbouncer-test", async () => {
          most = Math.max(most, ++within);
          await service.app.pool.query("select 1");
          within--;
        });
      const outcomes = await Promise.all(Array.from({ length: 10 }, (_, n) => alone(n % 2 ? one : other)));
      expect(most).toBe(1);
      expect(outcomes.filter((outcome) => outcome !== "taken").length).toBeGreaterThan(0);
    });

    test("the database has no more connections than the pooler, except those that need sessions", async () => {
      const name = new URL(database.url).pathname.slice(1);
      const pools = await pooler.ask<{
        database: string;
        sv_active: string;
        sv_idle: string;
        pool_mode: string;
      }>("show pools");
      const own = pools.find((pool) => pool.database === name)!;
      expect(own.pool_mode).toBe("transaction");
      expect(Number(own.sv_active) + Number(own.sv_idle)).toBeLessThanOrEqual(POOL);
    });
  },
);
