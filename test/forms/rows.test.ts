/** Rows from answers, and CSV from rows, against cases written by hand. */

import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { csvOf } from "../../src/adapters/printing/csv.ts";
import { type RowsPath, type SourcedAnswer, sheetOf, tableAt } from "../../src/api/declare/forms/table.ts";
import type { Sheet } from "../../src/core/model/sheet.ts";
import { reconstructOutput } from "../../src/projections/mirror/answers/answer.ts";
import { alertsOutput } from "../../src/projections/trade/answers/alerts.ts";
import { heatmapOutput } from "../../src/projections/trade/answers/heatmap.ts";
import { pricesOutput } from "../../src/projections/trade/answers/prices.ts";
import { topProductsOutput } from "../../src/projections/trade/answers/rankings.ts";
import { timelineOutput } from "../../src/projections/trade/answers/series.ts";
import { scaled } from "../support/scale.ts";

const meta = { dataset: "d", vintage: "v", synthetic: false, source: "s" };
const MARKS = [
  { name: "dataset", type: "text" },
  { name: "vintage", type: "text" },
  { name: "synthetic", type: "boolean" },
];
const sheet = (row: z.ZodType, data: object[]) =>
  sheetOf(tableAt(z.object({ data: z.array(row) }), "data"), { data, meta } as SourcedAnswer);

describe("columns", () => {
  test("have the types of the schema, nested ones a dotted name, and end with the marks", () => {
    const row = z.object({
      year: z.int(),
      share: z.object({ value: z.number().nullable(), of: z.enum(["a", "b"]) }),
      complete: z.boolean(),
      codes: z.array(z.string()),
      either: z.union([z.string(), z.number()]),
      parts: z.array(z.object({ code: z.string() })),
    });
    const data = [
      {
        year: 2024,
        share: { value: null, of: "a" },
        complete: true,
        codes: ["44", "27"],
        either: 3,
        parts: [{ code: "x" }],
      },
    ];
    expect(sheet(row, data)).toEqual({
      columns: [
        { name: "year", type: "integer" },
        { name: "share.value", type: "number" },
        { name: "share.of", type: "text" },
        { name: "complete", type: "boolean" },
        { name: "codes", type: "text" },
        { name: "either", type: "text" },
        { name: "parts", type: "text" },
        ...MARKS,
      ],
      rows: [[2024, null, "a", true, "44 27", "3", '[{"code":"x"}]', "d", "v", false]],
    });
  });

  test("of whole euros are integers, and those of means are not", () => {
    const typesOf = (schema: z.ZodObject, place: RowsPath) =>
      Object.fromEntries(
        sheetOf(tableAt(schema, place), {
          data: { series: [], alerts: [] },
          meta,
        } as SourcedAnswer).columns.map(({ name, type }) => [name, type]),
      );
    expect(typesOf(pricesOutput, "data.series")).toMatchObject({
      value_eur: "integer",
      excluded_value_eur: "integer",
      quantity_kg: "number",
    });
    expect(typesOf(alertsOutput, "data.alerts")).toMatchObject({ value_eur: "integer", base_eur: "number" });
    const flows = { imports_eur: "integer", exports_eur: "integer" };
    const wholes = { data: [], meta } as unknown as SourcedAnswer;
    for (const output of [timelineOutput, topProductsOutput, heatmapOutput])
      expect(
        Object.fromEntries(
          sheetOf(tableAt(output, "data"), wholes).columns.map(({ name, type }) => [name, type]),
        ),
      ).toMatchObject(flows);
    expect(sheetOf(tableAt(reconstructOutput, "data"), wholes).columns).toContainEqual({
      name: "reported_eur",
      type: "integer",
    });
  });

  test("that are optional are left out when all rows lack them, and are present without rows", () => {
    const row = z.object({ a: z.int().optional(), b: z.int().optional(), c: z.int() });
    const names = (data: object[]) =>
      sheet(row, data)
        .columns.map(({ name }) => name)
        .slice(0, -MARKS.length);
    expect(names([{ c: 1 }, { b: 2, c: 1 }])).toEqual(["b", "c"]);
    expect(names([{ b: null, c: 1 }])).toEqual(["b", "c"]);
    expect(names([])).toEqual(["a", "b", "c"]);
  });

  test("of alternatives are columns side by side, in the order of the longest", () => {
    const short = z.object({ code: z.string(), to: z.string() });
    const row = z.union([short.extend({ name: z.string() }), short]);
    expect(sheet(row, [{ code: "LV", to: "2024" }]).columns.map(({ name }) => name)).toEqual([
      "code",
      "to",
      ...MARKS.map(({ name }) => name),
    ]);
    expect(sheet(row, [{ code: "LV", to: "2024", name: "Latvia" }]).rows[0]).toContain("Latvia");
  });

  test("of an object that may be null are null with it", () => {
    const row = z.object({ first: z.object({ code: z.string(), eur: z.number() }).nullable() });
    expect(
      sheet(row, [{ first: null }, { first: { code: "DE", eur: 1 } }]).rows.map((cells) => cells.slice(0, 2)),
    ).toEqual([
      [null, null],
      ["DE", 1],
    ]);
  });

  test("of a sum over some of the products are marked as such", () => {
    const row = z.object({ year: z.int() });
    const of = tableAt(z.object({ data: z.array(row) }), "data");
    const part = { ...meta, coverage: { products: { complete: false, count: 18 } } };
    expect(sheetOf(of, { data: [{ year: 2024 }], meta: part } as SourcedAnswer)).toEqual({
      columns: [{ name: "year", type: "integer" }, { name: "products_complete", type: "boolean" }, ...MARKS],
      rows: [[2024, false, "d", "v", false]],
    });
  });

  test("of a year that is not delivered in full are marked as such, unless the row says so itself", () => {
    const incomplete = [{ reporter: "LV", delivered_to: "2026-03" }];
    const marked = (row: object, missing: object[]) => {
      const of = tableAt(z.object({ data: z.array(z.object({ rank: z.int() }).extend(row)) }), "data");
      const answer = { data: [{ rank: 1, complete: false }], meta: { ...meta, incomplete: missing } };
      const { columns, rows } = sheetOf(of, answer as SourcedAnswer);
      return Object.fromEntries(columns.map(({ name }, at) => [name, rows[0]![at]]));
    };
    expect(marked({}, incomplete)).toMatchObject({ rank: 1, months_complete: false });
    expect(marked({}, [])).toMatchObject({ rank: 1, months_complete: true });
    const own = marked({ complete: z.boolean() }, incomplete);
    expect(own).toMatchObject({ rank: 1, complete: false });
    expect(own).not.toHaveProperty("months_complete");
  });

  test("of a row that marks itself are not marked again", () => {
    const row = z.object({ year: z.int(), dataset: z.string(), vintage: z.string(), synthetic: z.boolean() });
    const own = { year: 2024, dataset: "mine", vintage: "w", synthetic: true };
    expect(sheet(row, [own]).rows).toEqual([[2024, "mine", "w", true]]);
  });

  test("a table path that is not a list fails when the operation is declared", () => {
    expect(() => tableAt(z.object({ data: z.object({}) }), "data.months")).toThrow(
      "data.months is not an array",
    );
  });
});

