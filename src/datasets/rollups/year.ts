/** A year's roll-up for queries: small sections are in memory, large ones are read from the file on demand. */
import { type Flow, flows } from "../../domain/trade/units.ts";
import type { PartitionEntry } from "../manifest.ts";
import { blockBytes, type Heading, type OpenRollup, openRollup } from "./file.ts";
import { MassSum, type Months } from "./sums.ts";

type Amounts = Omit<Months, "at">;

/** The sections of numbers that are in memory. */
type Doubles = "totals" | "partners" | "confidential";

/** A partner's share of a reporter's chapter in the year. */
export type PartnerYear = { partner: string; flow: number; eur: number; grams: number };

/** Partners of a reporter's chapter: a code is twice the partner's number, plus one for exports. */
export type Block = { eur: Float64Array; grams: Float64Array; codes: Uint16Array };

export class YearRollup {
  readonly year: number;
  readonly reporters: readonly string[];
  readonly chapters: readonly string[];
  readonly partners: readonly string[];
  readonly #heading: Heading;
  readonly #file: OpenRollup;
  readonly #totals: Amounts & { priced: Float64Array };
  readonly #national: Amounts;
  readonly #partners: Amounts;
  readonly #confidential: Float64Array;
  readonly #places: Uint32Array;
  /** The start offset of each chapter_partners block, and the end of the last. */
  readonly #begins: Float64Array;
  readonly #at: Record<"reporter" | "chapter" | "partner", Map<string, number>>;
  #failed: ((error: Error) => never) | undefined;

