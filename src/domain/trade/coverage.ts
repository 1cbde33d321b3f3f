/** Pure functions decide whether a dataset can answer, before any row is read. */
import type { CodeBook } from "./code-basis.ts";
import type { Procedure } from "./procedures.ts";
import { productLevels } from "./products.ts";
import { type ReporterCode, reporterCodes } from "./reporters.ts";
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
  /** The last fully delivered month; the month before `from` if there is none. */
  to: Period;
  /** Months after `to` that have some rows. */
  provisional: Period[];
  /** Months from `from` to `to` without an import of one of the flows. */
  missing: Period[];
};

/** Files covered every combination of these in each month from `from` to `to`. No row there means no trade. */
export type CoverageSpan = {
  /** Codes as imported; [""] = all products. */
  products: string[];
  /** Omitted = all partners. */
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
    /** All chapters are covered, so their sum is the national total. */
    national: boolean;
    /** Prefixes below which every code is covered; "" = everything. */
    complete_below: string[];
    /** The codes that have rows, sorted. */
    codes: string[];
  };
  /** Spans never overlap: at most one covers a product, reporter, flow, month and partner. */
  spoken: CoverageSpan[];
  /** The months whose rows state statistical procedures; omitted = none. */
  procedures?: Pick<CoverageSpan, "reporters" | "flows" | "from" | "to">[] | undefined;
  /** The procedure that a question is about; it binds it. Omitted = all together. */
  procedure?: Procedure;
  /** The meaning of codes in each year; a question binds it, and no manifest stores it. */
  book?: CodeBook;
};

/** True for a code of the dataset below the product, in any of its years. */
export function isBelow({ book }: Pick<Coverage, "book">, hs: string | undefined): (code: string) => boolean {
  const all = book?.of(hs)?.all ?? [hs ?? ""];
  return (code) => all.some((one) => code.startsWith(one));
}

/** False if the product exists in none of the years: its figures are unknown there, and never zero. */
export function existsIn({ book }: Coverage, hs: string | undefined, { from, to }: Years): boolean {
  const product = book?.of(hs);
  if (!product) return true;
  for (let year = from; year <= to; year++) if (product.exists(year)) return true;
  return false;
}

/** False if a revision gave the product's number other goods between the years. */
export const isComparable = ({ book }: Coverage, hs: string | undefined, one: number, other: number) =>
  book?.of(hs)?.isComparable(one, other) ?? true;

/** True for the years in which the product has the goods that it has in the last of `years`, or had at its end. */
export function comparableYears(
  coverage: Coverage,
  hs: string | undefined,
  { from, to }: Years,
): (year: number) => boolean {
  let last = to;
  while (last > from && !existsIn(coverage, hs, { from: last, to: last })) last--;
  return (year) => isComparable(coverage, hs, year, last);
}

export type Question = {
  hs?: string | undefined;
  /** Omitted = all partners, summed or listed. */
  partner?: string | undefined;
  /** The question needs every product down to codes of this many digits. */
  digits?: number | undefined;
  reporters: readonly ReporterCode[];
  flow?: Flow | undefined;
  years?: Years | undefined;
};

/** The reason a dataset cannot answer; `path` is the input field to change. */
export type Gap = {
  path: "hs" | "partner" | "reporter" | "flow" | "years" | "procedure";
  message: string;
};

export const flowsOf = (flow: Flow | undefined): readonly Flow[] => (flow === undefined ? flows : [flow]);

type Subject = Pick<Question, "hs" | "partner" | "digits">;

/**
 * The reporters that figures of the EU need. Below chapters these are all members: a dataset of one country never answers for the EU.
 */
export const reportersOfEu = (
  hs: string | undefined,
  members: readonly ReporterCode[] = reporterCodes,
): readonly ReporterCode[] => (hs !== undefined && hs.length > productLevels.hs2 ? members : []);

/** The reporters that have delivered, and whose files cover the products. */
export function coveredReporters(coverage: Coverage, subject: Subject): ReporterCode[] {
  const spoken = new Set(spansOn(coverage, subject).flatMap(({ reporters }) => reporters));
  return coverage.reporters.map(({ reporter }) => reporter).filter((code) => spoken.has(code));
}

/** undefined = the dataset covers all partners. */
export function namedPartners({ spoken }: Coverage): string[] | undefined {
  const named = spoken.flatMap(({ partners }) => partners ?? []);
  return named.length === 0 ? undefined : [...new Set(named)].sort();
}

function spansOn(coverage: Coverage, { hs, partner }: Subject): CoverageSpan[] {
  const isUnder = isBelow(coverage, hs);
  return coverage.spoken.filter(
    ({ products, partners }) =>
      products.some((code) => code === "" || isUnder(code)) &&
      (partners === undefined || (partner !== undefined && partners.includes(partner))),
  );
}

/** True if the reporter delivered the month in full and the files covered every requested product. */
export type CompletenessCheck = (reporter: ReporterCode, flow: Flow, period: Period) => boolean;

