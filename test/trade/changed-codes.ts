/** Trade of a made dataset with codes that a revision changed: a code that ends, its heirs, and a number with new goods. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import { CodeHistory, type CodeLine } from "../../src/domain/trade/code-history.ts";
import type { ReporterCode } from "../../src/domain/trade/reporters.ts";
import { monthsBetween, type Period } from "../../src/domain/trade/units.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { bulkFixture, fileOf, importFiles, limits } from "../datasets/workshop.ts";

const pair = (code: string, became: string): CodeLine => ({
  nomenclature: "CN",
  year: 2021,
  code,
  name: null,
  became_year: 2022,
  became,
  reused: false,
});
export const changedCodes: readonly CodeLine[] = [
  pair("85076000", "85076000"),
  pair("85171200", "85171300"),
  pair("85171200", "85171400"),
  { ...pair("85171200", "85171300"), name: "Phones", became_year: null, became: null },
  { ...pair("85171300", "85171300"), year: 2022, name: "Smartphones", became_year: null, became: null },
  // Many to many: two codes exchange goods over a chapter's border.
  pair("90139010", "85249100"),
  pair("90139010", "90139020"),
  pair("85299090", "85249100"),
  pair("85299090", "85299090"),
  pair("44031000", "44031100"),
  pair("44031000", "44031200"),
];
const history = new CodeHistory(changedCodes);

export const months = monthsBetween(201901, 202312);

/** EUR of a code in the n-th month; the phones and their heirs together never jump. */
export const eurOf = (code: string, n: number) => {
  const base = 2_000_000 + ((n * 7_919) % 90_000);
  const before = n < 36;
  const share: Record<string, number> = {
    "44031000": before ? 1 : 0,
    "44031100": before ? 0 : 0.6,
    "44031200": before ? 0 : 0.4,
    "85076000": 5,
    "85171200": before ? 1 : 0,
    "85171300": before ? 0 : 0.75,
    "85171400": before ? 0 : 0.25,
    "90139010": before ? 1 : 0,
    "85299090": before ? 1 : 0.4,
    "85249100": before ? 0 : 1.1,
    "90139020": before ? 0 : 0.5,
  };
  return Math.round(base * share[code]!);
};
const codes = [
  "44031000",
  "44031100",
  "44031200",
  "85076000",
  "85171200",
  "85171300",
  "85171400",
  "90139010",
  "85299090",
  "85249100",
  "90139020",
];

export type ChangedTrade = {
  trade: TradeData;
  /** The same without a table of changes. */
  unchanged: TradeData;
  close(): Promise<void>;
};

type ValueOf = (code: string, n: number, period: Period) => number;

/** A file of these reporters' imports from China; a code of 0 EUR has no row. */
export async function changedTradeFile(
  dir: string,
  reporters: readonly ReporterCode[] = ["LV"],
  value: ValueOf = eurOf,
): Promise<string> {
  const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
  const lines = months.flatMap((period, n) =>
    codes.flatMap((code) => {
      const eur = value(code, n, period);
      if (eur === 0) return [];
      const amounts = `${period},${eur},${eur},${Math.round(eur / 400)},0`;
      return reporters.map((reporter) => `${reporter},CN,E,${code},76411,,,,,16,1,1,NO_SU,${amounts}`);
    }),
  );
  return fileOf(dir, "phones.csv", [header, ...lines]);
}

/** The dataset of such a file, and the table of changes. */
export async function openChangedTrade(
  reporters: readonly ReporterCode[] = ["LV"],
  value: ValueOf = eurOf,
): Promise<ChangedTrade> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  const file = await changedTradeFile(dir, reporters, value);
  const { manifest } = await importFiles(dir, [file], { reporters: [...reporters] });
  const vintages = openVintages({ ...limits, dataDir: dir });
  await vintages.serve(manifest.vintage);
  const table = { history, dataset: "code-changes", vintage: "0".repeat(64) };
  const unchanged = { vintages, allow_synthetic: false };
  return {
    trade: { ...unchanged, codesOf: (synthetic) => (synthetic ? undefined : table) },
    unchanged,
    async close() {
      await vintages.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
