import { type LineFault, refuseLines } from "../stage.ts";

/** As many are told at once. */
const MOST = 20;

/** What a number has to be, in words and as a test. */
export type Wanted = { wanted: string; fits: (value: number) => boolean };

export const anyNumber: Wanted = { wanted: "a number", fits: () => true };
export const notNegative: Wanted = { wanted: "a number of at least 0", fits: (value) => value >= 0 };
export const positive: Wanted = { wanted: "a number above zero", fits: (value) => value > 0 };

/** The cells of a file that are not what they should be, gathered so that they are told together. */
export class Faults {
  readonly #file: { name: string };
  readonly #found: LineFault[] = [];

  constructor(file: { name: string }) {
    this.#file = file;
  }

  /** Notes a cell; `wants` says what it should be, such as "a day such as 2024-01-31". */
  add(line: number, column: string, found: string, wants: string): void {
    if (this.#found.length === MOST) return;
    const what = `${column} ${JSON.stringify(found.slice(0, 60))} is not ${wants}`;
    this.#found.push({ line, column, what });
  }

  /** The number in a cell, which must be as wanted; NaN, and noted, where there is none. */
  number(line: number, column: string, found: string, { wanted, fits }: Wanted = anyNumber): number {
    const value = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(found) ? Number(found) : Number.NaN;
    if (fits(value) && Number.isFinite(value)) return value;
    this.add(line, column, found, wanted);
    return Number.NaN;
  }

  /** Refuses the file if anything was noted. */
  refuseAny(): void {
    if (this.#found.length > 0) refuseLines(this.#file, this.#found);
  }
}
