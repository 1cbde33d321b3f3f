import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { InvalidEvent } from "../../eventstore/errors.ts";
import { type EventTypes, registry } from "../../eventstore/schemas.ts";
import { createEventStore } from "../../eventstore/store.ts";
import { appended, type Fixture, openLog } from "./fixture.ts";

const keys = {
  KeyIssued: { 1: z.strictObject({ name: z.string() }) },
  KeyRevoked: {
    1: z.strictObject({ by: z.string() }),
    2: z.strictObject({ by: z.string(), reason: z.string() }),
    3: z.strictObject({ by: z.string(), reason: z.string(), at: z.string().nullable() }),
    upcast: {
      1: (old) => ({ ...old, reason: "unstated" }),
      2: (old) => ({ ...old, at: null }),
    },
    public: true,
  },
} satisfies EventTypes;
const schemas = registry([keys]);

let log: Fixture;
beforeAll(async () => {
  log = await openLog({ schemas });
});
afterAll(() => log.close());

const commit = (type: string, schema_version: number | undefined, payload: Record<string, string>) => ({
  appends: [
    {
      tenant: "a",
      stream_id: "key-1",
      expected_version: "any" as const,
      events: [{ type, schema_version, payload }],
    },
  ],
});

describe("appending", () => {
  test("valid payloads are accepted, of old versions too", async () => {
    appended(await log.store.append(commit("KeyIssued", undefined, { name: "ci" })));
    appended(await log.store.append(commit("KeyRevoked", 1, { by: "ops" })));
    appended(await log.store.append(commit("KeyRevoked", 2, { by: "ops", reason: "lost" })));
  });

  test.each([
    ["an unknown type", "KeyLost", 1, {}, "type"],
    ["an unknown version", "KeyIssued", 2, { name: "ci" }, "schema_version"],
    ["a missing member", "KeyIssued", 1, {}, "payload of KeyIssued 1"],
    ["one member too many", "KeyIssued", 1, { name: "ci", secret: "x" }, "payload of KeyIssued 1"],
    ["a payload of another version", "KeyRevoked", 1, { by: "ops", reason: "x" }, "payload of KeyRevoked 1"],
  ])("%s is refused and leaves no trace", async (_, type, version, payload, field) => {
    const before = await log.store.head();
    const refused = log.store.append(commit(type, version, payload as Record<string, string>));
    await expect(refused).rejects.toBeInstanceOf(InvalidEvent);
    await expect(refused).rejects.toMatchObject({ field });
    expect(await log.store.head()).toEqual(before);
  });
});

test("reading returns what was stored; upcasting passes every version", async () => {
  const read = await log.store.readStream({ tenant: "a", stream_id: "key-1" });
  expect(read.map((event) => event.payload)).toEqual([
    { name: "ci" },
    { by: "ops" },
    { by: "ops", reason: "lost" },
  ]);
  expect(
    read.map(schemas.upcast).map(({ schema_version, payload }) => ({ schema_version, payload })),
  ).toEqual([
    { schema_version: 1, payload: { name: "ci" } },
    { schema_version: 3, payload: { by: "ops", reason: "unstated", at: null } },
    { schema_version: 3, payload: { by: "ops", reason: "lost", at: null } },
  ]);
  expect(read[1]!.schema_version).toBe(1);
});

test("events of undeclared types are returned unchanged", async () => {
  const free = createEventStore(log.pool);
  appended(await free.append(commit("Forgotten", 4, { a: "b" })));
  const [event] = (await free.readStream({ tenant: "a", stream_id: "key-1" })).slice(-1);
  expect(schemas.upcast(event!)).toBe(event);
});

test("a type's newest version and publicity are known", () => {
  expect(["KeyIssued", "KeyRevoked", "Other"].map(schemas.newestVersion)).toEqual([1, 3, undefined]);
  expect(["KeyIssued", "KeyRevoked", "Other"].map(schemas.isPublic)).toEqual([false, true, false]);
});

describe("invalid declarations are refused", () => {
  const schema = z.strictObject({});
  const same = (old: object) => ({ ...old });
  const bad: [string, EventTypes[]][] = [
    ["KeyIssued is declared twice", [keys, { KeyIssued: { 1: schema } }]],
    ["Empty has no version", [{ Empty: {} }]],
    ["Late has no version 1", [{ Late: { 2: schema } }]],
    ["Gap has no version 2", [{ Gap: { 1: schema, 3: schema, upcast: { 1: same, 2: same } } }]],
    ["Stuck has no upcaster from version 1", [{ Stuck: { 1: schema, 2: schema } }]],
    ["Ahead upcasts from version 1, its newest", [{ Ahead: { 1: schema, upcast: { 1: same } } }]],
  ];
  test.each(bad)("%s", (message, areas) => {
    expect(() => registry(areas)).toThrow(message);
  });
});
