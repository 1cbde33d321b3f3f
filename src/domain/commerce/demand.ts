/** Demand of a product: base units ordered in each past month, and times out of stock. */

/** A month, YYYY-MM in UTC. */
export type MonthlySales = { month: string; quantity: number };

/** A time out of stock; `to` null = still. */
export type StockOut = { from: string; to: string | null };

/**
 * `constrained`: out of stock on more than ten days, so demand was probably higher; null = before the product was
 * listed.
 */
export type MonthOfDemand = MonthlySales & { constrained: boolean | null };

/** With more days out of stock a month's orders understate its demand. */
export const MOST_DAYS_OUT = 10;

const DAY_MS = 86_400_000;

export const monthOf = (at: string): string => at.slice(0, 7);

/** A negative `count` goes back. */
export function monthAfter(month: string, count = 1): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** The last complete month. */
export const lastMonth = (now: Date): string => monthAfter(monthOf(now.toISOString()), -1);

export type DemandRecord = {
  /** Entries of one month add up. */
  sold: readonly MonthlySales[];
  listed_at: string;
  outs: readonly StockOut[];
};

/**
 * Months up to `last`, at most `most`: from the first with data, or the month of the listing. A month without data had
 * no demand.
 */
export function demandOf(
  { sold, listed_at, outs }: DemandRecord,
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

/** Days of a month without stock; parts of days add up. */
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