describe("CSV", () => {
  const lines = (rows: Sheet["rows"]) =>
    csvOf({
      columns: [
        { name: "a", type: "text" },
        { name: "b, c", type: "number" },
      ],
      rows,
    }).toString();

  test("is what RFC 4180 says", () => {
    expect(
      lines([
        ["x", 1.5],
        ['say "hi"', null],
        ["two\r\nlines", -2],
        ["", 0],
        [null, 1e21],
      ]),
    ).toBe('a,"b, c"\r\nx,1.5\r\n"say ""hi""",\r\n"two\r\nlines",-2\r\n"",0\r\n,1e+21\r\n');
  });

  test.each(["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1"])("the text %j is not a formula", (text) => {
    expect(parse(lines([[text, -1]]))[1]).toEqual([`'${text}`, "-1"]);
  });

  test("is read back unchanged by another library", () => {
    const cell = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', ",", "\r\n", "\n", " a "));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, fc.double({ noNaN: true, noDefaultInfinity: true })), { minLength: 1 }),
        (rows) => {
          const read = parse(
            csvOf({
              columns: [
                { name: "a", type: "text" },
                { name: "b", type: "number" },
              ],
              rows,
            }),
            {
              from_line: 1,
              record_delimiter: "\r\n",
            },
          ).slice(1) as string[][];
          expect(read.length).toBe(rows.length);
          for (const [at, [text, number]] of rows.entries()) {
            expect([text, `'${text}`]).toContain(read[at]![0]);
            expect(Number(read[at]![1])).toBe(number === 0 ? 0 : number);
          }
        },
      ),
      { numRuns: scaled(60, 10) },
    );
  });
});