const MOST_CACHED = 200;
/** A coverage never changes, and an answer checks every month: 27 reporters over 21 years make 13,608 checks. */
const checksOf = new WeakMap<Coverage, Map<string, CompletenessCheck>>();

export function completenessOf(
  coverage: Coverage,
  hs: string | undefined,
  partner?: string,
): CompletenessCheck {
  const checks = checksOf.get(coverage) ?? new Map<string, CompletenessCheck>();
  checksOf.set(coverage, checks);
  const subject = JSON.stringify([hs, partner]);
  const found = checks.get(subject);
  if (found) return found;
  const [oldest] = checks.keys();
  if (checks.size >= MOST_CACHED) checks.delete(oldest!);
  const check = cachedCheck(coverage.months, uncachedCheck(coverage, hs, partner));
  checks.set(subject, check);
  return check;
}

function cachedCheck({ from, to }: Coverage["months"], check: CompletenessCheck): CompletenessCheck {
  const months = monthsBetween(from, to);
  const cached = { IMPORT: new Map<ReporterCode, boolean[]>(), EXPORT: new Map<ReporterCode, boolean[]>() };
  return (reporter, flow, period) => {
    let found = cached[flow].get(reporter);
    if (!found) {
      found = months.map((month) => check(reporter, flow, month));
      cached[flow].set(reporter, found);
    }
    return found[monthsSince(from, period)] === true;
  };
}

function uncachedCheck(coverage: Coverage, hs: string | undefined, partner?: string): CompletenessCheck {
  const delivered = new Map(coverage.reporters.map((entry) => [entry.reporter, entry]));
  const perYear = requestedCodes(coverage, hs);
  type Span = { from: Period; to: Period; products: string[] };
  const spans = { IMPORT: new Map<ReporterCode, Span[]>(), EXPORT: new Map<ReporterCode, Span[]>() };
  for (const { products, reporters, flows, from, to } of spansOn(coverage, { hs, partner })) {
    for (const flow of flows)
      for (const code of reporters) {
        const ofReporter = spans[flow].get(code) ?? [];
        spans[flow].set(code, ofReporter);
        ofReporter.push({ from, to, products });
      }
  }
  const { procedure, procedures = [] } = coverage;
  const isStated = (reporter: ReporterCode, flow: Flow, period: Period) =>
    procedures.some(
      (span) =>
        span.from <= period &&
        period <= span.to &&
        span.reporters.includes(reporter) &&
        span.flows.includes(flow),
    );
  return (reporter, flow, period) => {
    const months = delivered.get(reporter);
    if (!months || period > months.to || months.missing.includes(period)) return false;
    if (procedure !== undefined && !isStated(reporter, flow, period)) return false;
    const requested = perYear(yearOf(period));
    if (requested === undefined) return false;
    let products = 0;
    for (const span of spans[flow].get(reporter) ?? [])
      if (span.from <= period && period <= span.to) products += requested.countIn(span.products);
    return products > 0 && products >= requested.count;
  };
}

type RequestedCodes = { count: number; countIn(products: string[]): number };

/** The dataset's codes that a product needs in a year; undefined where the product does not exist. */
function requestedCodes(
  { products, book }: Coverage,
  hs: string | undefined,
): (year: number) => RequestedCodes | undefined {
  const codes = book?.of(hs);
  const made = (members: readonly string[], isCode: (code: string) => boolean): RequestedCodes => {
    const isUnder = (code: string) => members.some((member) => code.startsWith(member)) && isCode(code);
    const counts = new Map<string[], number>();
    const countIn = (spoken: string[]) => {
      const known = counts.get(spoken);
      if (known !== undefined) return known;
      const count = spoken.includes("") ? Number.POSITIVE_INFINITY : spoken.filter(isUnder).length;
      counts.set(spoken, count);
      return count;
    };
    const held = products.codes.filter(isUnder);
    const absent =
      members.length > 1 ? members.filter((one) => !held.some((code) => code.startsWith(one))) : [];
    return { count: held.length + absent.length, countIn };
  };
  if (!codes) {
    const always = made([hs ?? ""], () => true);
    return () => always;
  }
  const years = new Map<number, RequestedCodes | undefined>();
  return (year) => {
    if (!years.has(year))
      years.set(
        year,
        codes.exists(year) ? made(codes.inYear(year), (code) => book!.exists(code, year)) : undefined,
      );
    return years.get(year);
  };
}

/** The last calendar year that all reporters delivered in full, with complete data for the question. */
export function lastCompleteYear(coverage: Coverage, question: Question): number | undefined {
  const { reporters } = coverage;
  if (reporters.length === 0) return undefined;
  const end = Math.min(...reporters.map(({ to }) => (to % 100 === 12 ? yearOf(to) : yearOf(to) - 1)));
  const start = Math.max(
    ...reporters.map(({ from }) => (from % 100 === 1 ? yearOf(from) : yearOf(from) + 1)),
  );
  const ragged = new Set(reporters.flatMap(({ missing }) => missing.map(yearOf)));
  const check = completenessOf(coverage, question.hs, question.partner);
  const isComplete = (year: number) =>
    question.reporters.every((code) =>
      flowsOf(question.flow).every((flow) =>
        monthsBetween(year * 100 + 1, year * 100 + 12).every((period) => check(code, flow, period)),
      ),
    );
  for (let year = end; year >= start; year--) if (!ragged.has(year) && isComplete(year)) return year;
  return undefined;
}

