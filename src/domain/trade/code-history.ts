/**
 * The years of product codes, and the codes that they became. Editions list the codes of a year; a correspondence
 * pairs the codes of two editions, and takes effect in January of the later one.
 */
import { productLevels } from "./products.ts";

export const nomenclatures = ["CN", "HS"] as const;
export type Nomenclature = (typeof nomenclatures)[number];

/** A code in an edition or, with `became`, its pair in a later one. */
export type CodeLine = {
  nomenclature: Nomenclature;
  year: number;
  code: string;
  name: string | null;
  became_year: number | null;
  became: string | null;
  /** The later edition uses the number of `code` again for other goods. */
  reused: boolean;
};

/** First and last year; null = open. */
export type CodeYears = { from: number | null; to: number | null };

/** A revision's effect on one code. */
export type CodeRevision = { year: number; became: string[]; came_from: string[]; kept: boolean };

/** The pairs of a January at one level of digits, in both directions. */
type Pairs = { later: Map<string, Set<string>>; earlier: Map<string, Set<string>> };
type Edition = { year: number; codes: Set<string> };

const digitsOf: Record<Nomenclature, readonly number[]> = {
  CN: [productLevels.hs4, productLevels.hs6, productLevels.cn8],
  HS: [productLevels.hs4, productLevels.hs6],
};

export class CodeHistory {
  readonly #editions = new Map<Nomenclature, Edition[]>();
  readonly #known = new Set<string>();
  /** `${nomenclature} ${earlier} ${later}` of each correspondence. */
  readonly #paired = new Set<string>();
  /** By year and digits. */
  readonly #pairs = new Map<number, Map<number, Pairs>>();
  readonly #reused = new Map<number, Set<string>>();
  readonly #names = new Map<string, { year: number; name: string }>();
  readonly #moved = new Map<number, string[]>();

