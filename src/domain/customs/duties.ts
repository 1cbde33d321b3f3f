/** The duties that apply to a code, and the range of their rates. */

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

/**
 * The significant digits of a 10-digit goods code: 4407 of 4407000000, because a duty applies to all codes below its
 * own.
 */
export const meantBy = (goods_code: string) => goods_code.replace(/^(\d{2}(?:\d{2})*?)(?:00)*$/, "$1");

/**
 * The rows that bear on `code`: first those of what contains it, then those of itself and its parts. `rows` are sorted by
 * goods code.
 */
export function bearingOn<Row extends { goods_code: string }>(rows: readonly Row[], code: string): Row[] {
  const containing = [2, 4, 6]
    .filter((digits) => digits < code.length)
    .map((digits) => code.slice(0, digits).padEnd(10, "0"))
    .filter((goods_code, at, all) => !goods_code.startsWith(code) && all.indexOf(goods_code) === at);
  return [...containing, code].flatMap((beginning) => {
    // A colon comes right after the digits.
    return rows.slice(firstFrom(rows, beginning), firstFrom(rows, `${beginning}:`));
  });
}

/** The index of the first row whose goods code is not below the text. */
function firstFrom(rows: readonly { goods_code: string }[], text: string): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (rows[middle]!.goods_code < text) from = middle + 1;
    else to = middle;
  }
  return from;
}

export type Rates = {
  /** Lowest and highest plain percentage; null where there is none. */
  min_pct: number | null;
  max_pct: number | null;
  /** Duties that are not a plain percentage: specific, compound or conditional. */
  not_ad_valorem: number;
};

/** The range of rates in per cent (null for a rate that is not a plain percentage); undefined without any duty. */
export function ratesOf(percentages: readonly (number | null)[]): Rates | undefined {
  if (percentages.length === 0) return undefined;
  const plain = percentages.filter((rate) => rate !== null);
  return {
    min_pct: plain.length > 0 ? Math.min(...plain) : null,
    max_pct: plain.length > 0 ? Math.max(...plain) : null,
    not_ad_valorem: percentages.length - plain.length,
  };
}
