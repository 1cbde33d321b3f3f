/**
 * A primary with a synchronous standby is lost amid writes: every acknowledged event is on the standby, which
 * replaces it.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { areas } from "../../src/areas/index.ts";
import { parcels } from "../areas/parcels.ts";
import { type Service, startService } from "../support/service.ts";
import { type Cluster, nameOnce, type Standby, startCluster } from "../support/standby.ts";
import { until } from "../support/until.ts";

const WRITERS = 8;
/** The number of acknowledged writes before the connection is cut. */
const ACKNOWLEDGED = 100;
const all = [...areas, parcels];

let cluster: Cluster;
let standby: Standby;
let service: Service & { database_url: string };
let headers: Record<string, string>;

beforeAll(async () => {
  cluster = await startCluster();
  service = await startService({ database_url: cluster.url, areas: all });
  standby = await cluster.standby();
  await cluster.waitForStandby();
  headers = (await service.issue({ tenant: "acme" })).headers;
});
afterAll(async () => {
  await service?.stop();
  await cluster?.stop();
});

/** Sends a parcel with this name, which is also its key; returns its event's position once acknowledged. */
async function send(to: Service, name: string): Promise<{ event_id: string; position: number } | undefined> {
  const answer = await fetch(`${to.url}/v1/agent/parcels`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": name },
    body: JSON.stringify({ name }),
  });
  await answer.arrayBuffer();
  if (answer.status !== 201) return undefined;
  const token = answer.headers.get("log-position")!;
  return { event_id: answer.headers.get("event-id")!, position: Number(token.split(".")[1]) };
}

test("every acknowledged event is on the standby at its position; unacknowledged commands run once when repeated", async () => {
  const acknowledged = new Map<string, { event_id: string; position: number }>();
  const unacknowledged: string[] = [];
  let writing = true;
  const writers = Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (writing) {
        const name = nameOnce();
        const sent = await send(service, name);
        if (sent) acknowledged.set(name, sent);
        else unacknowledged.push(name);
      }
    }),
  );
  await until(() => acknowledged.size >= ACKNOWLEDGED);
  // From here on writes on the primary alone are lost with it, whatever it answers.
  await standby.cutOff();
  const waiting = "select pid from pg_stat_activity where wait_event = 'SyncRep'";
  const before = acknowledged.size;
  await until(
    async () => acknowledged.size >= before + ACKNOWLEDGED || (await cluster.query(waiting)).length > 0,
  );
  await cluster.kill();
  writing = false;
  await writers;
  await service.stop();

  await standby.promote();
  service = await startService({ database_url: standby.url, areas: all });
  const kept = new Map(
    (await service.app.store.readLog({ after: 0, tenant: "acme", limit: 100_000 })).map(
      ({ payload, event_id, position }) => [payload.name, { event_id, position }],
    ),
  );
  for (const [name, sent] of acknowledged) expect(kept.get(name), name).toEqual(sent);
  expect(unacknowledged.length).toBeGreaterThan(0);
  expect(await verifyDatabase(service.app.pool, MAIN_LOG)).toMatchObject({ ok: true });

  const all_names = [...acknowledged.keys(), ...unacknowledged];
  for (const name of all_names) expect(await send(service, name), name).toBeDefined();
  const sent = await service.app.store.readLog({ after: 0, tenant: "acme", limit: 100_000 });
  const names = sent.filter(({ type }) => type === "ParcelSent").map(({ payload }) => payload.name);
  expect(names.sort()).toEqual(all_names.sort());
});
