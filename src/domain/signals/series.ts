/** A monthly series that bets are made on, and the statement about a month of it that later data decide. */
import { z } from "zod";
import { month as monthField } from "../../core/model/fields.ts";
import { addMonths, flows, monthText, type Period, yearOf } from "../trade/units.ts";

const indicators = ["brent_usd", "eur_usd", "hicp"] as const;

/** What a bet says of a month: EUR of trade against the same month a year before, or an indicator at its end against a level. */
export const statement = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("above_last_year"),
    reporter: z.string(),
    flow: z.enum(flows),
    hs: z.string(),
    month: monthField,
  }),
  z.strictObject({
    kind: z.literal("above_level"),
    indicator: z.enum(indicators),
    level: z.number().positive(),
    month: monthField,
  }),
]);
export type Statement = z.infer<typeof statement>;

/** What a series is of: a statement without its month. */
export type Subject =
  | { kind: "above_last_year"; reporter: string; flow: "IMPORT" | "EXPORT"; hs: string }
  | { kind: "above_level"; indicator: (typeof indicators)[number] };

/** Months in order without gaps from `from`; null is not known. */
export type Series = {
  dataset: string;
  subject: Subject;
  from: Period;
  values: readonly (number | null)[];
  /** What partners that have delivered more than the reporter say of the same flow, month by month; null is not known. */
  mirror?: readonly (number | null)[];
  /** The months in which a policy on the product begins. */
  policies?: ReadonlySet<Period>;
};

export const periodAt = ({ from }: Pick<Series, "from">, at: number): Period => addMonths(from, at);

/** The place of a month in a series; it may lie outside. */
export const placeOf = ({ from }: Pick<Series, "from">, period: Period): number =>
  (yearOf(period) - yearOf(from)) * 12 + (period % 100) - (from % 100);

/** The first place of a series after all that is known. */
export const nextPlace = ({ values }: Pick<Series, "values">): number => placeAfter(values);

const placeAfter = (values: readonly (number | null)[]) =>
  values.findLastIndex((value) => value !== null) + 1;

/** The last month that any of these has; undefined where none has one. */
export function newestMonth(all: readonly Series[]): Period | undefined {
  const months = all.filter((one) => nextPlace(one) > 0).map((one) => periodAt(one, nextPlace(one) - 1));
  return months.length === 0 ? undefined : Math.max(...months);
}

/** A series as it was so many months earlier, when whoever delivers late was as late as now. What came after that is not in it. */
export function asItWas({ mirror, ...series }: Series, months_earlier: number): Series {
  const until = (values: readonly (number | null)[]) =>
    values.slice(0, Math.max(0, placeAfter(values) - months_earlier));
  return { ...series, values: until(series.values), ...(mirror && { mirror: until(mirror) }) };
}

/** What a month is held against: so many months before it. */
export const lagOf = ({ subject }: Pick<Series, "subject">): number =>
  subject.kind === "above_last_year" ? 12 : 1;

/** A value, where it is known and above 0. */
export const known = (values: readonly (number | null)[], at: number): number | undefined => {
  const value = values[at];
  return value === undefined || value === null || value <= 0 ? undefined : value;
};

/** Whether the month at a place was above what it is held against; undefined where one of the two is not known. */
export function outcomeAt(series: Series, at: number): boolean | undefined {
  const value = known(series.values, at);
  const before = known(series.values, at - lagOf(series));
  return value === undefined || before === undefined ? undefined : value > before;
}

/** The statement about the month at a place; undefined where what it would be held against is not known. */
export function statementAt(series: Series, at: number): Statement | undefined {
  const level = known(series.values, at - lagOf(series));
  if (level === undefined) return undefined;
  const month = monthText(periodAt(series, at));
  return series.subject.kind === "above_level"
    ? { ...series.subject, level, month }
    : { ...series.subject, month };
}

/** Whether a statement came true, by a later state of its series; undefined while its month is not known. */
export function decided(series: Series, said: Statement): boolean | undefined {
  const at = placeOf(series, Number(said.month.replace("-", "")));
  if (said.kind === "above_last_year") return outcomeAt(series, at);
  const value = known(series.values, at);
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