  constructor(lines: readonly CodeLine[]) {
    for (const line of lines) this.#add(line);
    for (const editions of this.#editions.values()) editions.sort((a, b) => a.year - b.year);
    for (const nomenclature of this.#editions.keys()) this.#keepUnpaired(nomenclature);
  }

  /** The Januaries that changed codes. */
  get revisions(): number[] {
    return [...this.#pairs.keys()].sort((a, b) => a - b);
  }

  /** The name in the latest edition with the code. */
  nameOf(code: string): string | null {
    return this.#names.get(code)?.name ?? null;
  }

  /** False only if the editions list the code in other years. */
  exists(code: string, year: number): boolean {
    if (!this.#known.has(code)) return true;
    return nomenclatures.some((nomenclature) => this.#isListed(nomenclature, code, year));
  }

  /** Every span of years of the code; empty if no edition lists it. */
  yearsOf(code: string): CodeYears[] {
    if (!this.#known.has(code)) return [];
    const editions = [...this.#editions.values()].flat().map(({ year }) => year);
    const [first, last] = [Math.min(...editions), Math.max(...editions)];
    const spans: CodeYears[] = [];
    for (let year = first; year <= last; year++) {
      if (!this.exists(code, year)) continue;
      const open = spans.at(-1);
      if (open?.to === year - 1) open.to = year;
      else spans.push({ from: year, to: year });
    }
    return spans.map(({ from, to }) => ({ from: from === first ? null : from, to: to === last ? null : to }));
  }

  /** Codes of the year that came from a code of the year before. */
  heirs(code: string, year: number): readonly string[] {
    return [...(this.#pairsIn(year, code.length)?.later.get(code) ?? [code])];
  }

  /** Codes of the year before that the code of the year came from. */
  ancestors(code: string, year: number): readonly string[] {
    const pairs = this.#pairsIn(year, code.length);
    if (!pairs) return [code];
    return [...(pairs.earlier.get(code) ?? (this.exists(code, year - 1) ? [code] : []))];
  }

  /** True if the number was given to other goods in that January. */
  isReused(code: string, year: number): boolean {
    return this.#reused.get(year)?.has(code) ?? false;
  }

  /** The codes of these digits that the January changed, before and after it. */
  changedIn(year: number, digits: number): { before: string[]; after: string[] } {
    const pairs = this.#pairsIn(year, digits);
    if (!pairs) return { before: [], after: [] };
    const changed = (of: Map<string, Set<string>>) =>
      [...of].filter(([code, to]) => to.size > 1 || !to.has(code)).map(([code]) => code);
    return { before: changed(pairs.later), after: changed(pairs.earlier) };
  }

  /** The chapters that exchanged goods with other chapters in that January. */
  chaptersMoved(year: number): string[] {
    const known = this.#moved.get(year);
    if (known) return known;
    const chapters = new Set<string>();
    for (const { later } of this.#pairs.get(year)?.values() ?? [])
      for (const [code, heirs] of later)
        for (const heir of heirs)
          if (chapterOf(code) !== chapterOf(heir)) chapters.add(chapterOf(code)).add(chapterOf(heir));
    const found = [...chapters].sort();
    this.#moved.set(year, found);
    return found;
  }

  /** The code's changes, by the January in which each took effect. */
  revisionsOf(code: string): CodeRevision[] {
    return this.revisions.flatMap((year) => {
      const [was, is] = [this.exists(code, year - 1), this.exists(code, year)];
      const became = was ? this.heirs(code, year).filter((one) => one !== code) : [];
      const came_from = is ? this.ancestors(code, year).filter((one) => one !== code) : [];
      const begins = is && !was;
      if (became.length + came_from.length === 0 && !begins && !(was && !is) && !this.isReused(code, year))
        return [];
      return [{ year, became: became.sort(), came_from: came_from.sort(), kept: was && is }];
    });
  }

  #add({ nomenclature, year, code, name, became_year, became, reused }: CodeLine): void {
    this.#list(nomenclature, year, code);
    if (name !== null && year >= (this.#names.get(code)?.year ?? 0)) this.#names.set(code, { year, name });
    if (became_year === null || became === null) return;
    this.#list(nomenclature, became_year, became);
    this.#paired.add(`${nomenclature} ${year} ${became_year}`);
    if (reused) setAt(this.#reused, became_year, () => new Set<string>()).add(code);
    for (const digits of digitsOf[nomenclature]) {
      if (digits > Math.min(code.length, became.length)) continue;
      const levels = setAt(this.#pairs, became_year, () => new Map<number, Pairs>());
      const { later, earlier } = setAt(levels, digits, () => ({ later: new Map(), earlier: new Map() }));
      const [from, to] = [code.slice(0, digits), became.slice(0, digits)];
      setAt(later, from, () => new Set<string>()).add(to);
      setAt(earlier, to, () => new Set<string>()).add(from);
    }
  }

  #list(nomenclature: Nomenclature, year: number, code: string): void {
    const editions = setAt(this.#editions, nomenclature, () => []);
    const edition = editions.find((one) => one.year === year) ?? { year, codes: new Set<string>() };
    if (!editions.includes(edition)) editions.push(edition);
    for (const digits of digitsOf[nomenclature]) {
      if (digits > code.length) break;
      const prefix = code.slice(0, digits);
      edition.codes.add(prefix);
      this.#known.add(prefix);
    }
  }

  /** A number that both editions list, and the correspondence forgets on one side, keeps its own past. */
  #keepUnpaired(nomenclature: Nomenclature): void {
    const editions = this.#editions.get(nomenclature)!;
    for (const [at, { year, codes }] of editions.entries()) {
      const before = editions[at - 1];
      if (!before || !this.#paired.has(`${nomenclature} ${before.year} ${year}`)) continue;
      for (const [digits, { later, earlier }] of this.#pairs.get(year)!)
        for (const code of codes) {
          if (code.length !== digits || !before.codes.has(code)) continue;
          if (later.has(code) && earlier.has(code)) continue;
          setAt(later, code, () => new Set<string>()).add(code);
          setAt(earlier, code, () => new Set<string>()).add(code);
        }
    }
  }

  #pairsIn(year: number, digits: number): Pairs | undefined {
    return this.#pairs.get(year)?.get(digits);
  }

  #isListed(nomenclature: Nomenclature, code: string, year: number): boolean {
    const editions = this.#editions.get(nomenclature) ?? [];
    const after = editions.findIndex((one) => one.year > year);
    const last = editions[after === -1 ? editions.length - 1 : Math.max(after - 1, 0)];
    if (!last) return false;
    if (last.codes.has(code)) return true;
    const next = after > 0 ? editions[after] : undefined;
    // Without a correspondence nobody knows in which year between two editions a code began.
    const isDated =
      next && (next.year === last.year + 1 || this.#paired.has(`${nomenclature} ${last.year} ${next.year}`));
    return next !== undefined && last.year < year && !isDated && next.codes.has(code);
  }
}

const chapterOf = (code: string) => code.slice(0, productLevels.hs2);

function setAt<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
