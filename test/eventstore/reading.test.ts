import { afterAll, beforeAll, expect, test } from "vitest";
import { checkCursor, decodeCursor, encodeCursor } from "../../eventstore/cursor.ts";
import { appended, commitOf, type Fixture, openLog, positions } from "./fixture.ts";

let log: Fixture;
beforeAll(async () => {
  log = await openLog();
  for (let n = 1; n <= 12; n++)
    appended(await log.store.append(commitOf({ tenant: n % 3 === 0 ? "b" : "a", stream_id: "s" }, { n })));
});
afterAll(() => log.close());

test("a log is read in pages; a tenant sees only its own events", async () => {
  expect(positions(await log.store.readLog({ after: 0, limit: 5 }))).toEqual([1, 2, 3, 4, 5]);
  expect(positions(await log.store.readLog({ after: 10 }))).toEqual([11, 12]);
  expect(positions(await log.store.readLog({ after: 0, tenant: "b" }))).toEqual([3, 6, 9, 12]);
  expect(positions(await log.store.readLog({ after: 3, limit: 2, tenant: "b" }))).toEqual([6, 9]);
  expect(await log.store.readLog({ after: 0, tenant: "c" })).toEqual([]);
});

test("a stream is read by version", async () => {
  const read = await log.store.readStream({ tenant: "b", stream_id: "s", after_version: 1, limit: 2 });
  expect(read.map(({ version, payload }) => ({ version, payload }))).toEqual([
    { version: 2, payload: { n: 6 } },
    { version: 3, payload: { n: 9 } },
  ]);
});

test("positionAt finds the first event recorded at or after a time", async () => {
  const events = await log.store.readLog({ after: 0 });
  for (const event of events) {
    const first = events.find((e) => e.recorded_at_us >= event.recorded_at_us)!.position;
    expect(await log.store.positionAt({ since_us: event.recorded_at_us })).toBe(first);
    expect(await log.store.positionAt({ since_us: event.recorded_at_us, tenant: "b" })).toBe(
      Math.ceil(first / 3) * 3,
    );
  }
  expect(await log.store.positionAt({ since_us: 0 })).toBe(1);
  const later = events.at(-1)!.recorded_at_us + 1;
  expect(await log.store.positionAt({ since_us: later })).toBe(13);
  expect(await log.store.positionAt({ since_us: later, tenant: "b" })).toBe(13);
});

test("a cursor stays valid while the history is the same", async () => {
  const { epoch } = await log.store.identity();
  for (const position of [0, 1, 7, 12]) {
    const head = (await log.store.headAt(position))!;
    const cursor = encodeCursor({ ...head, epoch });
    expect(decodeCursor(cursor)).toMatchObject({ epoch, position });
    expect(await checkCursor(log.store, cursor)).toMatchObject({ status: "ok" });
  }
});

test("cursors of another epoch, of a rewritten history, and beyond the head are distinguished", async () => {
  const { epoch } = await log.store.identity();
  const { log_hash } = (await log.store.headAt(7))!;
  const at = (change: object) =>
    checkCursor(log.store, encodeCursor({ epoch, position: 7, log_hash, ...change }));
  expect((await at({ epoch: "0123456789abcdef" })).status).toBe("diverged");
  expect((await at({ log_hash: Buffer.alloc(32) })).status).toBe("diverged");
  expect((await at({ position: 8 })).status).toBe("diverged");
  expect((await at({ position: 13 })).status).toBe("ahead");
});

test.each([
  "",
  "v1",
  "v2.0123456789abcdef.7.0123456789abcdef",
  "v1.0123456789ABCDEF.7.0123456789abcdef",
  "v1.0123456789abcdef.07.0123456789abcdef",
  "v1.0123456789abcdef.-1.0123456789abcdef",
  "v1.0123456789abcdef.9999999999999999.0123456789abcdef",
  "v1.0123456789abcdef.7.0123456789abcde",
  " v1.0123456789abcdef.7.0123456789abcdef",
  "v1.0123456789abcdef.7.0123456789abcdef\n",
])("%j is not a cursor", async (text) => {
  expect(decodeCursor(text)).toBeUndefined();
  expect(await checkCursor(log.store, text)).toEqual({ status: "malformed" });
});
