/** Random datasets, and questions with random inputs. */
import { readFile } from "node:fs/promises";
import { monthsBetween, monthText } from "../../src/domain/trade/units.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { bulkFixture, fileOf, importFiles, sdmxFixture } from "../datasets/workshop.ts";
import { type Ask, type Name, questions } from "../support/from-tables.ts";

/** Seeded numbers from 0 to below 1. */
export function drawing(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, one: <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]! };
}

const REPORTERS = ["DE", "FR", "LV"];
const PARTNERS = ["FR", "DE", "RU", "TR", "KZ", "US", "CN", "XS"];
const PRODUCTS = ["39161000", "39206290", "39XXXXXX", "44071110", "44079910", "27090090", "87032319"];

/** Four years of bulk files: masses to the gram, 4 % unknown, missing months of one reporter, a Russian break. */
export async function drawnBulk(dir: string): Promise<string> {
  const draw = drawing(48);
  const header = (await readFile(bulkFixture, "utf8")).split("\n")[0]!;
  const files = monthsBetween(202101, 202412).map((period) => {
    const lines = REPORTERS.filter(
      (reporter) => reporter !== "FR" || ![202206, 202412].includes(period),
    ).flatMap((reporter) =>
      PARTNERS.filter((partner) => partner !== reporter).flatMap((partner) =>
        PRODUCTS.flatMap((product) =>
          [1, 2].flatMap((flow) => {
            const broken = partner === "RU" && period >= 202203;
            if (draw.next() < (broken ? 0.8 : 0.2)) return [];
            const grown = ["TR", "KZ"].includes(partner) && period >= 202203 ? 8 : 1;
            const eur = Math.floor(draw.next() ** 3 * 9e6 * grown) + 1;
            const kg = draw.next() < 0.04 ? 0 : Math.floor(draw.next() * 1e9) / 1000;
            const procedure = draw.one([1, 2]);
            return [
              `${reporter},${partner},E,${product},58310,2221,2221,220,211210,07,${flow},${procedure},NO_SU,${period},${eur},${eur},${kg},0`,
            ];
          }),
        ),
      ),
    );
    return fileOf(dir, `full_v2_${period}.csv`, [header, ...lines]);
  });
  const built = await importFiles(dir, await Promise.all(files), { reporters: ["DE", "FR", "LV"] });
  return built.manifest.vintage;
}

/** Files of single products with WORLD rows; some exceed the partners' sum, some have no mass. */
export async function drawnWorld(dir: string): Promise<string> {
  const draw = drawing(49);
  const header = (await readFile(sdmxFixture, "utf8")).split("\n")[0]!;
  const files = ["39206290", "44071110"].map((product) => {
    const lines = monthsBetween(202301, 202412).flatMap((period) =>
      ["DE", "LV"].flatMap((reporter) =>
        [1, 2].flatMap((flow) => {
          const row = (partner: string, indicator: string, value: string) =>
            `ESTAT:DS-045409(1.0),01/01/26 11:00:00,M,${reporter},${partner},${product},${flow},${indicator},${monthText(period)},${value}`;
          let sum = 0;
          const rows = ["RU", "TR", "US"].flatMap((partner) => {
            if (draw.next() < 0.3) return [];
            const eur = Math.floor(draw.next() * 5e6) + 1;
            sum += eur;
            const mass = row(
              partner,
              "QUANTITY_IN_100KG",
              (Math.floor(draw.next() * 1e5) / 100 + 1).toFixed(2),
            );
            return [...(draw.next() < 0.2 ? [] : [mass]), row(partner, "VALUE_IN_EUROS", String(eur))];
          });
          if (draw.next() < 0.3) return rows;
          const world = row("WORLD", "VALUE_IN_EUROS", String(sum + Math.floor(draw.next() * 1e6) + 1));
          const mass = row(
            "WORLD",
            "QUANTITY_IN_100KG",
            (Math.floor(draw.next() * 1e6) / 100 + 1).toFixed(2),
          );
          return [...rows, ...(draw.next() < 0.3 ? [] : [mass]), world];
        }),
      ),
    );
    return fileOf(dir, `${product}.csv`, [header, ...lines]);
  });
  const built = await importFiles(dir, await Promise.all(files), { reporters: ["DE", "LV"] });
  return built.manifest.vintage;
}

type Draw = ReturnType<typeof drawing>;

/** A question with random inputs; `years` are the dataset's. */
export function drawnQuestion(name: Name, draw: Draw, dataset: string, years: [number, number]) {
  const some = <T>(value: () => T, share = 0.5) => (draw.next() < share ? value() : undefined);
  const year = () => years[0] + Math.floor(draw.next() * (years[1] - years[0] + 1));
  const span = () => {
    const [from, to] = [year(), year()].sort((a, b) => a - b);
    return `${from}-${to}`;
  };
  const hs = () => draw.one(["39", "44", "27", "87", "01"]);
  const reporter = draw.one(REPORTERS);
  const flow = some(() => draw.one(["IMPORT", "EXPORT"]));
  const limit = draw.one([1, 3, 10, 50]);
  const product = { reporter, hs: hs(), years: some(span), dataset };
  const inputs: Record<Name, Record<string, unknown>> = {
    overview: { hs: some(hs, 0.3), format: draw.one(["json", "summary"]), dataset },
    countries: { hs: some(hs, 0.3), dataset },
    timeline: {
      reporters: some(() => draw.one([["DE"], ["LV", "DE"], ["FR"]])),
      flow,
      years: some(span),
      hs: some(hs),
      dataset,
    },
    topPartners: { reporter, year: some(year), flow, limit, hs: some(hs), dataset },
    topProducts: { reporter, year: some(year), flow, limit, hs: some(hs), dataset },
    balance: { reporter, years: some(span), hs: some(hs), dataset },
    heatmap: { year: year(), flow, hs: some(hs), dataset },
    detail: product,
    prices: { ...product, flow },
    season: { ...product, flow },
    concentration: { reporter, hs: some(hs), year: some(year), flow, dataset },
    corridor: {
      reporter,
      partner: draw.one(["RU", "TR", "US", "FR", "DE"]),
      years: some(span),
      hs: some(hs),
      dataset,
    },
    alerts: { months: draw.one([1, 6, 12]), flow, hs: some(hs), dataset },
    pulse: { reporter: some(() => reporter), months: draw.one([1, 6]), flow, limit, hs: some(hs), dataset },
    reroute: {
      origin: draw.one(["RU", "TR"]),
      month: draw.one(["2022-03", "2023-07", "2024-01"]),
      reporter: some(() => reporter),
      flow,
      hs: some(hs),
      limit,
      dataset,
    },
    sources: {
      reporter: some(() => reporter),
      hs: some(hs),
      year: some(year),
      flow: flow ?? "IMPORT",
      threshold: draw.one([0.5, 0.55, 0.9]),
      limit,
      dataset,
    },
  };
  const input = Object.fromEntries(Object.entries(inputs[name]).filter(([, value]) => value !== undefined));
  return { input, ask: questions[name](input) };
}

/** The answer's bytes, or the refusal's message. */
export const toldBy = (ask: Ask, trade: TradeData): Promise<string> =>
  ask(trade).then(JSON.stringify, (error: unknown) => `refused: ${(error as Error).message}`);
