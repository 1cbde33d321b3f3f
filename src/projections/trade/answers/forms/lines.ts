import type { z } from "zod";
import type { Chart, Marks, Series } from "../../../../core/model/chart.ts";
import { partnerName } from "../../../../domain/trade/reporters.ts";
import type { corridorOutput } from "../corridor.ts";
import type { codesMeta } from "../product-codes.ts";
import type { productDetailOutput } from "../product-detail.ts";
import type { balanceOutput, timelineOutput, timelineRow } from "../series.ts";
import { productTitle } from "./names.ts";

const FLOWS = [
  { column: "imports_eur", name: "imports" },
  { column: "exports_eur", name: "exports" },
] as const;

type Codes = z.infer<typeof codesMeta>;
export type Month = Omit<z.infer<typeof timelineRow>, "reporter">;

/** The Januaries in which the code, or a code of its family, changed. */
export const codeMarks = (codes: Codes | undefined, x: readonly string[]): Marks[] => {
  const years = new Set(codes?.changes.map(({ year }) => year));
  for (const { years: spans } of codes?.family ?? [])
    for (const { from } of spans) if (from !== null) years.add(from);
  const at = x.map((month) => month.endsWith("-01") && years.has(Number(month.slice(0, 4))));
  return [{ name: "codes changed", shape: "line", at }];
};

/** A line ends where its number gets other goods, and another begins: no step between both is drawn. */
export function withoutSteps(series: Series[], x: readonly string[], codes: Codes | undefined): Series[] {
  const years = codes?.family ? [] : (codes?.changes ?? []).flatMap(({ kept, year }) => (kept ? year : []));
  const begins = years.map((year) => x.indexOf(`${year}-01`)).filter((at) => at > 0);
  if (begins.length === 0) return series;
  const spans = [0, ...begins].map((from, n) => ({ from, to: begins[n] ?? x.length }));
  return series.flatMap((one) =>
    spans.map(({ from, to }) => ({
      ...one,
      name: from === 0 ? one.name : `${one.name} since ${x[from]!.slice(0, 4)}`,
      values: one.values.map((value, at) => (at >= from && at < to ? value : null)),
    })),
  );
}

/** Words after a product in the title of its family's figures. */
export const joinedWords = (codes: Codes | undefined): string =>
  codes?.family && codes.family.length > 1 ? " and the codes joined to it" : "";

const MOST_CODES = 6;

const codeList = (codes: readonly { code: string }[]): string => {
  const named = codes.slice(0, MOST_CODES).map(({ code }) => code);
  const rest = codes.length - named.length;
  return rest > 0 ? `${named.join(", ")} and ${rest} more` : named.join(", ");
};

/** Sentences on the codes of the figures: those of a sum, or what a code alone became. */
export function basisNotes(codes: Codes | undefined, hs: string | null | undefined): string[] {
  if (!codes || !hs) return [];
  const { family, changes } = codes;
  if (family && family.length > 1) return [`Sum of ${codeList(family)}, which changed into each other.`];
  return family ? [] : changes.map((change) => changeNote(hs, change));
}

function changeNote(hs: string, { year, became, came_from, kept }: Codes["changes"][number]): string {
  if (kept) return `${hs} has other goods since ${year}.`;
  if (became.length > 0) return `${hs} ended with ${year - 1} and became ${codeList(became)}.`;
  if (came_from.length > 0) return `${hs} began in ${year} and came from ${codeList(came_from)}.`;
  return `${hs} changed in ${year}.`;
}

export const flowLines = (months: Month[]): Series[] =>
  FLOWS.filter(({ column }) => months.some((month) => month[column] !== undefined)).map(
    ({ column, name }) => ({
      name,
      values: months.map((month) => (month.complete ? (month[column] ?? null) : null)),
    }),
  );

/** Part of a month's sum would look like a fall, so it is not drawn. */
export const undeliveredNotes = (months: Month[]): string[] =>
  undeliveredNote(undelivered(months).join(", "));

const undeliveredNote = (periods: string): string[] =>
  periods === "" ? [] : [`Not drawn, because not delivered in full: ${periods}.`];

