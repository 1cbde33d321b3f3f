/** Demand: what was ordered of a product in each month that is over, in base units, and whether there was anything to order. */

/** A quantity of a month, YYYY-MM in UTC. */
export type Sold = { month: string; quantity: number };

/** A time without stock; `to` is null while it lasts. */
export type StockOut = { from: string; to: string | null };

/** `constrained`: stock was out on more than ten days, so demand was likely more; null where nobody knows, before the product was listed. */
export type MonthOfDemand = Sold & { constrained: boolean | null };

/** Days without stock that a month may have before its orders say too little of its demand. */
export const MOST_DAYS_OUT = 10;

const DAY_MS = 86_400_000;

/** The month that a time is in. */
export const monthOf = (at: string): string => at.slice(0, 7);

/** The month so many later, earlier where negative. */
export function monthAfter(month: string, count = 1): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** The last month that is over. */
export const lastMonth = (now: Date): string => monthAfter(monthOf(now.toISOString()), -1);

export type Known = {
  /** Of one month several add up. */
  sold: readonly Sold[];
  listed_at: string;
  outs: readonly StockOut[];
};

/**
 * Month by month to `last`, at most so many: from the first in which anything is told of, or the month it was listed in. A month between
 * that nothing is told of had no demand.
 */
export function demandOf(
  { sold, listed_at, outs }: Known,
  { last, most }: { last: string; most: number },
): MonthOfDemand[] {
  const quantities = new Map<string, number>();
  for (const { month, quantity } of sold) quantities.set(month, (quantities.get(month) ?? 0) + quantity);
  const first = [monthOf(listed_at), ...quantities.keys()].sort()[0]!;
  const from = [first, monthAfter(last, 1 - most)].sort()[1]!;
  const months: MonthOfDemand[] = [];
  for (let month = from; month <= last; month = monthAfter(month)) {
    const isListed = month >= monthOf(listed_at);
    const constrained = isListed ? daysOut(outs, month) > MOST_DAYS_OUT : null;
    months.push({ month, quantity: quantities.get(month) ?? 0, constrained });
  }
  return months;
}

/** For how many days of a month there was no stock, parts of days added up. */
export function daysOut(outs: readonly StockOut[], month: string): number {
  const begin = Date.parse(`${month}-01`);
  const end = Date.parse(`${monthAfter(month)}-01`);
  let out = 0;
  for (const { from, to } of outs) {
    const until = to === null ? end : Math.min(Date.parse(to), end);
    out += Math.max(0, until - Math.max(Date.parse(from), begin));
  }
  return out / DAY_MS;
}
