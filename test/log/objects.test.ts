/** Objects: bytes by their digest, owned separately, and deleted after their time. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { MOST_OBJECT_BYTES, objectName } from "../../src/core/model/objects.ts";
import { objectsReactor } from "../../src/reactors/log/delete-objects.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const named = (owner: string, text: string) => {
  const bytes = Buffer.from(text);
  return { bytes, name: objectName("task", owner, sha256(bytes)) };
};

test("a stored object is found under its name, and under no other owner's", async () => {
  const { objects } = service.app;
  const one = named("a", "the same bytes");
  const other = named("b", "the same bytes");
  await objects.put(one.name, one.bytes);
  await objects.put(one.name, one.bytes);
  expect(await objects.get(one.name)).toEqual(one.bytes);
  expect([await objects.has(one.name), await objects.has(other.name)]).toEqual([true, false]);
  expect(await objects.get(other.name)).toBeUndefined();
  expect(await objects.list("task/a/")).toEqual([one.name]);
  expect(await objects.list("task/_/")).toEqual([]);
  expect(await objects.delete([one.name, other.name])).toBe(1);
  expect(await objects.has(one.name)).toBe(false);
});

test("bytes that do not match their name are neither stored nor returned", async () => {
  const { objects, pool } = service.app;
  const one = named("c", "as it was");
  await expect(objects.put(one.name, Buffer.from("another"))).rejects.toThrow("are not those that it names");
  await objects.put(one.name, one.bytes);
  await pool.query("update objects.small set bytes = 'changed' where name = $1", [one.name]);
  await expect(objects.get(one.name)).rejects.toThrow("are not those that it names");
  for (const name of [
    "task/x",
    "../etc/passwd",
    `task/../${sha256(one.bytes)}`,
    `Task/a/${sha256(one.bytes)}`,
  ])
    await expect(objects.put(name, one.bytes)).rejects.toThrow(`${name} names no object`);
  const large = Buffer.alloc(MOST_OBJECT_BYTES + 1);
  await expect(objects.put(objectName("task", "c", sha256(large)), large)).rejects.toThrow("at most");
});

test("many objects, one of them given twice, are all stored at once, or none is", async () => {
  const { objects } = service.app;
  const [one, other, wrong] = [named("e", "one"), named("e", "other"), named("e", "wrong")];
  await objects.putAll([other, one, one]);
  expect(await objects.list("task/e/")).toEqual([one.name, other.name].sort());
  expect(await objects.get(other.name)).toEqual(other.bytes);
  const damaged = { ...wrong, bytes: Buffer.from("damaged") };
  const next = named("e", "next");
  await expect(objects.putAll([next, damaged])).rejects.toThrow("are not those that it names");
  expect(await objects.has(next.name)).toBe(false);
});

test("two concurrent writers of the same objects in different orders both succeed", async () => {
  const { objects } = service.app;
  const all = Array.from({ length: 20 }, (_, n) => named("f", `object ${n}`));
  await objects.putAll(all);
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => objects.putAll(n % 2 === 0 ? all : all.toReversed())),
  );
  expect(await objects.list("task/f/")).toHaveLength(20);
});

test("objects of one moment are stored and read together, and a long object separately", async () => {
  const { objects, pool } = service.app;
  const long = named("g", "long ".repeat(30_000));
  const all = [...Array.from({ length: 20 }, (_, n) => named("g", `object ${n}`)), long];
  const queries = vi.spyOn(pool, "query");
  await Promise.all(all.map(({ name, bytes }) => objects.put(name, bytes)));
  const missing = objectName("task", "g", sha256(Buffer.from("nowhere")));
  const [nothing, ...found] = await Promise.all(
    [missing, ...all.map(({ name }) => name)].map((name) => objects.get(name)),
  );
  // Filters out the service's other queries.
  const sent = queries.mock.calls.filter(([request]) => JSON.stringify(request).includes("objects.")).length;
  queries.mockRestore();
  expect(nothing).toBeUndefined();
  expect(found).toEqual(all.map(({ bytes }) => bytes));
  expect(sent).toBe(4);
});

test("an expired object is deleted, and nothing else", async () => {
  const { objects, pool } = service.app;
  const [past, put] = [named("d", "past"), named("d", "just put")];
  for (const { name, bytes } of [past, put]) await objects.put(name, bytes);
  await pool.query("update objects.small set keep_until = now() - interval '1 second' where name = $1", [
    past.name,
  ]);
  expect(await turn(service.app, objectsReactor)).toEqual({ status: "done" });
  expect(await objects.list("task/d/")).toEqual([put.name]);
});

test("an object stored again is stored for longer", async () => {
  const { objects, pool } = service.app;
  const one = named("e", "again");
  await objects.put(one.name, one.bytes);
  await pool.query("update objects.small set keep_until = now() - interval '1 second' where name = $1", [
    one.name,
  ]);
  await objects.put(one.name, one.bytes);
  await turn(service.app, objectsReactor);
  expect(await objects.has(one.name)).toBe(true);
});
