/** What a dataset knows, and whether it knows enough to answer a question. Pure: decided before any row is read. */
import type { ReporterCode } from "./reporters.ts";
import { monthText, type Period, type Years, yearOf } from "./units.ts";

export type ReporterCoverage = {
  reporter: ReporterCode;
  from: Period;
  /** The last month this reporter has delivered in full; the one before `from` when there is none. */
  to: Period;
  /** Months with some rows after `to`: provisional. */
  provisional: Period[];
  /** Months from `from` to `to` that were never imported. */
  missing: Period[];
};

/** Whether the reporter has delivered the month in full. */
export const hasDelivered = (coverage: ReporterCoverage, period: Period): boolean =>
  coverage.from <= period && period <= coverage.to && !coverage.missing.includes(period);

export type Coverage = {
  months: { from: Period; to: Period };
  reporters: ReporterCoverage[];
  products: {
    /** All chapters are there, so that their sum is the national total. */
    national: boolean;
    /** Prefixes below which every code is there; "" is everything. */
    complete_below: string[];
    /** The codes that have rows, sorted. */
    codes: string[];
  };
};

export type Question = {
  hs?: string | undefined;
  reporters: readonly ReporterCode[];
  years?: Years | undefined;
};

/** Why a dataset cannot answer; `path` is the input field to change. */
export type Gap = { path: "hs" | "reporter" | "years"; message: string };

/** The last calendar year that every reporter of the dataset has delivered in full; undefined when there is none. */
export function lastCompleteYear({ reporters }: Coverage): number | undefined {
  if (reporters.length === 0) return undefined;
  const end = Math.min(...reporters.map(({ to }) => (to % 100 === 12 ? yearOf(to) : yearOf(to) - 1)));
  const start = Math.max(
    ...reporters.map(({ from }) => (from % 100 === 1 ? yearOf(from) : yearOf(from) + 1)),
  );
  const ragged = new Set(reporters.flatMap(({ missing }) => missing.map(yearOf)));
  for (let year = end; year >= start; year--) if (!ragged.has(year)) return year;
  return undefined;
}

/** Whether the products under `hs` (all products without it) are there without a hole. */
export function productsComplete({ products }: Coverage, hs: string | undefined): boolean {
  if (hs === undefined) return products.national;
  return products.codes.includes(hs) || products.complete_below.some((prefix) => hs.startsWith(prefix));
}

/** The first thing the question asks for that lies outside; a partly covered product is a gap unless `partial` is allowed. */
export function gapIn(coverage: Coverage, question: Question, partial: boolean): Gap | undefined {
  const { hs, years } = question;
  if (!productsComplete(coverage, hs)) {
    const known = coverage.products.codes.filter((code) => code.startsWith(hs ?? ""));
    if (!partial || known.length === 0)
      return { path: "hs", message: productGap(coverage, hs, known.length) };
  }
  const present = new Set(coverage.reporters.map(({ reporter }) => reporter));
  const absent = question.reporters.filter((code) => !present.has(code));
  if (absent.length > 0) {
    return {
      path: "reporter",
      message: `covers the reporters ${[...present].join(", ")}; not ${absent.join(", ")}`,
    };
  }
  const { from, to } = coverage.months;
  if (years && (years.from < yearOf(from) || years.to > yearOf(to))) {
    return { path: "years", message: `covers ${monthText(from)} to ${monthText(to)}` };
  }
  return undefined;
}

const LISTED = 60;

function productGap({ products }: Coverage, hs: string | undefined, known: number): string {
  const part = hs === undefined ? "of all products" : `below ${hs}`;
  if (known > 0) return `covers ${known} codes ${part}, not all of them`;
  if (products.codes.length <= LISTED) return `covers the products ${products.codes.join(", ")}`;
  const deeper =
    products.complete_below.length > 0 ? `, and all codes below ${products.complete_below.join(", ")}` : "";
  return `covers ${products.codes.length} codes${products.national ? ", all 2-digit chapters among them" : ""}${deeper}; not ${hs}`;
}
