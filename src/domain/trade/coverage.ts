/** What a dataset knows, and whether it knows enough to answer a question. Pure: decided before any row is read. */
import { productLevels } from "./products.ts";
import type { ReporterCode } from "./reporters.ts";
import {
  type Flow,
  flows,
  monthsBetween,
  monthsSince,
  monthText,
  type Period,
  type Years,
  yearOf,
} from "./units.ts";

export type ReporterCoverage = {
  reporter: ReporterCode;
  from: Period;
  /** The last month this reporter has delivered in full; the one before `from` when there is none. */
  to: Period;
  /** Months with some rows after `to`: provisional. */
  provisional: Period[];
  /** Months from `from` to `to` of which a flow was never imported. */
  missing: Period[];
};

/** What files spoke for: every combination of these, in each month from `from` to `to`. No row there means no trade. */
export type Spoken = {
  /** Codes as imported; [""] is all products. */
  products: string[];
  /** The partners it is about; without it, all of them. */
  partners?: string[];
  reporters: ReporterCode[];
  flows: Flow[];
  from: Period;
  to: Period;
};

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
  /** Without overlap: a product, reporter, flow, month (and partner, where named) stands in one of them at most. */
  spoken: Spoken[];
};

export type Question = {
  hs?: string | undefined;
  /** The one partner asked about; without it, all of them together or beside each other. */
  partner?: string | undefined;
  /** All products are to be told apart down to codes of so many digits. */
  digits?: number | undefined;
  reporters: readonly ReporterCode[];
  flow?: Flow | undefined;
  years?: Years | undefined;
};

/** Why a dataset cannot answer; `path` is the input field to change. */
export type Gap = { path: "hs" | "partner" | "reporter" | "flow" | "years"; message: string };

/** The flows asked for: the one named, else both. */
export const flowsOf = (flow: Flow | undefined): readonly Flow[] => (flow === undefined ? flows : [flow]);

/** What a question is about, of products and partners. */
type Subject = Pick<Question, "hs" | "partner" | "digits">;

/** The only partners a dataset knows; undefined where it knows all of them. */
export function knownPartners({ spoken }: Coverage): string[] | undefined {
  const named = spoken.flatMap(({ partners }) => partners ?? []);
  return named.length === 0 ? undefined : [...new Set(named)].sort();
}

/** What was spoken for of the products that `hs` sums up (all products without it), with the partner asked about. */
function spokenOn({ spoken }: Coverage, { hs = "", partner }: Subject): Spoken[] {
  return spoken.filter(
    ({ products, partners }) =>
      products.some((code) => code === "" || code.startsWith(hs)) &&
      (partners === undefined || (partner !== undefined && partners.includes(partner))),
  );
}

/** Whether a reporter's flow of a month is known in full: delivered, and every product asked for spoken for. */
export type Known = (reporter: ReporterCode, flow: Flow, period: Period) => boolean;

/** Products and partners of which it is kept what a coverage knows. */
const MOST_KEPT = 200;
/** A coverage never changes, and every answer asks it for every month: 27 reporters over 21 years are 13,608 of them. */
const kept = new WeakMap<Coverage, Map<string, Known>>();

/** Tells what is known of the products under `hs` (of all products without it), with one partner or with all. */
export function knownOf(coverage: Coverage, hs: string | undefined, partner?: string): Known {
  const known = kept.get(coverage) ?? new Map<string, Known>();
  kept.set(coverage, known);
  const subject = JSON.stringify([hs, partner]);
  const found = known.get(subject);
  if (found) return found;
  const [oldest] = known.keys();
  if (known.size >= MOST_KEPT) known.delete(oldest!);
  const made = eachMonthOnce(coverage.months, knownBy(coverage, hs, partner));
  known.set(subject, made);
  return made;
}

/** As `known` tells it, which is asked once for each month. */
function eachMonthOnce({ from, to }: Coverage["months"], known: Known): Known {
  const months = monthsBetween(from, to);
  const told = { IMPORT: new Map<ReporterCode, boolean[]>(), EXPORT: new Map<ReporterCode, boolean[]>() };
  return (reporter, flow, period) => {
    let found = told[flow].get(reporter);
    if (!found) {
      found = months.map((month) => known(reporter, flow, month));
      told[flow].set(reporter, found);
    }
    return found[monthsSince(from, period)] === true;
  };
}

function knownBy(coverage: Coverage, hs: string | undefined, partner?: string): Known {
  const wanted = coverage.products.codes.filter((code) => code.startsWith(hs ?? "")).length;
  const delivered = new Map(coverage.reporters.map((entry) => [entry.reporter, entry]));
  type Span = { from: Period; to: Period; products: number };
  const spans = { IMPORT: new Map<ReporterCode, Span[]>(), EXPORT: new Map<ReporterCode, Span[]>() };
  for (const { products, reporters, flows, from, to } of spokenOn(coverage, { hs, partner })) {
    const counted = products.includes("")
      ? Number.POSITIVE_INFINITY
      : products.filter((code) => code.startsWith(hs ?? "")).length;
    for (const flow of flows)
      for (const code of reporters) {
        const known = spans[flow].get(code) ?? [];
        spans[flow].set(code, known);
        known.push({ from, to, products: counted });
      }
  }
  return (reporter, flow, period) => {
    const months = delivered.get(reporter);
    if (!months || period > months.to || months.missing.includes(period)) return false;
    let products = 0;
    for (const span of spans[flow].get(reporter) ?? [])
      if (span.from <= period && period <= span.to) products += span.products;
    return products > 0 && products >= wanted;
  };
}

