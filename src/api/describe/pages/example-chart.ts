import type { App } from "../../../core/app.ts";
import type { Manifest } from "../../../datasets/manifest.ts";
import { completenessOf, gapIn, productsComplete } from "../../../domain/trade/coverage.ts";
import { partnerName, type ReporterCode } from "../../../domain/trade/reporters.ts";
import { type Flow, flows, monthsBetween, type Years, yearOf } from "../../../domain/trade/units.ts";
import { dataOf, vintage } from "../../../projections/trade/answers/data.ts";
import { timelineChart } from "../../../projections/trade/answers/forms/lines.ts";
import { flowWord, productTitle } from "../../../projections/trade/answers/forms/names.ts";
import { candidateDatasets, type TradeData } from "../../../projections/trade/answers/question.ts";
import { timeline } from "../../../projections/trade/answers/series.ts";
import type { Path } from "../../declare/operation.ts";
import type { Document } from "../document.ts";

export const CHARTED_BY = "trade_timeline";

const CHART = "/chart.svg";
export const NARROW_CHART = "/chart-narrow.svg";

/** Countries whose trade most readers roughly know. */
const WELL_KNOWN: readonly string[] = ["DE", "FR", "PL"];
const [MOST_YEARS, MOST_REPORTERS] = [5, 3];

export type ChartQuery = {
  dataset: string;
  reporters: ReporterCode[];
  flow: Flow;
  years: Years;
  hs: string | undefined;
};

export function chartedIn(trade: TradeData): ChartQuery | undefined {
  for (const manifest of candidateDatasets(trade))
    for (const flow of flows) {
      const charted = chartedOf(manifest, flow);
      if (charted) return charted;
    }
  return undefined;
}

function chartedOf({ dataset, coverage }: Manifest, flow: Flow): ChartQuery | undefined {
  const { products, months } = coverage;
  const [shortest] = products.codes.toSorted((a, b) => a.length - b.length);
  const hs = productsComplete(coverage, {}) ? undefined : shortest;
  const known = completenessOf(coverage, hs);
  const all = coverage.reporters.map(({ reporter }) => reporter);
  const covered = monthsBetween(months.from, months.to).filter((period) =>
    all.some((code) => known(code, flow, period)),
  );
  const last = covered.at(-1);
  if (last === undefined) return undefined;
  const upTo = (to: number): Years => ({ from: Math.max(yearOf(covered[0]!), to - MOST_YEARS + 1), to });
  const years = upTo(yearOf(last));
  const drawn = covered.filter((period) => yearOf(period) >= years.from);
  const monthsOf = (code: ReporterCode) => drawn.filter((period) => known(code, flow, period)).length;
  const rank = (code: ReporterCode) =>
    WELL_KNOWN.includes(code) ? WELL_KNOWN.indexOf(code) : WELL_KNOWN.length;
  const reporters = all
    .filter((code) => monthsOf(code) > 0)
    .toSorted((a, b) => rank(a) - rank(b) || monthsOf(b) - monthsOf(a))
    .slice(0, MOST_REPORTERS);
  // Leaves out an incomplete last year, which would look like a fall in trade.
  const isWhole = (year: number) =>
    monthsBetween(year * 100 + 1, year * 100 + 12).every((period) =>
      reporters.every((code) => known(code, flow, period)),
    );
  const whole = drawn.map(yearOf).findLast(isWhole);
  const charted = { dataset, reporters, flow, years: whole === undefined ? years : upTo(whole), hs };
  return gapIn(coverage, charted, false) === undefined ? charted : undefined;
}

export function aboutChart({ reporters, flow, years: { from, to }, hs }: ChartQuery): string {
  const names = new Intl.ListFormat("en-GB").format(reporters.map(partnerName));
  const product = hs === undefined ? "" : `, ${productTitle(hs)}`;
  const span = from === to ? String(to) : `${from} to ${to}`;
  return `A line chart: monthly ${flowWord(flow)} of ${names}${product}, ${span}`;
}

export function exampleChart(app: App): { path: string; narrow_path: string; about: string } | undefined {
  const charted = chartedIn(dataOf(app.data));
  return charted && { path: CHART, narrow_path: NARROW_CHART, about: aboutChart(charted) };
}

export function chartDocument(path: Path = CHART, width?: number): Document {
  let drawn: { of: string; picture: Promise<Buffer> } | undefined;
  return {
    path,
    type: "image/svg+xml",
    summary: `The chart on the page at /, from the newest data${width === undefined ? "" : ", for a phone"}`,
    render: async (app) => {
      const of = vintage(app.data) ?? "";
      if (drawn?.of !== of) drawn = { of, picture: draw(app, width) };
      const { picture } = drawn;
      const body = await picture.catch((error) => {
        drawn = undefined;
        throw error;
      });
      return { body: body.toString(), headers: { "Cache-Control": "no-cache" } };
    },
  };
}

/** If there is no chart, the page shows the operation's own refusal. */
async function draw(app: App, width: number | undefined): Promise<Buffer> {
  const data = dataOf(app.data);
  const charted = chartedIn(data);
  const answer = await timeline(
    data,
    charted ? { ...charted, years: `${charted.years.from}-${charted.years.to}` } : {},
  );
  const chart = timelineChart(answer);
  if (charted?.hs !== undefined) chart.title += `: ${productTitle(charted.hs)}`;
  return app.printer.print({ form: "image/svg+xml", chart, provenance: answer.meta, width });
}
