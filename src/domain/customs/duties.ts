/** Which duties bear on a code, and how far their rates lie apart. */

export const dutyGroups = ["third_country", "preference", "other"] as const;
export type DutyGroup = (typeof dutyGroups)[number];

/** TARIC's measure types: what everybody pays (103, 105 for an end-use), and what is granted to some origins. */
const groups: Record<string, DutyGroup> = {
  "103": "third_country",
  "105": "third_country",
  "106": "preference",
  "141": "preference",
  "142": "preference",
  "143": "preference",
  "145": "preference",
  "146": "preference",
  "147": "preference",
};

export const dutyGroupOf = (measure_code: string): DutyGroup => groups[measure_code] ?? "other";

/** The digits of a 10-digit goods code that say something: 4407 of 4407000000, for a duty stands on all below it. */
export const meantBy = (goods_code: string) => goods_code.replace(/^(\d{2}(?:\d{2})*?)(?:00)*$/, "$1");

/** Whether a duty on the goods code bears on `code`: on a part of it, on all of it, or on what contains it. */
export const bearsOn = (goods_code: string, code: string) =>
  goods_code.startsWith(code) || code.startsWith(meantBy(goods_code));

export type Rates = {
  /** Lowest and highest plain percentage; null where there is none. */
  min_pct: number | null;
  max_pct: number | null;
  /** Duties that are no plain percentage: specific, compound or conditional. */
  not_ad_valorem: number;
};

/** How far rates in per cent lie apart (null for one that is no plain percentage); undefined without any duty. */
export function ratesOf(percentages: readonly (number | null)[]): Rates | undefined {
  if (percentages.length === 0) return undefined;
  const plain = percentages.filter((rate) => rate !== null);
  return {
    min_pct: plain.length > 0 ? Math.min(...plain) : null,
    max_pct: plain.length > 0 ? Math.max(...plain) : null,
    not_ad_valorem: percentages.length - plain.length,
  };
}
