import { type LineFault, refuseLines } from "../stage.ts";

/** The most faults in one report. */
const MOST = 20;

/** A condition on a number, in words and as a test. */
export type NumberCondition = { wanted: string; fits: (value: number) => boolean };

export const anyNumber: NumberCondition = { wanted: "a number", fits: () => true };
export const notNegative: NumberCondition = { wanted: "a number of at least 0", fits: (value) => value >= 0 };
export const positive: NumberCondition = { wanted: "a number above zero", fits: (value) => value > 0 };

/** Collects a file's bad cells, to report them together. */
export class Faults {
  readonly #file: { name: string };
  readonly #found: LineFault[] = [];

  constructor(file: { name: string }) {
    this.#file = file;
  }

  /** `wants` describes a good value, such as "a day such as 2024-01-31". */
  add(line: number, column: string, found: string, wants: string): void {
    if (this.#found.length === MOST) return;
    const what = `${column} ${JSON.stringify(found.slice(0, 60))} is not ${wants}`;
    this.#found.push({ line, column, what });
  }

  /** The number in a cell; NaN, and recorded as a fault, if it is not as required. */
  number(line: number, column: string, found: string, { wanted, fits }: NumberCondition = anyNumber): number {
    const value = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(found) ? Number(found) : Number.NaN;
    if (fits(value) && Number.isFinite(value)) return value;
    this.add(line, column, found, wanted);
    return Number.NaN;
  }

  /** Refuses the file if it has faults. */
  refuseAny(): void {
    if (this.#found.length > 0) refuseLines(this.#file, this.#found);
  }
}
