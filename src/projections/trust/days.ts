/** Days are UTC, counted from 1970-01-01. */
const DAY_MS = 86_400_000;

export const dayOf = ({ recorded_at_us }: { recorded_at_us: number }): number =>
  Math.floor(recorded_at_us / (DAY_MS * 1_000));

export const dayOfTime = (time: Date): number => Math.floor(time.getTime() / DAY_MS);

/** A day's first moment in Unix milliseconds. */
export const startOfDay = (day: number): number => day * DAY_MS;

/** YYYY-MM-DD. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export const dayOfDate = (date: string): number => Math.floor(Date.parse(date) / DAY_MS);
