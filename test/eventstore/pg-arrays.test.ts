import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  byteaArray,
  int4Array,
  int8Array,
  parseByteaArray,
  parseIntegerArray,
  safeInteger,
  textArray,
  uuidArray,
} from "../../eventstore/pg-arrays.ts";
import { openPool } from "../../eventstore/pool.ts";
import { codePoint } from "../support/code-points.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { scaled } from "../support/scale.ts";

let database: FreshDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await freshDatabase();
  pool = openPool(database.url);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const decoded = async (type: string, parameter: Buffer): Promise<unknown> =>
  (await pool.query(`select to_json($1::${type}) as value`, [parameter])).rows[0].value;

test("Postgres parses the arrays as intended", async () => {
  const text = fc
    .string({ unit: codePoint })
    .map((value) => value.replaceAll("\0", ""))
    .filter((value) => value.isWellFormed());
  const integer = fc.maxSafeInteger();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(text)),
      fc.array(fc.integer()),
      fc.array(integer),
      async (t, i, n) => {
        expect(await decoded("text[]", textArray(t))).toEqual(t);
        expect(await decoded("int4[]", int4Array(i))).toEqual(i);
        expect(await decoded("int8[]", int8Array(n))).toEqual(n);
      },
    ),
    { numRuns: scaled(50, 10) },
  );
  const uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
  expect(await decoded("uuid[]", uuidArray([Buffer.from(uuid.replaceAll("-", ""), "hex")]))).toEqual([uuid]);
  expect(await decoded("uuid[]", uuidArray([]))).toEqual([]);
});

test("bytea and integer arrays round-trip", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array()), fc.array(fc.maxSafeInteger()), async (blobs, integers) => {
      const buffers = blobs.map((blob) => Buffer.from(blob));
      const answer = await pool.query("select $1::bytea[] as b, $2::int8[] as n", [
        byteaArray(buffers),
        int8Array(integers),
      ]);
      expect(answer.rows[0]).toEqual({ b: buffers, n: integers });
    }),
    { numRuns: scaled(50, 10) },
  );
  const answer = await pool.query("select ($1::bytea[])[1] is null as a, ($1::bytea[])[2] as b", [
    byteaArray([null, Buffer.from("x")]),
  ]);
  expect(answer.rows).toEqual([{ a: true, b: Buffer.from("x") }]);
});

test("empty arrays parse, and integers beyond exact numbers are refused", () => {
  expect(parseIntegerArray("{}")).toEqual([]);
  expect(parseByteaArray("{}")).toEqual([]);
  expect(() => safeInteger("9007199254740993")).toThrow("beyond 2^53");
});

test("the pool has its own types: bigint is a number, times and numerics are text", async () => {
  const answer = await pool.query(
    "select 7::int8 as n, true as b, '2026-01-01T00:00Z'::timestamptz::text as t, 1.50::numeric as d, '{\"a\":1}'::jsonb as j",
  );
  expect(answer.rows).toEqual([{ n: 7, b: true, t: expect.any(String), d: "1.50", j: { a: 1 } }]);
  await expect(pool.query("select 9007199254740993::int8")).rejects.toThrow("beyond 2^53");
});
