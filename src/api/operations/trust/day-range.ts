import { z } from "zod";
import { refuseField } from "../../../core/model/refusal.ts";
import { dayOfDate, dayOfTime } from "../../../projections/trust/days.ts";

export const MOST_DAYS = 366;
const USUAL_DAYS = 90;

const date = z.iso.date("is a day, YYYY-MM-DD").optional();

export const dayRangeFields = {
  from: date.describe(`The first day, UTC; default: ${USUAL_DAYS} days before \`to\``),
  to: date.describe("The last day, UTC; default: today"),
  step: z
    .enum(["day", "week"], "is day or week")
    .default("day")
    .describe("week: every seventh day, and the last day"),
};

/** The requested days, first and last included. Refuses more than a year. */
export function dayRangeOf(input: { from?: string | undefined; to?: string | undefined }, now: Date) {
  const to = input.to === undefined ? dayOfTime(now) : dayOfDate(input.to);
  const from = input.from === undefined ? to - USUAL_DAYS : dayOfDate(input.from);
  if (from > to || to - from >= MOST_DAYS)
    return refuseField("from", `is at most ${MOST_DAYS - 1} days before to, and not after it`);
  return { from, to };
}

/** All days of the range, or the last of each seven days and `to`. */
export const daysOf = ({ from, to }: { from: number; to: number }, step: "day" | "week"): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at).filter(
    (day) => step === "day" || day === to || (day - from) % 7 === 6,
  );
