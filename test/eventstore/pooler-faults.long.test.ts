/** A pooler that is killed, paused and cut during commits: no event is duplicated, and no answered one lost. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { caller, PROXIED } from "../identity/agents.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { type FaultyPooler, faultyPooler, lacking, type PoolMode } from "./faulty-pooler.ts";

const CALLERS = 8;

describe.each(["session", "transaction"] satisfies PoolMode[])("%s mode", (mode) => {
  const lacks = lacking(mode);
  describe.skipIf(lacks !== undefined)(lacks ? `(skipped: ${lacks})` : "of PgBouncer", () => {
    let database: FreshDatabase;
    let pooler: FaultyPooler;
    let service: Service;

    beforeAll(async () => {
      database = await freshDatabase();
      pooler = await faultyPooler(database.url, mode);
      // The owner migrates past it; in transaction mode sessions bypass it, too.
      const past = { DATABASE_OWNER_URL: database.url };
      const env = {
        ...PROXIED,
        ...past,
        ...(mode === "transaction" && { DATABASE_SESSION_URL: database.url }),
      };
      service = await startService({ database_url: pooler.url, env, reactors: true });
    });
    afterAll(async () => {
      await service?.stop();
      await pooler?.stop();
      await database?.drop();
    });

    const name = () => new URL(database.url).pathname.slice(1);
    const faults: [name: string, happen: () => Promise<void>][] = [
      [
        "is killed and started again",
        async () => {
          await pooler.kill();
          await pooler.start();
        },
      ],
      [
        "drops every connection",
        async () => {
          await pooler.command(`kill ${name()}`, `resume ${name()}`);
        },
      ],
      ["is suspended and goes on", () => pooler.command("suspend", "resume")],
      [
        "is paused and goes on",
        async () => {
          // In session mode it waits until all sessions have ended, and only new clients wait.
          void pooler.command(`pause ${name()}`).catch(() => undefined);
          await until(() => pooler.command(`resume ${name()}`).then(() => true));
        },
      ],
      [
        "loses its connections to the server",
        async () => {
          await service.app.pool
            .query(
              "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
            )
            .catch(() => undefined);
        },
      ],
    ];

    test.each(faults)("that %s while calls commit", async (what, happen) => {
      const count = scaled(60);
      const names = Array.from({ length: count }, (_, n) => `${mode}-${what.replaceAll(" ", "-")}-${n}`);
      const { post } = caller(service.url);
      const waiting = [...names];
      let answered = 0;
      const register = async (agent_id: string) => {
        const answer = await post("/soul/register", { agent_id }).catch(() => undefined);
        return answer?.status === 200;
      };
      const work = async () => {
        for (let agent_id = waiting.pop(); agent_id !== undefined; agent_id = waiting.pop()) {
          const mine = agent_id;
          await until(() => register(mine));
          answered++;
        }
      };
      const working = Promise.all(Array.from({ length: CALLERS }, work));
      await until(() => answered >= count / 4);
      await happen();
      await working;
      expect(await recorded()).toEqual([...names].sort());
      const { position } = await service.app.store.head();
      await until(() => service.app.tail.position >= position);
      expect(await verifyDatabase(service.app.pool, MAIN_LOG)).toMatchObject({ ok: true });

      /** This test's agents in the log, each as often as it was recorded. */
      async function recorded(): Promise<string[]> {
        const ids: string[] = [];
        for (let after = 0; ; ) {
          const page = await service.app.store.readLog({ after, limit: 500 });
          if (page.length === 0) break;
          after = page.at(-1)!.position;
          for (const { type, payload } of page)
            if (type === "AgentRegistered" && names.includes(String(payload.agent_id)))
              ids.push(String(payload.agent_id));
        }
        return ids.sort();
      }
    });
  });
});
