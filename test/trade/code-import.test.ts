/** The way of codes, units and procedures from files through the service: two imports of parts, then answers by HTTP. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { monthsBetween } from "../../src/domain/trade/units.ts";
import { importReference } from "../../src/operator/reference.ts";
import { importFiles } from "../../src/operator/releases.ts";
import { bulkFixture, fileOf, limits } from "../datasets/workshop.ts";
import { opened } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

let service: Service;
let headers: { Authorization: string };
beforeAll(async () => {
  service = await startService();
  ({ headers } = await service.issue());
});
afterAll(() => service?.stop());

type Answer = { data: Record<string, unknown>[]; meta: Record<string, unknown> };

async function get(path: string): Promise<{ status: number; body: Answer }> {
  const response = await fetch(`${service.url}/v1/agent/trade/${path}`, { headers });
  return { status: response.status, body: (await response.json()) as Answer };
}

test("a year is merged from two imports, and an answer names the heirs of a code that ended", async () => {
  const { app, data_dir } = service;
  const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
  const line = (product: string, period: number, procedure: number, eur: number) =>
    `LV,CN,E,${product},1,1,1,1,1,1,1,${procedure},NO,${period},${eur},${eur},10,4`;
  const part = async (name: string, from: number, to: number) => {
    const lines = monthsBetween(from, to).flatMap((period) =>
      period < 202201
        ? [line("85171200", period, 1, 300), line("85171200", period, 2, 100)]
        : [line("85171300", period, 1, 250), line("85171400", period, 3, 150)],
    );
    const file = await fileOf(data_dir, name, [header, ...lines]);
    const options = { data_dir, limits, reporters: ["LV"] as "LV"[] };
    return (await importFiles(app, [file], options)).facts;
  };
  await part("first.csv", 202101, 202203);
  const merged = await part("second.csv", 202204, 202212);
  expect(merged.periods).toEqual({ from: 202101, to: 202212 });
  await opened(service, [merged.vintage]);

  const hs = "reporters=LV&flow=IMPORT&hs=85171200";
  const before = await get(`timeline?${hs}`);
  expect(before.body.data.at(-1)).toMatchObject({ imports_eur: 0, complete: true });
  expect((await get(`timeline?${hs}&basis=family`)).status).toBe(400);

  const tables = [
    await fileOf(data_dir, "pairs.csv", [
      "CN 2021,CN 2022,TYPE",
      "85171200,85171300,-",
      "85171200,85171400,-",
    ]),
    await fileOf(data_dir, "cn22.csv", [
      "CN 2022,SupText,URI,Name",
      "85171300,Smartphones,x,8517 13 00 -- Smartphones",
    ]),
  ];
  const { facts } = await importReference(app, data_dir, tables);
  expect(facts).toMatchObject({ dataset: "code-changes", rows: 3, as_of: "2022" });
  await until(() => app.data.reference.open().some(({ dataset }) => dataset === "code-changes"));

  const reported = await get(`timeline?${hs}`);
  expect(reported.body.data.slice(12).every(({ imports_eur }) => imports_eur === null)).toBe(true);
  expect(reported.body.meta.codes).toMatchObject({
    from: `code-changes, vintage ${facts.vintage}`,
    changes: [{ year: 2022, became: [{ code: "85171300", name: "Smartphones" }, { code: "85171400" }] }],
  });
  expect(reported.body.meta.rests_on).toContain(facts.vintage);
  const family = await get(`timeline?${hs}&basis=family`);
  expect(family.body.data.map(({ imports_eur }) => imports_eur)).toEqual(Array(24).fill(400));
  const outward = await get("timeline?reporters=LV&flow=IMPORT&procedure=outward&years=2022");
  expect(outward.body.data.map(({ imports_eur }) => imports_eur)).toEqual(Array(12).fill(150));
  const price = await get("price-per-tonne?reporter=LV&hs=85171300&flow=IMPORT&years=2022");
  const { series } = price.body.data as unknown as { series: Record<string, unknown>[] };
  expect(series[0]).toMatchObject({ price_eur_per_unit: 62.5, unit: "NO", quantity_in_units: 4 });

  // The earlier state, named without a table, answers as before.
  const again = await get(`timeline?${hs}&vintage=${merged.vintage},none`);
  expect(again.body.data).toEqual(before.body.data);
});
