/** Real Eurostat files, from import to answers over HTTP; vintages are swapped during queries. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importFiles } from "../../src/operator/releases.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const shared = process.env.SHARED_DATA ?? join(import.meta.dirname, "../../../shared/data");
const folder = join(shared, "comext-bilateral");
if (!existsSync(folder))
  console.info("the real Comext files are not here: the walkthrough over them is skipped");

describe.skipIf(!existsSync(folder))("real files", () => {
  let service: Service;
  let headers: Record<string, string>;
  const files = () => readdirSync(folder).map((name) => join(folder, name));
  const limits = { threads: 2, memory_mb: 1024 };

  beforeAll(async () => {
    service = await startService();
    headers = (await service.issue()).headers;
    await openSandbox(service);
  });
  afterAll(() => service.stop());

  type Answer = { data: Record<string, unknown>[]; meta: Record<string, unknown>; status?: number };
  const ask = async (path: string) =>
    (await (await fetch(`${service.url}/v1/agent/trade/${path}`, { headers })).json()) as Answer;

  test("are imported under load, and every answer belongs to one vintage", async () => {
    const question = "balance?reporter=DE&hs=39206290&years=2024";
    const seen = new Set<string>();
    let asking = true;
    const asker = (async () => {
      while (asking) {
        const answer = await ask(question);
        // Before the real data the question is outside all coverage; while the data opens it has to wait; then it is
        // answered.
        if (answer.status === 400 || answer.status === 503) seen.add("refused");
        else seen.add(JSON.stringify([answer.meta.dataset, answer.meta.synthetic, answer.data]));
        // Querying without a pause takes the processor from the import.
        await pause(10);
      }
    })();
    await importFiles(service.app, files(), { data_dir: service.data_dir, limits });
    await until(async () => expect((await ask(question)).status).toBeUndefined());
    asking = false;
    await asker;
    expect([...seen]).toHaveLength(2);
    expect(seen.has("refused")).toBe(true);
  });

  test("answer to the euro: DE imports of 39206290 in 2024", async () => {
    const { data, meta } = await ask("top-partners?reporter=DE&hs=39206290&year=2024&flow=IMPORT&limit=100");
    const total = 75_298_685;
    const listed = 50_042_112;
    expect(meta).toMatchObject({
      dataset: "comext-ds-045409",
      synthetic: false,
      total: { value_eur: total },
    });
    const rest = data.at(-1)!;
    expect(rest).toMatchObject({ partner: "rest", rank: null, value_eur: total - listed });
    const sum = data.slice(0, -1).reduce((all, line) => all + (line.value_eur as number), 0);
    expect(sum).toBe(listed);
    expect(data.map(({ partner }) => partner)).not.toContain("WORLD");
    const { data: years } = await ask("balance?reporter=DE&hs=39206290&years=2024");
    expect(years).toMatchObject([{ year: 2024, imports_eur: total, months: 12 }]);
    const { data: months } = await ask("timeline?reporters=DE&hs=39206290&years=2024&flow=IMPORT");
    expect(months).toHaveLength(12);
    expect(months.reduce((all, month) => all + (month.imports_eur as number), 0)).toBe(total);
  });

  test("also feed the analyses of that product, which state their formulas", async () => {
    const of = "reporter=DE&hs2=39&hs=39206290&flow=IMPORT";
    for (const path of [
      `product-detail?reporter=DE&hs2=39&hs=39206290`,
      `price-per-tonne?${of}`,
      `seasonality?${of}`,
      `concentration?${of}&year=2024`,
      "heatmap?year=2024&hs2=39&hs=39206290",
      "alerts?hs=39206290",
      "flow-pulse?hs=39206290",
      "source-concentration?hs2=39&hs=39206290&year=2024",
      "corridor?reporter=DE&partner=CN&hs=39206290",
      "reroute-watch?origin=CN&month=2024-06&hs2=39&hs=39206290",
    ]) {
      const { meta } = await ask(path);
      expect([path, meta]).toEqual([
        path,
        expect.objectContaining({
          dataset: "comext-ds-045409",
          synthetic: false,
          source: expect.stringContaining("Eurostat"),
          formula: expect.stringMatching(/./),
          incomplete: expect.any(Array),
        }),
      ]);
    }
    // This question is only about wood, of which the files have nothing.
    expect((await ask("wood-products?reporter=LV&year=2024")).meta).toMatchObject({ synthetic: true });
  });

  test("change nothing when they are imported again", async () => {
    const before = await service.app.store.head();
    const { unchanged } = await importFiles(service.app, files(), { data_dir: service.data_dir, limits });
    expect(unchanged).toBe(true);
    expect(await service.app.store.head()).toEqual(before);
  });

  test("leave the national total to the marked sandbox, however many products are real", async () => {
    const { meta } = await ask("balance?reporter=DE&years=2024");
    expect(meta).toMatchObject({ dataset: "sandbox", synthetic: true });
  });
});
