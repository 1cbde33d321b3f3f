/**
 * An event type of two versions: stored events never change, and every decision, fold and reactor sees the newest
 * version.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emmettStore } from "../../eventstore/emmett.ts";
import { exportFile } from "../../eventstore/files/export.ts";
import { registry } from "../../eventstore/schemas.ts";
import { MAIN_LOG, type RecordedEvent } from "../../eventstore/types.ts";
import { openExport } from "../../eventstore/verify/verify-export.ts";
import { areas } from "../../src/areas/index.ts";
import { verifyPack } from "../../src/audit/verify-pack.ts";
import type { App } from "../../src/core/app.ts";
import { Folding } from "../../src/core/read-models/folding.ts";
import { projection } from "../../src/core/read-models/projection.ts";
import { recoverKey } from "../../src/runtime/assemble-audit.ts";
import { areaOf } from "../support/catalogue.ts";
import * as meter from "../support/meters.ts";
import { type Service, startService } from "../support/service.ts";

const { metersProjection } = meter;
const metering = { ...areaOf([]), name: "metering", entities: [meter], projections: [metersProjection] };
const meta = { actor: "test", operation: "test" };
const target = { tenant: "acme", id: "cellar" };
const stream = { tenant: target.tenant, stream_id: meter.streamOf(target.id) };

let service: Service & { database_url: string };
let app: App;
beforeAll(async () => {
  service = await startService({ areas: [...areas, metering] });
  ({ app } = service);
  const stored = await app.store.append({
    appends: [
      {
        ...stream,
        expected_version: 0,
        events: [{ type: "MeterRead", schema_version: 1, payload: { kg: 2 } }],
      },
    ],
    meta,
  });
  expect(stored.status).toBe("appended");
  await app.decide(meter, target, meter.read(500, "ada"), { meta });
});
afterAll(() => service.stop());

const OLD = { kg: 2 };
const NEW = { grams: 500, reader: "ada" };

const folded = async (): Promise<{ id: string; grams: number; readers: string[] }[]> => {
  const { position } = await app.store.head();
  expect(await app.runner.reached(metersProjection, position, 10_000)).toBe(true);
  const sql = "select id, grams::int as grams, to_json(readers) as readers from read.meters_v1 order by id";
  return (await app.pool.query(sql)).rows;
};

test("a decision uses the newest version, which it also appends", async () => {
  expect(await app.load(meter, target)).toEqual({ grams: 2_500, readers: ["unsaid", "ada"], sealed: false });
  const recorded = await app.store.readStream(stream);
  expect(recorded.map(({ schema_version, payload }) => [schema_version, payload])).toEqual([
    [1, OLD],
    [2, NEW],
  ]);
});

test("a read model folds the newest version", async () => {
  expect(await folded()).toEqual([{ id: "cellar", grams: 2_500, readers: ["unsaid", "ada"] }]);
});

test("a reactor on a read model decides on the newest version, too", async () => {
  const other = { tenant: "acme", id: "attic" };
  const events = [{ type: "MeterRead", schema_version: 1, payload: { kg: 7 } }];
  await app.store.append({
    appends: [{ tenant: "acme", stream_id: meter.streamOf("attic"), expected_version: 0, events }],
    meta,
  });
  for (const { id, grams } of await folded())
    if (grams > 5_000) await app.decide(meter, { tenant: "acme", id }, meter.sealPast(5_000), { meta });
  expect(await app.load(meter, other)).toMatchObject({ grams: 7_000, sealed: true });
  expect(await app.load(meter, target)).toMatchObject({ sealed: false });
});

test("direct readers of the log get typed events, and emmett upcasts by itself", async () => {
  const recorded = await app.store.readStream(stream);
  const newest = [{ grams: 2_000, reader: "unsaid" }, NEW];
  expect(app.eventsOf(meter, recorded).map(({ id, data }) => [id, data])).toEqual(
    newest.map((data) => ["cellar", data]),
  );
  const { events } = await emmettStore(app.store, { tenant: "acme" }).readStream(stream.stream_id);
  expect(events.map(({ data }) => data)).toEqual(newest);
});

test("the change feed and an export return what was stored, and the export verifies", async () => {
  const { headers } = await service.issue();
  const path = `${service.url}/v1/agent/replay/wal-since?since=2020-01-01T00:00:00Z`;
  const lines = (await (await fetch(path, { headers })).text()).trim().split("\n");
  const answer = lines
    .map((line) => JSON.parse(line))
    .filter(({ stream_id }) => stream_id === stream.stream_id);
  expect(answer.map(({ schema_version, payload }) => [schema_version, payload])).toEqual([
    [1, OLD],
    [2, NEW],
  ]);
  const dir = await mkdtemp(join(tmpdir(), "tallystick-versions-"));
  try {
    const file = join(dir, "log.ndjson");
    await exportFile(app.pool, { log_id: MAIN_LOG }, file);
    const written = (await readFile(file, "utf8"))
      .split("\n")
      .filter((line) => line.includes(stream.stream_id));
    expect(written.map((line) => JSON.parse(JSON.parse(line).payload))).toEqual([OLD, NEW]);
    expect(await verifyPack(openExport(file), { recover: recoverKey })).toMatchObject({ ok: true });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

const recordedAs = (schema_version: number, payload: RecordedEvent["payload"]): RecordedEvent => ({
  ...{ log_id: 1, position: 7, tenant: "acme", stream_id: "meter-x", version: 1, type: "MeterRead" },
  ...{
    event_id: "00000000-0000-7000-8000-000000000000",
    recorded_at_us: 1,
    schema_version,
    payload,
    meta: {},
  },
  ...{ prev_hash: new Uint8Array(32), event_hash: new Uint8Array(32), log_hash: new Uint8Array(32) },
});

test("an event is upcast once, for any number of read models", async () => {
  let upcasts = 0;
  const schemas = registry([meter.events]);
  const counting = {
    ...schemas,
    upcast: (event: RecordedEvent) => {
      upcasts++;
      return schemas.upcast(event);
    },
  } as typeof schemas;
  const seen: unknown[] = [];
  const model = (name: string) =>
    projection({
      ...{ name, version: 1, ddl: "", of: [meter] },
      fold: async (events) => void seen.push(...events.map(({ data }) => data)),
    });
  const folding = new Folding(counting);
  const event = recordedAs(1, { kg: 3 });
  const client = await app.pool.connect();
  for (const name of ["one", "other", "third"]) await folding.of(model(name), [event])?.(client);
  client.release();
  expect(seen).toEqual(Array(3).fill({ grams: 3_000, reader: "unsaid" }));
  expect(upcasts).toBe(1);
});

test("no read model folds a version newer than this program", () => {
  const folding = new Folding(registry([meter.events]));
  expect(() => folding.of(metersProjection, [recordedAs(3, { tonnes: 1 })])).toThrow(
    /position 7 is of MeterRead 3, and this program knows no version after 2: run a newer one/,
  );
});
