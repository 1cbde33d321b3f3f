/** A monthly series that bets are made on, and the statement about a month of it that later data decide. */
import { z } from "zod";
import { month as monthField } from "../../core/model/fields.ts";
import { addMonths, flows, monthText, type Period, yearOf } from "../trade/units.ts";

const indicators = ["brent_usd", "eur_usd", "hicp"] as const;

/**
 * A statement about a month: EUR of trade against the same month a year before, or an indicator at its end against a
 * level.
 */
export const statement = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("above_last_year"),
    reporter: z.string(),
    flow: z.enum(flows),
    hs: z
      .string()
      .describe("An HS chapter, which exists in every year; revisions seldom move goods out of it"),
    month: monthField,
  }),
  z.strictObject({
    kind: z.literal("above_level"),
    indicator: z.enum(indicators),
    level: z.number().positive().describe("The value to exceed, in the indicator's unit"),
    month: monthField,
  }),
]);
export type Statement = z.infer<typeof statement>;

/** The subject of a series: a statement without its month. */
export type Subject =
  | { kind: "above_last_year"; reporter: string; flow: "IMPORT" | "EXPORT"; hs: string }
  | { kind: "above_level"; indicator: (typeof indicators)[number] };

/** Months in order without gaps from `from`; null = unknown. */
export type Series = {
  dataset: string;
  subject: Subject;
  from: Period;
  values: readonly (number | null)[];
  /** The same flow by month, from partners that have delivered more than the reporter; null = unknown. */
  mirror?: readonly (number | null)[];
  /** The months in which a policy on the product begins. */
  policies?: ReadonlySet<Period>;
};

export const periodAt = ({ from }: Pick<Series, "from">, at: number): Period => addMonths(from, at);

/** The index of a month in a series; it may be outside. */
export const indexOfMonth = ({ from }: Pick<Series, "from">, period: Period): number =>
  (yearOf(period) - yearOf(from)) * 12 + (period % 100) - (from % 100);

/** The first index after all known values of a series. */
export const nextIndex = ({ values }: Pick<Series, "values">): number => indexAfter(values);

const indexAfter = (values: readonly (number | null)[]) =>
  values.findLastIndex((value) => value !== null) + 1;

/** The last month that any of these has; undefined where none has one. */
export function newestMonth(all: readonly Series[]): Period | undefined {
  const months = all.filter((one) => nextIndex(one) > 0).map((one) => periodAt(one, nextIndex(one) - 1));
  return months.length === 0 ? undefined : Math.max(...months);
}

/** A series as of this many months earlier, with late reporters as late as now. Later values are not in it. */
export function seriesAsOf({ mirror, ...series }: Series, months_earlier: number): Series {
  const until = (values: readonly (number | null)[]) =>
    values.slice(0, Math.max(0, indexAfter(values) - months_earlier));
  return { ...series, values: until(series.values), ...(mirror && { mirror: until(mirror) }) };
}

/** The number of months between a month and the one it is compared with. */
export const lagOf = ({ subject }: Pick<Series, "subject">): number =>
  subject.kind === "above_last_year" ? 12 : 1;

/** A value, if it is known and above 0: ratios and bets need one. */
export const knownAt = (values: readonly (number | null)[], at: number): number | undefined => {
  const value = values[at];
  return value === undefined || value === null || value <= 0 ? undefined : value;
};

/** True if the month at an index exceeds its comparison month; undefined where either is unknown. A month of 0 is known. */
export function outcomeAt(series: Series, at: number): boolean | undefined {
  const value = series.values[at] ?? undefined;
  const before = series.values[at - lagOf(series)] ?? undefined;
  return value === undefined || before === undefined ? undefined : value > before;
}

/** The statement about the month at an index; undefined where its comparison value is unknown. */
export function statementAt(series: Series, at: number): Statement | undefined {
  const level = knownAt(series.values, at - lagOf(series));
  if (level === undefined) return undefined;
  const month = monthText(periodAt(series, at));
  return series.subject.kind === "above_level"
    ? { ...series.subject, level, month }
    : { ...series.subject, month };
}

/** True if a statement came true, by a later state of its series; undefined while its month is unknown. */
export function decided(series: Series, said: Statement): boolean | undefined {
  const at = indexOfMonth(series, Number(said.month.replace("-", "")));
  if (said.kind === "above_last_year") return outcomeAt(series, at);
  const value = series.values[at] ?? undefined;
  return value === undefined ? undefined : value > said.level;
}

/** A statement as a sentence. */
export const sentence = (said: Statement): string =>
  said.kind === "above_last_year"
    ? `${said.reporter}'s ${said.flow} of ${said.hs} in ${said.month} is above that of the same month a year before`
    : `${said.indicator} at the end of ${said.month} is above ${said.level}`;

/** Names a series, whatever its months. */
export const keyOf = (of: Subject | Statement): string =>
  of.kind === "above_last_year"
    ? [of.kind, of.reporter, of.flow, of.hs].join(" ")
    : [of.kind, of.indicator].join(" ");