/** Names the reporter of each month that the other reporters have. */
function undeliveredBy(reporters: { reporter: string; months: Month[] }[]): string[] {
  const open = reporters.map(({ reporter, months }) => ({
    reporter,
    periods: undelivered(months).join(", "),
  }));
  if (new Set(open.map(({ periods }) => periods)).size <= 1) return undeliveredNote(open[0]?.periods ?? "");
  const named = open.filter(({ periods }) => periods !== "");
  return undeliveredNote(
    named.map(({ reporter, periods }) => `${periods} of ${partnerName(reporter)}`).join("; "),
  );
}

function undelivered(months: Month[]): string[] {
  const open = months.filter(
    (month) => !month.complete && FLOWS.some(({ column }) => typeof month[column] === "number"),
  );
  return [...new Set(open.map(({ period }) => period))].sort();
}

/** A line for each reporter and flow; the title alone names what all lines share. */
export function timelineChart({ data, meta }: z.infer<typeof timelineOutput>): Chart {
  const reporters = [...new Set(data.map(({ reporter }) => reporter))];
  const monthsOf = (reporter: string | undefined) => data.filter((row) => row.reporter === reporter);
  const lines = reporters.map((reporter) => ({ reporter, flows: flowLines(monthsOf(reporter)) }));
  const flows = lines[0]?.flows ?? [];
  const flow = flows.length === 1 ? flows[0]!.name : undefined;
  const nameOf = (reporter: string, name: string) => {
    if (reporters.length === 1) return name;
    return flow === undefined ? `${reporter} ${name}` : reporter;
  };
  const x = monthsOf(reporters[0]).map(({ period }) => period);
  return {
    kind: "line",
    title: `Monthly ${flow ?? "trade"} of ${listed(reporters)}: ${productTitle(meta.hs)}${joinedWords(meta.codes)}`,
    x,
    series: withoutSteps(
      lines.flatMap(({ reporter, flows }) =>
        flows.map((line) => ({ ...line, name: nameOf(reporter, line.name) })),
      ),
      x,
      meta.codes,
    ),
    unit: "EUR",
    marks: codeMarks(meta.codes, x),
    notes: [
      ...undeliveredBy(reporters.map((reporter) => ({ reporter, months: monthsOf(reporter) }))),
      ...basisNotes(meta.codes, meta.hs),
    ],
  };
}

const MOST_LISTED = 5;

const listed = (reporters: string[]) =>
  reporters.length > MOST_LISTED ? `${reporters.length} countries` : reporters.map(partnerName).join(", ");

export function productDetailChart({ data, meta }: z.infer<typeof productDetailOutput>): Chart {
  const x = data.months.map(({ period }) => period);
  return {
    kind: "line",
    title: `${partnerName(meta.reporter)}: monthly trade in ${productTitle(meta.product)}${joinedWords(meta.codes)}`,
    x,
    series: withoutSteps(flowLines(data.months), x, meta.codes),
    unit: "EUR",
    marks: codeMarks(meta.codes, x),
    notes: [...undeliveredNotes(data.months), ...basisNotes(meta.codes, meta.product)],
  };
}

type Year = {
  year: number;
  imports_eur: number | null;
  exports_eur: number | null;
  balance_eur: number | null;
  complete: boolean;
};

/** Bars for imports and exports, a line for the balance. */
export const yearBars = (title: string, years: Year[], notes: readonly string[] = []): Chart => ({
  kind: "bar",
  title,
  x: years.map(({ year }) => String(year)),
  series: [
    ...FLOWS.map(({ column, name }) => ({
      name,
      values: years.map((year) => year[column]),
      provisional: years.map(({ complete }) => !complete),
    })),
    { name: "balance", values: years.map(({ balance_eur }) => balance_eur), as_line: true },
  ],
  unit: "EUR",
  notes: ["Balance = exports − imports.", ...notes],
});

export const balanceChart = ({ data, meta }: z.infer<typeof balanceOutput>): Chart =>
  yearBars(`Trade balance of ${partnerName(meta.reporter)}`, data, basisNotes(meta.codes, meta.hs));

/** The reporter's figures from the default database. */
export const corridorChart = ({ data, meta }: z.infer<typeof corridorOutput>): Chart =>
  yearBars(
    `Trade of ${data.reporter.name} with ${data.partner.name}`,
    data.databases[0]?.balance ?? [],
    basisNotes(meta.codes, meta.hs),
  );
