/** Facts: each figure of a report with its location in an answer, or the formula that derives it from other facts. */
import { z } from "zod";

const units = [
  "EUR",
  "USDC",
  "share",
  "change",
  "ratio",
  "index",
  "eur_per_tonne",
  "percent",
  "count",
  "year",
  "month",
  "calendar_month",
  "code",
  "text",
] as const;
export type Unit = (typeof units)[number];

/** The request behind an answer: repeated at its vintage, it has the same answer. */
export const origin = z.object({
  operation: z.string().describe("The operation that was called"),
  input: z.record(z.string(), z.unknown()).describe("Its input, without the vintage"),
  path: z.string().describe("JSON Pointer (RFC 6901) into its answer"),
  answer_sha256: z.string().describe("SHA-256 of the RFC 8785 form of the answer's `{ data, meta }`"),
  dataset: z.string(),
  vintage: z.string().describe("`meta.rests_on` of the answer: send it as `vintage` to repeat the call"),
  synthetic: z.boolean(),
});
export type Origin = z.infer<typeof origin>;

/** The formulas that derive a fact from facts, by the words in which they are written. */
const formulas = {
  "a - b": ([a, b]: number[]) => a! - b!,
  "a / b": ([a, b]: number[]) => a! / b!,
  "a / b - 1": ([a, b]: number[]) => a! / b! - 1,
  "a * b": ([a, b]: number[]) => a! * b!,
  sum: (all: number[]) => all.reduce((sum, one) => sum + one, 0),
  count: (all: number[]) => all.length,
} as const satisfies Record<string, (of: number[]) => number>;
export type Formula = keyof typeof formulas;
const formulaNames = Object.keys(formulas) as [Formula, ...Formula[]];

const common = {
  id: z.string().describe("F1, F2, … in the order of the report's requests"),
  label: z.string().describe("The fact's name, in words without a digit"),
  value: z.union([z.number(), z.string()]).describe("As the answer has it; never rounded"),
  unit: z.enum(units).describe("share and change are printed in percent: 0.1 = 10 %"),
};

const answerFact = z.object({ ...common, from: origin.describe("The answer that has the figure") });
const computedFact = z.object({
  ...common,
  formula: z.enum(formulaNames).describe("Over `of` in order: a, b"),
  of: z.array(z.string()).min(1).describe("Ids of earlier facts"),
});
export const fact = z.union([answerFact, computedFact]).meta({ id: "Fact" });
export type Fact = z.infer<typeof fact>;
export type AnswerFact = z.infer<typeof answerFact>;

export const isAnswerFact = (one: Fact): one is AnswerFact => "from" in one;

/** An answer and its origin; its figures become facts. */
export type AnswerWithOrigin = { answer: object; origin: Omit<Origin, "path"> };

/** The facts of one report, numbered in the order of their use. */
export type Ledger = {
  facts: readonly Fact[];
  /**
   * The value at a pointer of an answer; the same pointer is the same fact. Throws where the answer has no such
   * value.
   */
  at(answer: AnswerWithOrigin, path: string, label: string, unit: Unit): Fact;
  computed(label: string, unit: Unit, formula: Formula, of: readonly Fact[]): Fact;
};

export function ledger(): Ledger {
  const facts: Fact[] = [];
  const known = new Map<string, Fact>();
  const taken = (name: string, make: (id: string) => Fact): Fact => {
    const found = known.get(name);
    if (found) return found;
    const made = make(`F${facts.length + 1}`);
    facts.push(made);
    known.set(name, made);
    return made;
  };
  return {
    facts,
    at({ answer, origin }, path, label, unit) {
      const value = valueAt(answer, path);
      if (typeof value !== "number" && typeof value !== "string")
        throw new Error(`${origin.operation} has no figure at ${path}`);
      const name = JSON.stringify([origin.operation, origin.input, path, unit]);
      return taken(name, (id) => ({ id, label, value, unit, from: { ...origin, path } }));
    },
    computed(label, unit, formula, of) {
      const ids = of.map(({ id }) => id);
      const value = computedValue(formula, of);
      if (value === undefined) throw new Error(`${formula} of ${ids.join(", ")} is not a number`);
      return taken(JSON.stringify([formula, ids, unit]), (id) => ({
        id,
        label,
        value,
        unit,
        formula,
        of: ids,
      }));
    },
  };
}

/** The value of a formula; undefined where it is not a number. A count accepts facts of any unit. */
export function computedValue(formula: Formula, of: readonly Fact[]): number | undefined {
  if (formula === "count") return of.length;
  const values = of.map(({ value }) => value);
  if (!values.every((value) => typeof value === "number")) return undefined;
  const value = formulas[formula](values);
  return Number.isFinite(value) ? value : undefined;
}

/** The value at a JSON Pointer; inherited members are not values. */
export function valueAt(answer: unknown, path: string): unknown {
  if (path === "") return answer;
  if (!path.startsWith("/")) return undefined;
  const parts = path.slice(1).split("/");
  return parts.reduce<unknown>((value, part) => {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined;
  }, answer);
}

/** Keeps a number and its unit on one line. */
const JOINED = "\u00a0";
const MINUS = "\u2212";

const SCALES: readonly [least: number, word: string][] = [
  [1e9, "bn"],
  [1e6, "m"],
  [1e3, "k"],
];

/** A fact as text: "EUR 1.24 bn", "45.2 %", "2024". The same value is the same text on every machine. */
export function print({ value, unit }: Pick<Fact, "value" | "unit">): string {
  if (typeof value === "string") {
    // Money that is owed to the cent is a decimal string, and printed unchanged.
    if (unit === "EUR" || unit === "USDC") return `${unit}${JOINED}${value}`;
    return unit === "text" ? `“${value}”` : value;
  }
  const sign = value < 0 ? MINUS : "";
  const size = Math.abs(value);
  switch (unit) {
    case "EUR":
    case "USDC":
      return `${sign}${unit}${JOINED}${scaled(size)}`;
    case "eur_per_tonne":
      return `${sign}EUR${JOINED}${scaled(size)}${JOINED}a${JOINED}tonne`;
    case "share":
      return `${sign}${hundredth(size)}${JOINED}%`;
    case "percent":
      return `${sign}${decimals(size)}${JOINED}%`;
    case "change":
      return `${value < 0 ? MINUS : "+"}${hundredth(size)}${JOINED}%`;
    case "calendar_month":
      return MONTHS[value - 1] ?? String(value);
    case "count":
    case "year":
    case "month":
    case "code":
    case "text":
      return `${sign}${size}`;
    case "ratio":
    case "index":
      return sign + decimals(size);
  }
}

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

function scaled(size: number): string {
  for (const [least, word] of SCALES)
    if (size >= 0.9995 * least) return `${decimals(size / least)}${JOINED}${word}`;
  return decimals(size);
}

const hundredth = (size: number) => decimals(100 * size);

/** Three significant digits, or all before the point; a value other than 0 is never printed as 0. */
function decimals(size: number): string {
  if (size === 0) return "0";
  if (size < 0.0001) return "less than 0.0001";
  if (size >= 99.95) return grouped(size.toFixed(0));
  return size.toPrecision(3);
}

const grouped = (digits: string) => digits.replaceAll(/\B(?=(\d{3})+$)/g, ",");
