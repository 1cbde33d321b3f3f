/** The codes that stand for a product in each year, on the basis that a question names. */
import { type CodeFamily, familiesIn, familyOf } from "./code-families.ts";
import type { CodeHistory, CodeRevision, CodeYears } from "./code-history.ts";
import { productLevels } from "./products.ts";
import type { Years } from "./units.ts";

/** `reported`: the code alone. `family` or a year: the sum of the codes that changed into each other. */
export type CodeBasis = "reported" | "family" | number;

/** A product's codes; without any in a year, its figures are unknown there. */
export type ProductCodes = {
  basis: CodeBasis;
  exists(year: number): boolean;
  inYear(year: number): readonly string[];
  all: readonly string[];
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
    if (this.query.basis === undefined || this.query.basis === "reported") return [];
    const known = this.#families.get(digits);
    if (known) return known;
    const found = familiesIn(this.table.history, digits, this.#years());
    this.#families.set(digits, found);
    return found;
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
    const basis = this.query.basis ?? (this.query.compares && this.#isCrossed(hs) ? "family" : "reported");
    if (basis === "reported")
      return { basis, exists: (year) => history.exists(hs, year), inYear: () => [hs], all: [hs] };
    const family = familyOf(history, hs, this.query.years, basis === "family" ? undefined : basis);
    const { from, to } = this.query.years;
    const spans = family.spans.filter((span) => span.from <= to && span.to >= from);
    return {
      basis,
      exists: (year) => family.inYear(year).length > 0,
      inYear: family.inYear,
      all: [...new Set(spans.flatMap(({ codes }) => codes))].sort(),
    };
  }

  #isCrossed(hs: string): boolean {
    const { from, to } = this.query.years;
    return this.table.history.revisionsOf(hs).some(({ year }) => year > from && year <= to);
  }
}
