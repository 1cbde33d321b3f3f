/** A code of wood that ends, over all 27 reporters: heatmap, mirror, wood products and the prose of reports. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openVintages, type VintageStore } from "../../src/datasets/vintage-store.ts";
import { CodeHistory, type CodeLine } from "../../src/domain/trade/code-history.ts";
import { countryStats, countryStatsInput } from "../../src/projections/fusion/answers/country-stats.ts";
import { market, marketInput } from "../../src/projections/fusion/answers/market.ts";
import { anyTargetInput } from "../../src/projections/mirror/answers/answer.ts";
import { reconstruct } from "../../src/projections/mirror/answers/reconstruct.ts";
import { sectionWriters } from "../../src/projections/reports/answers/section-writers.ts";
import { reportDraft } from "../../src/projections/reports/writing.ts";
import { heatmap, heatmapInput } from "../../src/projections/trade/answers/heatmap.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { woodInput, woodProducts } from "../../src/projections/trade/answers/wood.ts";
import { limits } from "../datasets/workshop.ts";
import { storeOf } from "../reference/store-of.ts";
import { sandboxIn } from "../support/sandbox.ts";

const pair = (became: string): CodeLine => ({
  nomenclature: "CN",
  year: 2022,
  code: "44011100",
  name: null,
  became_year: 2023,
  became,
  reused: false,
});
const heirs = ["44013100", "44013200"];
const history = new CodeHistory(heirs.map(pair));

let dir: string;
let vintages: VintageStore;
let trade: TradeData;
let unchanged: TradeData;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  vintages = openVintages({ ...limits, dataDir: dir });
  await vintages.serve(await sandboxIn(dir));
  unchanged = { vintages, allow_synthetic: true };
  const table = { history, dataset: "sandbox-code-changes", vintage: "0".repeat(64) };
  trade = { ...unchanged, codesOf: () => table };
});
afterAll(async () => {
  await vintages?.close();
  await rm(dir, { recursive: true, force: true });
});

test("a heatmap shows no change against a year without the code, and one on the basis of its family", async () => {
  const mapOf = (from: TradeData, fields: object) =>
    heatmap(from, heatmapInput.parse({ flow: "IMPORT", ...fields }));
  const alone = await mapOf(trade, { year: 2023, hs: heirs[0] });
  expect(new Set(alone.data.map(({ change }) => change))).toEqual(new Set([null]));
  expect(alone.data.every(({ value_eur, complete }) => value_eur !== null && complete)).toBe(true);
  const known = await mapOf(unchanged, { year: 2023, hs: heirs[0] });
  expect(known.data.some(({ change }) => change !== null)).toBe(true);
  const before = await mapOf(trade, { year: 2022, hs: heirs[0] });
  expect(before.data.some(({ complete }) => complete)).toBe(false);

  const family = await mapOf(trade, { year: 2023, hs: heirs[0], basis: "family" });
  const totals = async (year: number, hs: string) =>
    (await mapOf(unchanged, { year, hs })).meta.total.value_eur!;
  expect(family.meta.total.value_eur).toBe((await totals(2023, heirs[0]!)) + (await totals(2023, heirs[1]!)));
  const [first] = family.data;
  const of = async (year: number, hs: string) =>
    (await mapOf(unchanged, { year, hs })).data.find(({ reporter }) => reporter === first!.reporter)!
      .value_eur!;
  const now = (await of(2023, heirs[0]!)) + (await of(2023, heirs[1]!));
  expect(first!.change).toBeCloseTo(now / (await of(2022, "44011100")) - 1, 6);
});

test("a mirror omits the months without the code, and follows the family where it is named", async () => {
  const mirrorOf = (from: TradeData, fields: object) =>
    reconstruct(
      from,
      () => undefined,
      anyTargetInput.parse({ target_country: "FR", direction: "IMPORT", cif_fob: 0, ...fields }),
    );
  const valuesOf = ({ data }: Awaited<ReturnType<typeof mirrorOf>>, year: number) =>
    data.filter((one) => one.year === year).map(({ value_eur }) => value_eur);
  const alone = await mirrorOf(trade, { hs: "44011100" });
  expect(valuesOf(alone, 2023)).toEqual([]);
  expect(alone.meta.codes!.changes[0]).toMatchObject({ year: 2023, kept: false });
  const family = await mirrorOf(trade, { hs: "44011100", basis: "family" });
  const [one, other] = await Promise.all(heirs.map((hs) => mirrorOf(unchanged, { hs })));
  const after = valuesOf(one!, 2023).map((value, n) => value + valuesOf(other!, 2023)[n]!);
  expect(after).toHaveLength(12);
  expect(valuesOf(family, 2023)).toEqual(after);
  expect(valuesOf(family, 2022)).toEqual(valuesOf(alone, 2022));
  expect(family.meta.codes!.family!.map(({ code }) => code)).toEqual(["44011100", ...heirs]);
  // One year, in which the code does not exist: refused with its heirs, or the heirs' sum.
  await expect(mirrorOf(trade, { hs: "44011100", year: 2023 })).rejects.toMatchObject({
    message: expect.stringMatching(
      /^44011100 is not a code of 2023: it became 44013100, 44013200 in 2023; basis=family follows its goods/,
    ),
  });
  const inYear = await mirrorOf(trade, { hs: "44011100", year: 2023, basis: "family" });
  expect(valuesOf(inYear, 2023)).toEqual(after);
});

test("a number with other goods shows no change or growth; with its family it does", async () => {
  const kept = new CodeHistory([pair("44011100"), pair(heirs[0]!)]);
  const table = { history: kept, dataset: "sandbox-code-changes", vintage: "1".repeat(64) };
  const other: TradeData = { ...unchanged, codesOf: () => table };
  const hs = "44011100";
  const changes = async (from: TradeData) => {
    const { data } = await heatmap(from, heatmapInput.parse({ flow: "IMPORT", year: 2023, hs }));
    return data.filter(({ change }) => change !== null).length;
  };
  expect(await changes(unchanged)).toBeGreaterThan(0);
  expect(await changes(other)).toBe(0);
  const yearsOf = async (from: TradeData, fields: object) => {
    const input = countryStatsInput.parse({ country: "DE", years: "2022-2023", hs, ...fields });
    return (await countryStats(from, input)).data;
  };
  const [before, alone] = await yearsOf(other, { basis: "reported" });
  expect(alone!.imports_growth).toBeNull();
  const [, heir] = await yearsOf(unchanged, { hs: heirs[0] });
  const [, family] = await yearsOf(other, {});
  expect(family!.imports_eur).toBe(alone!.imports_eur! + heir!.imports_eur!);
  expect(family!.imports_growth).toBeCloseTo(family!.imports_eur! / before!.imports_eur! - 1, 6);
});

test("wood products of a family are one line, whose partners add up its codes", async () => {
  const linesOf = async (from: TradeData, fields: object) => {
    const input = woodInput.parse({ reporter: "DE", year: 2023, flow: "IMPORT", hs: "440131", ...fields });
    return (await woodProducts(from, input)).data;
  };
  const all = { hs: "44" };
  const apart = await linesOf(unchanged, all);
  const heading = apart.find(({ product }) => product === "4401")!;
  expect((await linesOf(trade, all)).find(({ product }) => product === "4401")).toEqual(heading);
  const [line] = await linesOf(trade, { basis: "family" });
  expect(line!.codes).toBe(heirs.join(" "));
  const single = (
    await Promise.all([{ hs: "440131" }, { hs: "440132" }].map((one) => linesOf(unchanged, one)))
  ).map(([first]) => first!);
  expect(line!.value_eur).toBe(single.reduce((sum, { value_eur }) => sum + value_eur, 0));
  const [partner] = line!.top_partners;
  const parts = single.flatMap(({ top_partners }) =>
    top_partners.filter((one) => one.partner === partner!.partner),
  );
  expect(parts.length).toBeGreaterThan(0);
  expect(partner!.value_eur).toBeGreaterThanOrEqual(Math.max(...parts.map(({ value_eur }) => value_eur)));
});

test("a report names the change, the codes of its sums, and what a code alone leaves unknown", async () => {
  const written = async (fields: Record<string, unknown>) => {
    const input = marketInput.parse({ hs: "44011100", flow: "IMPORT", ...fields });
    const answer = await market(trade, await storeOf(), input);
    const origin = {
      operation: "fusion_market_intel",
      input: fields,
      answer_sha256: "",
      dataset: "",
      vintage: "",
      synthetic: true,
    };
    const report = reportDraft(async () => ({ answer, origin }) as never);
    const sections = sectionWriters.fusion_market_intel(
      report,
      await report.ask("fusion_market_intel", fields),
    );
    const { limits, facts } = report.parts(sections);
    return {
      facts,
      limits: limits.map(({ text }) => text.replaceAll("\u00a0", " ")),
      texts: sections.flatMap(({ findings }) => findings.map(({ text }) => text)),
    };
  };
  const family = await written({});
  expect(family.limits[0]).toMatch(
    /^HS 44011100 \[F1\] changed in 2023 \[F2\]: its figures are sums with HS 44013100 \[F3\] and 44013200 \[F4\], the codes that changes join to it; a sum cannot be divided\.$/,
  );
  expect(family.facts[2]).toMatchObject({ value: "44013100", from: { path: "/meta/codes/family/1/code" } });
  expect(family.texts[0]).toContain("with the codes joined to it");
  const alone = await written({ basis: "reported" });
  expect(alone.limits[0]).toContain("years without this code are unknown, and no other code is added");
  expect(alone.texts[0]).not.toContain("joined");
});
