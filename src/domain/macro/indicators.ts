/** The indicators of the macroeconomic context, and the reading of series by month. */
import { closest } from "fastest-levenshtein";
import { z } from "zod";
import { addMonths, monthText, type Period } from "../trade/units.ts";

export const indicatorNames = ["ecb_mro", "eur_usd", "hicp_yoy", "brent_usd"] as const;
export type IndicatorName = (typeof indicatorNames)[number];

const isIndicator = (name: string): name is IndicatorName =>
  (indicatorNames as readonly string[]).includes(name);

export const indicators = z
  .array(
    z
      .string()
      .max(60, { error: "an indicator is a name such as eur_usd", abort: true })
      .superRefine((name, context) => {
        if (isIndicator(name)) return;
        const message = `there is no indicator ${name}; the nearest is ${closest(name, [...indicatorNames])}; there are ${indicatorNames.join(", ")}`;
        context.addIssue({ code: "custom", message });
      })
      .pipe(z.enum(indicatorNames)),
  )
  .min(1, "name at least one indicator, or leave the parameter out for all")
  .max(indicatorNames.length, `there are ${indicatorNames.length} indicators`)
  .refine((names) => new Set(names).size === names.length, "the list names an indicator twice")
  .default([...indicatorNames])
  .describe(`Comma-separated, of ${indicatorNames.join(", ")}; omitted = all`);

/** A value and the day or month it is of. */
export type Reading = { at: string; value: number };

/** The last reading and the one before it, of readings in the order of time. */
export const lastTwo = (
  readings: readonly Reading[],
): [last: Reading | undefined, previous: Reading | undefined] => [readings.at(-1), readings.at(-2)];

/** The readings, in order of time, that differ from the one before: the days on which a rate changed. */
export const changesOf = (readings: readonly Reading[]): Reading[] =>
  readings.filter(({ value }, at) => value !== readings[at - 1]?.value);

/** Plain means of the readings of each month, by month. */
export function meansByMonth(readings: readonly Reading[]): Map<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { at, value } of readings) {
    const { sum, count } = sums.get(at.slice(0, 7)) ?? { sum: 0, count: 0 };
    sums.set(at.slice(0, 7), { sum: sum + value, count: count + 1 });
  }
  return new Map([...sums].map(([month, { sum, count }]) => [month, sum / count]));
}

/** The value in force at the end of a month, from changes in order of time; null before the first. */
export const inForce = (changes: readonly Reading[], month: string): number | null =>
  changes.findLast(({ at }) => at.slice(0, 7) <= month)?.value ?? null;

/** The months up to and with `last` (YYYY-MM), `count` of them. */
export function monthsUpTo(last: string, count: number): string[] {
  const end: Period = Number(last.replace("-", ""));
  return [...Array(count).keys()].map((at) => monthText(addMonths(end, at - count + 1)));
}
