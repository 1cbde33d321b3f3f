/** In every list of an operation over figures no line repeats, and parts add up to their whole. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Operation, restsOnDataAlone } from "../../src/api/declare/operation.ts";
import { effectOf } from "../../src/api/declare/operation-facts.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import { catalogue } from "../support/catalogue.ts";
import { openSandbox, openSandboxLv } from "../support/sandbox.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await openSandbox(service);
  await openSandboxLv(service);
});
afterAll(() => service.stop());

/** Values of an input field; a missing field keeps the value of the operation's example. */
const values: Record<string, readonly unknown[]> = {
  reporter: ["LV", "DE"],
  partner: ["DE", "CN", "FR", "RU"],
  country: ["DE", "CN", "FR"],
  year: [2023, 2024],
  years: ["2024", "2023-2024", undefined],
  hs: [undefined, "44", "4407", "39", "3920"],
  code: ["44", "4407", undefined],
  flow: ["IMPORT", "EXPORT", undefined],
  direction: ["IMPORT", "EXPORT", undefined],
  dataset: [undefined, "sandbox", "sandbox-lv"],
  limit: [1, 5, 100],
  months: [3, 24],
  sort: ["value", "weight"],
  format: ["json"],
  threshold: [0.3, 0.5],
};

/** Inputs of an operation: its example with values from the list above; invalid combinations are skipped. */
const inputsOf = (operation: Operation) =>
  fc
    .record(
      Object.fromEntries(
        Object.keys(operation.input.shape).map((field) => [
          field,
          fc.constantFrom(...(values[field] ?? [operation.example[field]])),
        ]),
      ),
    )
    .map((fields) => operation.input.safeParse(fields))
    .filter(({ success }) => success)
    .map(({ data }) => data as Record<string, unknown>);

type Row = Record<string, unknown>;
type List = { path: string; rows: Row[] };

/** Every list of objects in a value, with its path. */
function listsIn(value: unknown, path: string): List[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, one]) =>
    listsIn(one, Array.isArray(value) ? `${path}[]` : `${path}.${name}`),
  );
  const isList = Array.isArray(value) && value.some((one) => typeof one === "object" && one !== null);
  return isList ? [{ path, rows: value as Row[] }, ...inner] : inner;
}

/** The key fields of a line, in any list. */
const keys = [
  "reporter",
  "partner",
  "country",
  "product",
  "code",
  "dataset",
  "indicator",
  "nace",
  "isco",
  "type",
];
const places = [
  "flow",
  "direction",
  "from",
  "to",
  "period",
  "month",
  "year",
  "quarter",
  "origin",
  "category",
];
const hasKey = (row: Row) => keys.concat(places).some((name) => Object.hasOwn(row, name));
const keyOf = (row: Row) =>
  JSON.stringify(hasKey(row) ? keys.concat(places).map((name) => row[name] ?? null) : row);

const isRest = (row: Row) => [row.partner, row.product, row.code].includes("rest");
const sumOf = (rows: Row[], column: string) =>
  rows.reduce((sum, row) => sum + ((row[column] as number) ?? 0), 0);

/** Lists in which each line's share has its own whole. */
const ofDifferentWholes = ["trade_source_concentration", "trade_flow_pulse"];

type Answer = { data: unknown; meta: Row };

function partsOf({ name }: Operation, { data, meta }: Answer): void {
  for (const { path, rows } of listsIn(data, "data")) {
    const about = `${name} ${path}`;
    const lines = rows.map(keyOf);
    expect(lines, `${about}: no line twice`).toEqual([...new Set(lines)]);
    const ranked = rows.filter((row) => typeof row.rank === "number");
    expect(ranked.every(hasKey), about).toBe(true);
    const rounding = rows.length * 1e-6;
    if (rows.some((row) => typeof row.share === "number") && !ofDifferentWholes.includes(name)) {
      expect(sumOf(rows, "share"), `${about}: shares`).toBeLessThanOrEqual(1 + rounding);
      if (rows.some(isRest))
        expect(sumOf(rows, "share"), `${about}: shares`).toBeGreaterThanOrEqual(1 - rounding);
    }
    const total = meta.total as { value_eur?: number } | undefined;
    if (path === "data" && total?.value_eur !== undefined)
      expect(sumOf(rows, "value_eur"), `${about}: the total`).toBe(total.value_eur);
  }
}

// Skips lists with tests of their own: the shop's forecast, which also depends on the caller's orders; recorded
// reports; and questions in words.
const figures = catalogue.filter(
  (one) =>
    restsOnDataAlone(one) &&
    one.output.kind === "json" &&
    effectOf(one).changes === "nothing" &&
    one.name !== "fusion_query",
);
const each = figures.map((operation) => [operation.name, operation] as const);

async function answerOf(operation: Operation, input: Record<string, unknown>): Promise<Answer | undefined> {
  try {
    const context = { input, app: service.app, data: service.app.data, signal: new AbortController().signal };
    return (await operation.handle(context as never)) as Answer;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

describe("every operation with figures", () => {
  test.each(each)("%s repeats no line, and its parts make up their whole", async (_, operation) => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(inputsOf(operation), async (input) => {
        const answer = await answerOf(operation, input);
        if (!answer) return;
        answered++;
        partsOf(operation, answer);
      }),
      { numRuns: scaled(12, 10), seed: 44 },
    );
    expect(answered).toBeGreaterThan(0);
  });
});

type Corridor = {
  data: {
    databases: {
      directions: {
        exporter_view: { value_eur: number; months: number } | null;
        importer_view: { value_eur: number; months: number } | null;
        top_products: { product: string; value_eur: number; share: number }[];
      }[];
      balance: { exports_eur: number; imports_eur: number }[];
    }[];
  };
};

describe("the corridor", () => {
  const corridor = catalogue.find(({ name }) => name === "trade_corridor")!;

  test.each(["sandbox", "sandbox-lv"])(
    "for %s has products, years and both views that add up",
    async (dataset) => {
      const input = { reporter: "LV", partner: "DE", years: "2024", dataset };
      const { data } = (await answerOf(corridor, input)) as unknown as Corridor;
      const [{ directions, balance }] = data.databases as [Corridor["data"]["databases"][0]];
      const own = [directions[0]!.exporter_view!.value_eur, directions[1]!.importer_view!.value_eur];
      expect([sumOf(balance, "exports_eur"), sumOf(balance, "imports_eur")]).toEqual(own);
      for (const [at, { top_products }] of directions.entries()) {
        expect(top_products.length).toBeGreaterThan(1);
        expect(sumOf(top_products, "value_eur")).toBeLessThanOrEqual(own[at]!);
        for (const { value_eur, share } of top_products) expect(share).toBeCloseTo(value_eur / own[at]!, 2);
      }
    },
  );

  test("lists the same chapters however fine the dataset is", async () => {
    const chapters = await Promise.all(
      ["sandbox", "sandbox-lv"].map(async (dataset) => {
        const answer = await answerOf(corridor, { reporter: "LV", partner: "DE", years: "2024", dataset });
        const { directions } = (answer as unknown as Corridor).data.databases[0]!;
        return directions.map(({ top_products }) => top_products.map(({ product }) => product));
      }),
    );
    for (const [at, ranked] of chapters[0]!.entries()) {
      expect(ranked.length).toBeGreaterThan(1);
      expect(new Set(ranked)).toEqual(new Set(chapters[1]![at]));
    }
  });
});
