/** Sums that are exact to the euro and gram, with the same number conversions as DuckDB's decimals. */
import { type Flow, flows } from "../../domain/trade/units.ts";

const HALF = 2 ** 52;

/** A sum of masses below 2^52 g each; unknown ones (NaN) are ignored, and a sum of only such is unknown. */
export class MassSum {
  #high = 0;
  #low = 0;
  #isKnown = false;

  add(grams: number): void {
    if (Number.isNaN(grams)) return;
    this.#isKnown = true;
    this.#low += grams;
    if (this.#low < HALF) return;
    this.#low -= HALF;
    this.#high++;
  }

  addAll(other: MassSum): this {
    if (other.#isKnown) this.add(other.#low);
    this.#high += other.#high;
    return this;
  }

  /** Kilograms; null if unknown. */
  kg(): number | null {
    if (!this.#isKnown) return null;
    const grams = this.#high * HALF + this.#low;
    if (grams <= 2 * HALF) return grams / 1000;
    const exact = BigInt(this.#high) * BigInt(HALF) + BigInt(this.#low);
    // Where no number is exact, DuckDB divides before it converts.
    return Number(exact / 1000n) + Number(exact % 1000n) / 1000;
  }
}

/** Twelve months of imports, then twelve of exports, from `at` on: EUR, and grams of known masses; NaN is none. */
export type Months = { eur: Float64Array; grams: Float64Array; at: number };

class AmountSum {
  eur = 0;
  isNone = true;
  readonly mass = new MassSum();

  add(eur: number, grams: number): void {
    if (Number.isNaN(eur)) return;
    this.isNone = false;
    this.eur += eur;
    this.mass.add(grams);
  }

  /** EUR; null without rows. */
  orNull(): number | null {
    return this.isNone ? null : this.eur;
  }
}

/** Separate sums of imports and exports. */
export class FlowSums {
  readonly imports = new AmountSum();
  readonly exports = new AmountSum();

  of(flow: Flow): AmountSum {
    return flow === "IMPORT" ? this.imports : this.exports;
  }

  get isNone(): boolean {
    return this.imports.isNone && this.exports.isNone;
  }

  /** Adds a range of months, January being 0, of one flow or both. */
  addMonths({ eur, grams, at }: Months, flow: Flow | undefined, from = 0, to = 12): void {
    for (const [place, of] of flows.entries()) {
      if (flow !== undefined && flow !== of) continue;
      const sum = this.of(of);
      const begin = at + place * 12;
      for (let month = begin + from; month < begin + to; month++) sum.add(eur[month]!, grams[month]!);
    }
  }

  /** Like SQL's sums per flow: null without rows. */
  byFlow() {
    return {
      imports_eur: this.imports.orNull(),
      exports_eur: this.exports.orNull(),
      imports_kg: this.imports.mass.kg(),
      exports_kg: this.exports.mass.kg(),
    };
  }

  /** EUR of both flows. */
  get value_eur(): number | null {
    return this.isNone ? null : this.imports.eur + this.exports.eur;
  }

  get quantity_kg(): number | null {
    return new MassSum().addAll(this.imports.mass).addAll(this.exports.mass).kg();
  }

  /** Like SQL's sums over both flows and per flow. */
  all() {
    return { value_eur: this.value_eur, quantity_kg: this.quantity_kg, ...this.byFlow() };
  }
}
