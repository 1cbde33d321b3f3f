/** Imports that ran ahead of policies, published once a week for everybody; signals are a week old by then. */
import { z } from "zod";
import type { DataOf, EventOf } from "../../core/model/entity.ts";

export const MOST_SIGNALS = 50;
/** Days between a policy and the first week that reports it. */
export const DELAY_DAYS = 7;

export const signal = z.strictObject({
  signal_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe("From the policy's day, product, origin and measure"),
  policy_date: z.iso.date(),
  hs_code: z.string(),
  spike_multiple: z
    .number()
    .positive()
    .describe("Imports of the three months before / mean of the same months of the two years before"),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("Share of other months of the series with a lower spike; null where fewer than 24 are known"),
  codes: z
    .array(z.string())
    .optional()
    .describe("The summed codes, if revisions joined other codes to this code; absent = this code alone"),
});

export const events = {
  FrontRunWatched: {
    means: "The week's goods were listed whose trade moved before a policy was announced.",
    1: z.strictObject({
      week: z.iso.date().describe("A Monday; the computation is due at 07:00 UTC."),
      vintage: z.string().describe("Comma-separated vintages that it was computed from."),
      synthetic: z.boolean(),
      signals: z.array(signal).max(MOST_SIGNALS).describe("Signals of policies at least seven days old."),
    }),
    public: true,
  },
};

export type FrontRunWeek = DataOf<typeof events, "FrontRunWatched">;
export type FrontRunEvent = EventOf<typeof events>;
export type FrontRunState = { week: string } | undefined;

export const prefix = "frontrun";
export const streamOf = (id: string) => prefix + id;
export const target = { tenant: "operator", id: "" };
/** The stream grows by one event a week. */
export const fold_version = 1;

export const initialState = (): FrontRunState => undefined;
export const evolve = (_: FrontRunState, { data }: FrontRunEvent): FrontRunState => ({ week: data.week });

/** A week is written once, and never after a later one. */
export const recordWeek =
  (data: FrontRunWeek) =>
  (state: FrontRunState): FrontRunEvent[] =>
    state && state.week >= data.week ? [] : [{ type: "FrontRunWatched", data }];

const DAY_MS = 86_400_000;
const DUE_MS = 7 * 3_600_000;

/** The Monday of the last 07:00 UTC on a Monday, as YYYY-MM-DD. */
export function weekOf(now: Date): string {
  const due = new Date(now.getTime() - DUE_MS);
  const sinceMonday = (due.getUTCDay() + 6) % 7;
  return new Date(due.getTime() - sinceMonday * DAY_MS).toISOString().slice(0, 10);
}

/** The time at which the week after this one begins, as ISO 8601. */
export const nextWeek = (week: string): string =>
  new Date(Date.parse(week) + 7 * DAY_MS + DUE_MS).toISOString();

/** The last day whose policies a week reports. */
export const lastDayOf = (week: string): string =>
  new Date(Date.parse(week) - DELAY_DAYS * DAY_MS).toISOString().slice(0, 10);