/**
 * The last calendar year that every reporter of the dataset has delivered in full and of which all that is asked
 * for is known; undefined when there is none.
 */
export function lastCompleteYear(coverage: Coverage, question: Question): number | undefined {
  const { reporters } = coverage;
  if (reporters.length === 0) return undefined;
  const end = Math.min(...reporters.map(({ to }) => (to % 100 === 12 ? yearOf(to) : yearOf(to) - 1)));
  const start = Math.max(
    ...reporters.map(({ from }) => (from % 100 === 1 ? yearOf(from) : yearOf(from) + 1)),
  );
  const ragged = new Set(reporters.flatMap(({ missing }) => missing.map(yearOf)));
  const known = knownOf(coverage, question.hs, question.partner);
  const isKnown = (year: number) =>
    question.reporters.every((code) =>
      flowsOf(question.flow).every((flow) =>
        monthsBetween(year * 100 + 1, year * 100 + 12).every((period) => known(code, flow, period)),
      ),
    );
  for (let year = end; year >= start; year--) if (!ragged.has(year) && isKnown(year)) return year;
  return undefined;
}

/** The last calendar year of which anything that is asked for was spoken for. */
export function lastYearWithAny(coverage: Coverage, question: Question): number {
  return yearOf(Math.max(coverage.months.from, ...spokenOf(coverage, question).map(({ to }) => to)));
}

/** What was spoken for of the products, the reporters and the flow that a question asks for. */
function spokenOf(coverage: Coverage, { reporters, flow, ...subject }: Question): Spoken[] {
  return spokenOn(coverage, subject).filter(
    (span) =>
      (reporters.length === 0 || span.reporters.some((code) => reporters.includes(code))) &&
      (flow === undefined || span.flows.includes(flow)),
  );
}

/**
 * Whether the products under `hs` (all products without it) are there without a hole, told apart to `digits` digits, with
 * all partners or the one asked about.
 */
export function productsComplete(coverage: Coverage, { hs, partner, digits = 0 }: Subject): boolean {
  const { products } = coverage;
  if (partner === undefined && knownPartners(coverage)) return false;
  if (products.complete_below.some((prefix) => hs?.startsWith(prefix) ?? prefix === "")) return true;
  if (digits > (hs?.length ?? 0)) return false;
  return hs === undefined ? products.national : products.codes.includes(hs);
}

/**
 * The question in the codes that a dataset has: a code finer than any of them is cut to as many digits, six at least. What
 * is to be told apart to a certain digit is left as it is. The same object where nothing is cut.
 */
export function inCodesOf<Q extends Pick<Question, "hs" | "digits">>({ products }: Coverage, question: Q): Q {
  const { hs, digits } = question;
  if (hs === undefined || digits !== undefined || hs.length <= productLevels.hs6) return question;
  if (products.codes.some((code) => code.length >= hs.length)) return question;
  const finest = products.codes.reduce((most, code) => Math.max(most, code.length), 0);
  return finest < productLevels.hs6 ? question : { ...question, hs: hs.slice(0, finest) };
}

/** The first thing the question asks for that lies outside; a partly covered product is a gap unless `partial` is allowed. */
export function gapIn(coverage: Coverage, question: Question, partial: boolean): Gap | undefined {
  const { hs, years } = question;
  const partners = knownPartners(coverage);
  if (partners && spokenOn(coverage, { partner: question.partner }).length === 0) {
    const message = `covers the partners ${partners.join(", ")}; not ${question.partner ?? "all of them together"}`;
    return { path: "partner", message };
  }
  if (!productsComplete(coverage, question)) {
    const known = coverage.products.codes.filter((code) => code.startsWith(hs ?? ""));
    if (!partial || known.length === 0)
      return { path: "hs", message: productGap(coverage, question, known.length) };
  }
  const present = new Set(spokenOn(coverage, question).flatMap(({ reporters }) => reporters));
  const absent = question.reporters.filter((code) => !present.has(code));
  const of = hs === undefined ? "" : ` for ${hs}`;
  if (absent.length > 0) {
    const covered = [...present].sort().join(", ");
    return { path: "reporter", message: `covers the reporters ${covered}; not ${absent.join(", ")}${of}` };
  }
  const { from, to } = coverage.months;
  if (years && (years.from < yearOf(from) || years.to > yearOf(to))) {
    return { path: "years", message: `covers ${monthText(from)} to ${monthText(to)}` };
  }
  const spoken = spokenOf(coverage, question);
  if (spoken.length === 0) return { path: "flow", message: `holds no ${question.flow} figures${of}` };
  if (years && !spoken.some((span) => yearOf(span.from) <= years.to && yearOf(span.to) >= years.from)) {
    const first = Math.min(...spoken.map((span) => span.from));
    const last = Math.max(...spoken.map((span) => span.to));
    return { path: "years", message: `covers ${monthText(first)} to ${monthText(last)}${of}` };
  }
  return undefined;
}

const LISTED = 60;

function productGap({ products }: Coverage, { hs, digits }: Question, known: number): string {
  const part = hs === undefined ? "of all products" : `below ${hs}`;
  const fine = digits === undefined ? "" : ` to ${digits} digits`;
  if (known > 0) return `covers ${known} codes ${part}, not all of them${fine}`;
  if (products.codes.length <= LISTED) return `covers the products ${products.codes.join(", ")}`;
  const deeper =
    products.complete_below.length > 0 ? `, and all codes below ${products.complete_below.join(", ")}` : "";
  return `covers ${products.codes.length} codes${products.national ? ", all 2-digit chapters among them" : ""}${deeper}; not ${hs}`;
}
