/**
 * Evidence of tasks, slashes and disputes: the logs of docs/vectors/trust.json, folded by the service's own projection.
 */
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { Folding } from "../../src/core/read-models/folding.ts";
import { trustProjection } from "../../src/projections/trust/trust.ts";
import { type Service, startService } from "../support/service.ts";
import { type LogEvent, logCases, WHOLE } from "./log-vectors.ts";

let service: Service;
let client: pg.PoolClient;
beforeAll(async () => {
  service = await startService();
  client = await service.app.pool.connect();
  await client.query("begin");
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'read' and tablename like 'trust\\_%'",
  );
  await client.query(`truncate ${tables.map(({ name }) => `read.${name}`).join(", ")}`);
});
afterAll(async () => {
  client.release(true);
  await service.stop();
});

/** Folds a log into empty tables in batches of this size; returns its evidence. */
async function evidenceOf(events: readonly LogEvent[], size: number): Promise<unknown[][]> {
  const folding = new Folding(service.app.store.schemas!);
  const recorded = events.map((event) => ({
    ...{ ...event, payload: JSON.parse(event.payload), schema_version: newest(event.type) },
    ...{ event_id: `e${event.position}`, version: 1, meta: {}, event_hash: "" },
  })) as unknown as RecordedEvent[];
  await client.query("savepoint empty");
  try {
    for (let from = 0; from < recorded.length; from += size)
      await folding.of(trustProjection, recorded.slice(from, from + size))?.(client);
    const sql =
      "select kind, sx::int, points::int, day::int from read.trust_evidence_v3 where valid_to is null";
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
    return rows.sort();
  } finally {
    await client.query("rollback to empty");
  }
}

const newest = (type: string) => service.app.store.schemas!.newestVersion(type);

describe("evidence of a log, however it is split into batches", () => {
  test.each(logCases)("%s", async (_, events, evidence) => {
    for (const size of [1, 3, events.length])
      expect(await evidenceOf(events, size)).toEqual([...evidence].sort());
  });
});

test.each(logCases.filter(([name]) => WHOLE.includes(name)))(
  "each event is necessary in %s",
  async (_, events, evidence) => {
    for (const left of events) {
      const fewer = events.filter((event) => event !== left);
      // Only the registration has the agent's number.
      if (left.type === "AgentRegistered") continue;
      expect([left.type, await evidenceOf(fewer, fewer.length)]).not.toEqual([left.type, evidence]);
    }
  },
);