export function lastYearWithAny(coverage: Coverage, question: Question): number {
  return yearOf(Math.max(coverage.months.from, ...spansOf(coverage, question).map(({ to }) => to)));
}

function spansOf(coverage: Coverage, { reporters, flow, ...subject }: Question): CoverageSpan[] {
  return spansOn(coverage, subject).filter(
    (span) =>
      (reporters.length === 0 || span.reporters.some((code) => reporters.includes(code))) &&
      (flow === undefined || span.flows.includes(flow)),
  );
}

/**
 * True if the dataset covers the products under `hs` (default: all) without a gap, to `digits` digits, with the partner
 * or all.
 */
export function productsComplete(coverage: Coverage, { hs, partner, digits = 0 }: Subject): boolean {
  const { products, book } = coverage;
  const members = book?.of(hs)?.all ?? [];
  if (members.length > 1) {
    const single = { ...coverage, book: undefined };
    return members.every((member) => productsComplete(single, { hs: member, partner, digits }));
  }
  if (partner === undefined && namedPartners(coverage)) return false;
  if (products.complete_below.some((prefix) => hs?.startsWith(prefix) ?? prefix === "")) return true;
  if (digits > (hs?.length ?? 0)) return false;
  return hs === undefined ? products.national : products.codes.includes(hs);
}

/**
 * The question in the dataset's codes: a longer code is cut to the dataset's finest, six digits at least. A question
 * with `digits` is unchanged, and so is an uncut question (the same object).
 */
export function inCodesOf<Q extends Pick<Question, "hs" | "digits">>({ products }: Coverage, question: Q): Q {
  const { hs, digits } = question;
  if (hs === undefined || digits !== undefined || hs.length <= productLevels.hs6) return question;
  if (products.codes.some((code) => code.length >= hs.length)) return question;
  const finest = products.codes.reduce((most, code) => Math.max(most, code.length), 0);
  return finest < productLevels.hs6 ? question : { ...question, hs: hs.slice(0, finest) };
}

/** The first part of the question outside of the coverage; `partial` accepts products that are covered in part. */
export function gapIn(coverage: Coverage, question: Question, partial: boolean): Gap | undefined {
  const { hs, years } = question;
  const partners = namedPartners(coverage);
  if (partners && spansOn(coverage, { partner: question.partner }).length === 0) {
    const message = `covers the partners ${partners.join(", ")}; not ${question.partner ?? "all of them together"}`;
    return { path: "partner", message };
  }
  if (!productsComplete(coverage, question)) {
    const covered = coverage.products.codes.filter(isBelow(coverage, hs));
    if (!partial || covered.length === 0)
      return { path: "hs", message: productGap(coverage, question, covered.length) };
  }
  const present = coveredReporters(coverage, question);
  const absent = question.reporters.filter((code) => !present.includes(code));
  const of = hs === undefined ? "" : ` for ${hs}`;
  if (absent.length > 0) {
    const covered = present.toSorted().join(", ");
    return { path: "reporter", message: `covers the reporters ${covered}; not ${absent.join(", ")}${of}` };
  }
  if (coverage.procedure !== undefined && !coverage.procedures?.length)
    return { path: "procedure", message: "states no statistical procedures" };
  const { from, to } = coverage.months;
  if (years && (years.from < yearOf(from) || years.to > yearOf(to))) {
    return { path: "years", message: `covers ${monthText(from)} to ${monthText(to)}` };
  }
  const spoken = spansOf(coverage, question);
  if (spoken.length === 0) return { path: "flow", message: `has no ${question.flow} figures${of}` };
  if (years && !spoken.some((span) => yearOf(span.from) <= years.to && yearOf(span.to) >= years.from)) {
    const first = Math.min(...spoken.map((span) => span.from));
    const last = Math.max(...spoken.map((span) => span.to));
    return { path: "years", message: `covers ${monthText(first)} to ${monthText(last)}${of}` };
  }
  return undefined;
}

const LISTED = 60;

function productGap({ products }: Coverage, { hs, digits }: Question, covered: number): string {
  const part = hs === undefined ? "of all products" : `below ${hs}`;
  const fine = digits === undefined ? "" : ` to ${digits} digits`;
  if (covered > 0) return `covers ${covered} codes ${part}, not all of them${fine}`;
  if (products.codes.length <= LISTED) return `covers the products ${products.codes.join(", ")}`;
  const deeper =
    products.complete_below.length > 0 ? `, and all codes below ${products.complete_below.join(", ")}` : "";
  return `covers ${products.codes.length} codes${products.national ? ", all 2-digit chapters among them" : ""}${deeper}; not ${hs}`;
}