  private constructor(
    file: OpenRollup,
    { totals, partners, confidential }: Record<Doubles, Float64Array>,
    places: Uint32Array,
  ) {
    const { heading } = file;
    this.#confidential = confidential;
    this.#file = file;
    this.#heading = heading;
    this.year = heading.year;
    this.reporters = heading.reporters;
    this.chapters = heading.chapters;
    this.partners = heading.partners;
    const third = totals.length / 3;
    this.#totals = {
      eur: totals.subarray(0, third),
      grams: totals.subarray(third, 2 * third),
      priced: totals.subarray(2 * third),
    };
    this.#partners = halves(partners);
    this.#places = places;
    const places_of = (codes: readonly string[]) => new Map(codes.map((code, at) => [code, at]));
    this.#at = {
      reporter: places_of(heading.reporters),
      chapter: places_of(heading.chapters),
      partner: places_of(heading.partners),
    };
    this.#national = nationalOf(this.#totals, this.reporters.length, this.chapters.length);
    const blocks = this.reporters.length * this.chapters.length;
    this.#begins = new Float64Array(blocks + 1);
    for (let at = 0; at < blocks; at++)
      this.#begins[at + 1] = this.#begins[at]! + blockBytes(places[at + 1]! - places[at]!);
  }

  /** The roll-up at the path, if it is intact and its sums match the partition's manifest. */
  static async open(path: string, entry: PartitionEntry): Promise<YearRollup | undefined> {
    const file = await openRollup(path, entry);
    if (!file) return undefined;
    try {
      const { sections } = file.heading;
      const read = async (name: Doubles) => new Float64Array(await file.read(name, 0, sections[name]));
      const doubles = {
        totals: await read("totals"),
        partners: await read("partners"),
        confidential: await read("confidential"),
      };
      const places = new Uint32Array(await file.read("places", 0, sections.places));
      const found = new YearRollup(file, doubles, places);
      if (found.#isOf(entry)) return found;
    } catch {
      // An unreadable file counts as missing.
    }
    await file.close();
    return undefined;
  }

  #isOf({ totals, rows }: PartitionEntry): boolean {
    const eur = [0, 0];
    const mass = [new MassSum(), new MassSum()];
    for (const reporter of this.reporters) {
      const months = this.totals(reporter, undefined)!;
      for (let at = 0; at < 24; at++) {
        const flow = at < 12 ? 0 : 1;
        eur[flow]! += months.eur[months.at + at]! || 0;
        mass[flow]!.add(months.grams[months.at + at]!);
      }
    }
    return (
      eur[0] === totals.import_eur &&
      eur[1] === totals.export_eur &&
      (mass[0]!.kg() ?? 0) === totals.import_kg &&
      (mass[1]!.kg() ?? 0) === totals.export_kg &&
      this.#heading.records.reduce((sum, count) => sum + count, 0) === rows
    );
  }

  /** Called when the file fails during a read. */
  onFailure(failed: (error: Error) => never): this {
    this.#failed = failed;
    return this;
  }

  /** The reporter's delivered rows; undefined if it has none. */
  records(reporter: string): number | undefined {
    const count = this.#heading.records[this.#at.reporter.get(reporter) ?? -1];
    return count || undefined;
  }

  /** A reporter's trade in a chapter, or in all; undefined if none. */
  totals(reporter: string, chapter: string | undefined): Months | undefined {
    const r = this.#at.reporter.get(reporter);
    if (r === undefined) return undefined;
    if (chapter === undefined) return { eur: this.#national.eur, grams: this.#national.grams, at: r * 24 };
    const c = this.#at.chapter.get(chapter);
    if (c === undefined) return undefined;
    const { eur, grams } = this.#totals;
    return { eur, grams, at: (r * this.chapters.length + c) * 24 };
  }

  /** EUR of the rows with a mass, with the offsets of the same chapter's totals(). */
  get priced(): Float64Array {
    return this.#totals.priced;
  }

  /** EUR of a chapter's suppressed codes in the year. */
  confidential(reporter: string, chapter: string, flow: Flow): number {
    const r = this.#at.reporter.get(reporter);
    const c = this.#at.chapter.get(chapter);
    if (r === undefined || c === undefined) return 0;
    return this.#confidential[(r * this.chapters.length + c) * 2 + flows.indexOf(flow)]!;
  }

  /** A reporter's trade with a partner in all chapters; undefined if none. */
  withPartner(reporter: string, partner: string): Months | undefined {
    const r = this.#at.reporter.get(reporter);
    const p = this.#at.partner.get(partner);
    if (r === undefined || p === undefined) return undefined;
    const { eur, grams } = this.#partners;
    return { eur, grams, at: (r * this.partners.length + p) * 24 };
  }

  /** The partners of a reporter's chapter, imports before exports. */
  async chapterPartners(reporter: string, chapter: string): Promise<PartnerYear[]> {
    const r = this.#at.reporter.get(reporter);
    const c = this.#at.chapter.get(chapter);
    if (r === undefined || c === undefined) return [];
    const block = r * this.chapters.length + c;
    const { eur, grams, codes } = this.#blockAt(await this.#blocks(block, block + 1), 0, block);
    return Array.from(codes, (code, at) => ({
      partner: this.partners[code >> 1]!,
      flow: code & 1,
      eur: eur[at]!,
      grams: grams[at]!,
    }));
  }

  /** Visits one or every chapter of one or every reporter, with its partners: imports before exports, each by code. */
  async eachChapter(
    reporter: string | undefined,
    chapter: string | undefined,
    visit: (reporter: string, chapter: string, partners: Block) => void,
  ): Promise<void> {
    const width = this.chapters.length;
    const r = reporter === undefined ? undefined : this.#at.reporter.get(reporter);
    if (reporter !== undefined && r === undefined) return;
    const [from, to] = r === undefined ? [0, this.reporters.length * width] : [r * width, (r + 1) * width];
    const bytes = await this.#blocks(from, to);
    for (let block = from; block < to; block++) {
      const in_chapter = this.chapters[block % width]!;
      if (chapter !== undefined && chapter !== in_chapter) continue;
      const begin = this.#begins[block]! - this.#begins[from]!;
      visit(this.reporters[Math.floor(block / width)]!, in_chapter, this.#blockAt(bytes, begin, block));
    }
  }

  /** EUR of all reporters per partner, of one chapter or all: by chapter, partner, flow and month; NaN is none. */
  async allReporters(chapter: string | undefined): Promise<Float64Array> {
    const bytes = this.partners.length * 24 * 8;
    const c = chapter === undefined ? undefined : this.#at.chapter.get(chapter);
    if (chapter !== undefined && c === undefined) return new Float64Array(0);
    return new Float64Array(
      c === undefined
        ? await this.#read("all_reporters", 0, this.chapters.length * bytes)
        : await this.#read("all_reporters", c * bytes, bytes),
    );
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #blocks(from: number, to: number): Promise<ArrayBuffer> {
    return this.#read("chapter_partners", this.#begins[from]!, this.#begins[to]! - this.#begins[from]!);
  }

  #blockAt(bytes: ArrayBuffer, begin: number, block: number): Block {
    const count = this.#places[block + 1]! - this.#places[block]!;
    return {
      eur: new Float64Array(bytes, begin, count),
      grams: new Float64Array(bytes, begin + 8 * count, count),
      codes: new Uint16Array(bytes, begin + 16 * count, count),
    };
  }

  async #read(...[section, from, length]: Parameters<OpenRollup["read"]>): Promise<ArrayBuffer> {
    try {
      return await this.#file.read(section, from, length);
    } catch (error) {
      if (this.#failed) return this.#failed(error as Error);
      throw error;
    }
  }
}

const halves = (both: Float64Array): Amounts => ({
  eur: both.subarray(0, both.length / 2),
  grams: both.subarray(both.length / 2),
});

/** Sums over chapters; refuses inexact sums. */
function nationalOf({ eur, grams }: Amounts, reporters: number, chapters: number): Amounts {
  const found = halves(new Float64Array(2 * reporters * 24).fill(Number.NaN));
  const add = (to: Float64Array, at: number, amount: number) => {
    if (!Number.isNaN(amount)) to[at] = (to[at] || 0) + amount;
  };
  for (let r = 0; r < reporters; r++)
    for (let c = 0; c < chapters; c++)
      for (let m = 0; m < 24; m++) {
        const from = (r * chapters + c) * 24 + m;
        add(found.eur, r * 24 + m, eur[from]!);
        add(found.grams, r * 24 + m, grams[from]!);
      }
  for (const sums of [found.eur, found.grams])
    if (sums.some((sum) => sum >= 2 ** 52)) throw new RangeError("sums beyond exact numbers");
  return found;
}
