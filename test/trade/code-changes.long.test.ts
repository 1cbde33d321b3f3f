/** The real change of 2022 over a made dataset of all codes, and the sums of the real files here. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeChanges } from "../../src/datasets/reference/code-changes.ts";
import { readTextFile } from "../../src/datasets/reference/read.ts";
import { openVintages, type VintageStore } from "../../src/datasets/vintage-store.ts";
import { familiesIn } from "../../src/domain/trade/code-families.ts";
import { CodeHistory, type CodeLine } from "../../src/domain/trade/code-history.ts";
import { monthText } from "../../src/domain/trade/units.ts";
import { alerts, alertsInput } from "../../src/projections/trade/answers/alerts.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { timeline, timelineInput } from "../../src/projections/trade/answers/series.ts";
import { bulkFixture, fileOf, importFiles, limits } from "../datasets/workshop.ts";

const shared = process.env.SHARED_DATA ?? join(import.meta.dirname, "../../../shared/data");
const changes = join(shared, "cn-changes");
const isHere = existsSync(changes);
if (!isHere) console.info("the real editions are not here: their tests are skipped");

async function realHistory(): Promise<{ history: CodeHistory; lines: CodeLine[] }> {
  const lines: CodeLine[] = [];
  for (const name of ["CN2021.csv.gz", "CN2022.csv.gz", "CN2021_CN2022.csv.gz"]) {
    const { header, text } = await readTextFile(join(changes, name));
    const layout = codeChanges.layouts.find(({ matches }) => matches(header))!;
    lines.push(...layout.read({ name, text }));
  }
  return { history: new CodeHistory(lines), lines };
}

const withCodes = (vintages: VintageStore, history: CodeHistory): TradeData => {
  const table = { history, dataset: "code-changes", vintage: "0".repeat(64) };
  return { vintages, allow_synthetic: false, codesOf: () => table };
};

describe.skipIf(!isHere)("a made dataset of all codes, before and after the revision", () => {
  const months = [202111, 202112, 202201, 202202];
  let dir: string;
  let trade: TradeData;
  let history: CodeHistory;
  let codes: Record<number, string[]>;
  const eurOf = (code: string, period: number) => 1 + ((Number(code) * 31 + period * 17) % 99_991);

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
    const real = await realHistory();
    history = real.history;
    const all = [
      ...new Set(
        real.lines.flatMap(({ code, became }) => [code, became ?? ""]).filter((code) => code.length === 8),
      ),
    ].sort();
    codes = Object.fromEntries(
      [2021, 2022].map((year) => [year, all.filter((code) => history.exists(code, year))]),
    );
    const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
    const lines = months.flatMap((period) =>
      codes[Math.floor(period / 100)]!.map((code) => {
        const eur = eurOf(code, period);
        return `LV,CN,E,${code},1,1,1,1,1,1,1,1,NO_SU,${period},${eur},${eur},1,0`;
      }),
    );
    const file = await fileOf(dir, "all.csv", [header, ...lines]);
    const { manifest } = await importFiles(dir, [file], { reporters: ["LV"] });
    const vintages = openVintages({ ...limits, dataDir: dir });
    await vintages.serve(manifest.vintage);
    trade = withCodes(vintages, history);
    return () => vintages.close();
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const ask = async (fields: object) => {
    const input = timelineInput.parse({ reporters: ["LV"], flow: "IMPORT", ...fields });
    return (await timeline(trade, input)).data.map(({ imports_eur }) => imports_eur ?? null);
  };

  test("no code that ended or began has a zero outside its years", async () => {
    const ended = codes[2021]!.filter((code) => !history.exists(code, 2022));
    const begun = codes[2022]!.filter((code) => !history.exists(code, 2021));
    expect([ended.length, begun.length]).toEqual([350, 592]);
    let zeros = 0;
    for (const hs of [...ended, ...begun]) {
      const found = await ask({ hs });
      zeros += found.filter((value) => value === 0).length;
      const isKnown = months.map((period) => history.exists(hs, Math.floor(period / 100)));
      expect(found).toEqual(months.map((period, at) => (isKnown[at] ? eurOf(hs, period) : null)));
    }
    expect(zeros).toBe(0);
  });

  test("families and single codes add up to the total of all codes in each month", async () => {
    const families = familiesIn(history, 8, { from: 2021, to: 2022 });
    const inFamily = new Map(
      [2021, 2022].map((year) => [year, new Set(families.flatMap((family) => family.inYear(year)))]),
    );
    const sums = months.map((period) => {
      const year = Math.floor(period / 100);
      const single = codes[year]!.filter((code) => !inFamily.get(year)!.has(code));
      return single.reduce((sum, code) => sum + eurOf(code, period), 0);
    });
    for (const family of families) {
      const [old, young] = [family.inYear(2021)[0], family.inYear(2022)[0]];
      const found = await ask(old === undefined ? { hs: young, basis: "2022" } : { hs: old, basis: "2021" });
      for (const [at, value] of found.entries()) sums[at]! += value ?? 0;
    }
    expect(sums).toEqual(await ask({}));
  });
});

const retired = join(shared, "../cases/codes/retired-code.csv");
describe.skipIf(!isHere || !existsSync(retired))("the retired code of the shared cases", () => {
  test("has no alert, null after its end, its heirs, and a family that goes on", async () => {
    const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
    const { manifest } = await importFiles(dir, [retired], { reporters: ["LV"] });
    const vintages = openVintages({ ...limits, dataDir: dir });
    await vintages.serve(manifest.vintage);
    const trade = withCodes(vintages, (await realHistory()).history);
    const ask = async (fields: object) =>
      timeline(trade, timelineInput.parse({ reporters: ["LV"], flow: "IMPORT", hs: "85171200", ...fields }));
    const reported = await ask({});
    for (const { period, imports_eur } of reported.data)
      expect(imports_eur === null).toBe(period >= monthText(202201));
    expect(reported.meta.codes!.changes[0]!.became).toMatchObject([
      { code: "85171300", name: expect.stringMatching(/^Smartphones/) },
      { code: "85171400" },
    ]);
    const family = await ask({ basis: "family" });
    expect(family.data.every(({ imports_eur, complete }) => complete && imports_eur! > 0)).toBe(true);
    for (const hs of ["85171200", "85171300", "85171400"]) {
      const found = await alerts(
        trade,
        alertsInput.parse({ reporter: "LV", months: 24, hs, flow: "IMPORT" }),
      );
      expect(found.data.alerts).toEqual([]);
      expect(found.data.movers.every(({ change }) => Math.abs(change!) < 0.5)).toBe(true);
    }
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  });
});
