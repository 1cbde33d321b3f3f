/** Cached streams: each name keeps its own slot, for any number and any names. */
import { expect, test } from "vitest";
import { ByteField } from "../../eventstore/verify/bytes.ts";
import { StreamHeads } from "../../eventstore/verify/stream-heads.ts";

const fields = { tenant: new ByteField(), stream: new ByteField() };
const named = (heads: StreamHeads, tenant: string, stream: string) =>
  heads.slot(fields.tenant.set(tenant), fields.stream.set(stream));

test("thousands of streams with short, long and similar names keep separate heads", () => {
  const heads = new StreamHeads(20_000);
  const names = Array.from({ length: 5_000 }, (_, n): [string, string][] => [
    [`tenant-${n % 7}`, `order-${n}`],
    [`tenant-${n % 7}order`, `-${n}`],
    ["", `${"ü".repeat(100)}${n}`],
  ]).flat();
  for (const [slot, [tenant, stream]] of names.entries()) {
    expect(named(heads, tenant, stream)).toBe(slot);
    heads.set(slot, slot + 1, Buffer.alloc(32, slot % 251));
  }
  for (const [slot, [tenant, stream]] of names.entries()) {
    expect(named(heads, tenant, stream)).toBe(slot);
    expect(heads.version(slot)).toBe(slot + 1);
    expect(heads.hashes[slot * 32 + 31]).toBe(slot % 251);
  }
  expect(heads.size).toBe(names.length);
});

test("beyond the limit there is no slot, and existing ones stay", () => {
  const heads = new StreamHeads(2);
  const slots = ["a", "b", "c", "a", "c", "b"].map((stream) => named(heads, "t", stream));
  expect(slots).toEqual([0, 1, -1, 0, -1, 1]);
  expect(heads.size).toBe(2);
});

test("a name of the longest plain length differs from one a byte longer", () => {
  const heads = new StreamHeads(10);
  const lengths = [0, 123, 124, 125, 126, 1_000];
  expect(lengths.map((length) => named(heads, "", "x".repeat(length)))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(lengths.map((length) => named(heads, "", "x".repeat(length)))).toEqual([0, 1, 2, 3, 4, 5]);
});
