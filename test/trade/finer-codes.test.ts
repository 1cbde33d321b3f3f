/**
 * Every operation with a product code cuts a code that is finer than the dataset, and its answer names the cut code.
 */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Operation } from "../../src/api/declare/operation.ts";
import { effectOf } from "../../src/api/declare/operation-facts.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { fileOf, importFiles } from "../datasets/workshop.ts";
import { catalogue } from "../support/catalogue.ts";
import { releaseVintage } from "../support/cube.ts";
import { opened, openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
/** A real dataset with six digits, and the sandbox with eight. */
let dataset: string;

const YEARS = [2022, 2023, 2024];
const PARTNERS = ["CN", "KZ", "RU", "TR", "US"];

beforeAll(async () => {
  service = await startService();
  await openSandbox(service);
  const { data_dir, app } = service;
  const months = YEARS.flatMap((year) =>
    Array.from({ length: 12 }, (_, n) => `${year}-${String(n + 1).padStart(2, "0")}`),
  );
  const lines = reporterCodes.flatMap((reporter, r) =>
    PARTNERS.flatMap((partner, p) =>
      [1, 2].flatMap((flow) =>
        months.flatMap((month, m) => {
          const cell = `ESTAT:DS-045409(1.0),01/01/26 11:00:00,M,${reporter},${partner},440711,${flow}`;
          const tonnes = 20 + ((r * 7 + p * 5 + m * 3) % 11);
          return [
            `${cell},QUANTITY_IN_100KG,${month},${tonnes * 10}`,
            `${cell},VALUE_IN_EUROS,${month},${tonnes * 1_000_000}`,
          ];
        }),
      ),
    ),
  );
  const header = "DATAFLOW,LAST UPDATE,freq,reporter,partner,product,flow,indicators,TIME_PERIOD,OBS_VALUE";
  const file = await fileOf(join(data_dir), "six-digits.csv", [header, ...lines]);
  const { manifest } = await importFiles(data_dir, [file], { reporters: [...reporterCodes] });
  dataset = manifest.dataset;
  await releaseVintage(app, data_dir, manifest.vintage);
  await opened(service, [manifest.vintage]);
});
afterAll(() => service?.stop());

type Answer = { data: unknown; meta: Record<string, unknown> };

async function answerOf({ input, handle }: Operation, fields: Record<string, unknown>): Promise<Answer> {
  const context = {
    input: input.parse(fields),
    app: service.app,
    data: service.app.data,
    signal: new AbortController().signal,
  };
  return (await handle(context as never)) as Answer;
}

// Reports are recorded from these answers; a question in words depends on all the data of its plan.
const figures = catalogue.filter(
  (one) =>
    one.vintage !== undefined &&
    one.output.kind === "json" &&
    effectOf(one).changes === "nothing" &&
    one.name !== "fusion_query",
);
// Screening also returns goods beyond its input: its answer is made of lists.
const taking = figures.filter(({ input, lists }) => "hs" in input.shape && lists === undefined);
const each = taking.map((operation) => [operation.name, operation] as const);

test("most trade operations take a product code", () => {
  expect(each.length).toBeGreaterThan(12);
});

/** Inputs for operations whose example has another time, chapter or country. */
const inputOf = (operation: Operation): Record<string, unknown> => {
  const known = { year: 2023, month: "2023-06", years: "2022-2024", origin: "RU", partner: "CN" };
  const { shape } = operation.input;
  const fields = Object.entries({ ...known, target_country: "CN" }).filter(([name]) => name in shape);
  const { month: _, ...example } = operation.example as Record<string, unknown>;
  return { ...example, ...Object.fromEntries(fields) };
};

test.each(each)("%s cuts a code that is finer than the dataset", async (_, operation) => {
  const fields = inputOf(operation);
  const coarse = await answerOf(operation, { ...fields, dataset, hs: "440711" });
  const named = await answerOf(operation, { ...fields, dataset, hs: "44071190" });
  expect(named.meta).toMatchObject({ hs: "440711", dataset, synthetic: false });
  expect(named).toEqual(coarse);
  // Real figures of six digits come before invented ones of eight.
  expect(await answerOf(operation, { ...fields, dataset: undefined, hs: "4407119000" })).toEqual(coarse);
});

test("an unknown code is refused as before, and a code of the dataset's digits is not cut", async () => {
  const partners = catalogue.find(({ name }) => name === "trade_top_partners")!;
  const fields = { reporter: "DE", year: 2024 };
  await expect(answerOf(partners, { ...fields, dataset, hs: "72083900" })).rejects.toBeInstanceOf(Refusal);
  const exact = await answerOf(partners, { ...fields, dataset: "sandbox", hs: "44013100" });
  expect(exact.meta).toMatchObject({ hs: "44013100", synthetic: true });
});
