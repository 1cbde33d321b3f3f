/** The codes that stand for a product in each year, on the basis that a question names. */
import { type CodeFamily, familiesIn, familyOf } from "./code-families.ts";
import type { CodeHistory, CodeRevision, CodeYears } from "./code-history.ts";
import { productLevels } from "./products.ts";
import type { Years } from "./units.ts";

/**
 * `reported`: the code alone. `family` or a year: the sum of the codes that changed into each other. `compared`: a
 * family where the years cross a change of the code, else the code alone.
 */
export type CodeBasis = "reported" | "compared" | "family" | number;

/** True for a basis that joins no codes of itself. */
export const isAlone = (basis: CodeBasis | undefined): basis is "reported" | "compared" | undefined =>
  basis === undefined || basis === "reported" || basis === "compared";

/** A product's codes; without any in a year, its figures are unknown there. */
export type ProductCodes = {
  basis: Exclude<CodeBasis, "compared">;
  exists(year: number): boolean;
  inYear(year: number): readonly string[];
  all: readonly string[];
  /** False if a revision gave the number other goods between the years. */
  isComparable(one: number, other: number): boolean;
};

/** The open table of code changes. */
export type CodeTable = { history: CodeHistory; dataset: string; vintage: string };

export type BasisQuery = {
  /** Omitted: as reported, except that `compares` takes a family where `years` cross its change. */
  basis?: CodeBasis | undefined;
  compares?: boolean | undefined;
  years: Years;
};

const levels: readonly number[] = [productLevels.hs4, productLevels.hs6, productLevels.cn8];

/** True for a code that editions of a nomenclature can change; chapters stay. */
export const isChangeable = (hs: string | undefined): hs is string =>
  hs !== undefined && levels.includes(hs.length);

/** The meaning of all codes for one question. */
export class CodeBook {
  readonly table: CodeTable;
  readonly query: BasisQuery;
  readonly #products = new Map<string, ProductCodes>();
  readonly #families = new Map<number, CodeFamily[]>();

  constructor(table: CodeTable, query: BasisQuery) {
    this.table = table;
    this.query = query;
  }

  exists(code: string, year: number): boolean {
    return this.table.history.exists(code, year);
  }

  /** undefined = the code means the same in every year. */
  of(hs: string | undefined): ProductCodes | undefined {
    if (!isChangeable(hs)) return undefined;
    const known = this.#products.get(hs);
    if (known) return known;
    const found = this.#productOf(hs);
    this.#products.set(hs, found);
    return found;
  }

  /** The families of these digits that have several codes, or other ones in other years of the question. */
  families(digits: number): readonly CodeFamily[] {
    if (isAlone(this.query.basis)) return [];
    const known = this.#families.get(digits);
    if (known) return known;
    const found = familiesIn(this.table.history, digits, this.#years());
    this.#families.set(digits, found);
    return found;
  }

  /** The Januaries among compared years in which chapters exchanged goods; of `hs`, those that concern its chapter. */
  chaptersMoved(hs: string | undefined): { year: number; chapters: string[] }[] {
    const { years } = this.query;
    if (!this.#isCompared() || isChangeable(hs)) return [];
    return this.table.history.revisions
      .filter((year) => year > years.from && year <= years.to)
      .map((year) => ({ year, chapters: this.table.history.chaptersMoved(year) }))
      .filter(({ chapters }) => (hs === undefined ? chapters.length > 0 : chapters.includes(hs)));
  }

  /** A code's years and its changes. */
  pastOf(hs: string): { years: CodeYears[]; revisions: CodeRevision[] } {
    const { history } = this.table;
    return { years: history.yearsOf(hs), revisions: history.revisionsOf(hs) };
  }

  #years(): Years {
    const { basis, years } = this.query;
    if (typeof basis !== "number") return years;
    return { from: Math.min(years.from, basis), to: Math.max(years.to, basis) };
  }

  #productOf(hs: string): ProductCodes {
    const { history } = this.table;
    const basis = this.#basisOf(hs);
    if (basis === "reported")
      return {
        basis,
        exists: (year) => history.exists(hs, year),
        inYear: () => [hs],
        all: [hs],
        isComparable: (one, other) =>
          !this.#isCrossed(hs, { from: Math.min(one, other), to: Math.max(one, other) }),
      };
    const family = familyOf(
      history,
      hs,
      basis === "family" ? this.#withItsYears(hs) : this.query.years,
      basis === "family" ? undefined : basis,
    );
    const { from, to } = this.query.years;
    const spans = family.spans.filter((span) => span.from <= to && span.to >= from);
    return {
      basis,
      exists: (year) => family.inYear(year).length > 0,
      inYear: family.inYear,
      all: [...new Set(spans.flatMap(({ codes }) => codes))].sort(),
      isComparable: () => true,
    };
  }

  /** The years of the question, and the nearest one with the code where none of them has it. */
  #withItsYears(hs: string): Years {
    const { from, to } = this.query.years;
    const spans = this.table.history.yearsOf(hs);
    const isIn = (span: CodeYears) => (span.from ?? from) <= to && (span.to ?? to) >= from;
    if (spans.length === 0 || spans.some(isIn)) return { from, to };
    const before = spans.flatMap((span) => (span.to !== null && span.to < from ? [span.to] : []));
    const after = spans.flatMap((span) => (span.from !== null && span.from > to ? [span.from] : []));
    return before.length > 0 ? { from: Math.max(...before), to } : { from, to: Math.min(...after) };
  }

  #basisOf(hs: string): ProductCodes["basis"] {
    const { basis } = this.query;
    if (basis !== undefined && basis !== "compared") return basis;
    return this.#isCompared() && this.#isCrossed(hs) ? "family" : "reported";
  }

  #isCompared(): boolean {
    return this.query.compares === true || this.query.basis === "compared";
  }

  #isCrossed(hs: string, { from, to }: Years = this.query.years): boolean {
    return this.table.history.revisionsOf(hs).some(({ year }) => year > from && year <= to);
  }
}
