/** The largest partners of a market. */
import { z } from "zod";
import { contributions } from "../../../domain/fusion/growth.ts";
import { existsIn } from "../../../domain/trade/coverage.ts";
import { isReporter, partnerName } from "../../../domain/trade/reporters.ts";
import { sixDecimals } from "../../../domain/trade/units.ts";
import type { Market } from "./market-methods.ts";

const MOST_SUPPLIERS = 10;
const number = z.number().nullable();

export const supplier = z.object({
  rank: z.int(),
  partner: z.string(),
  name: z.string(),
  value_eur: z.int().describe("Value in `meta.year`, in EUR"),
  share: number.describe("Share of the total, 0 to 1; null: the total is 0"),
  before_eur: z.int().nullable().describe("Value in the year before, in EUR; null = the code did not exist"),
  contribution: number.describe(
    "Change in the partner's value / the total of the year before; null: either year is incomplete",
  ),
});

/** The largest partners; for the 27 together also the largest outside the EU. */
export function suppliersOf(
  { lease, hs, reporter, partners, year, isComplete }: Market,
  total: number,
): z.infer<typeof supplier>[] {
  const valuesOf = (ofYear: number) =>
    new Map(partners.flatMap((one) => (one.year === ofYear ? [[one.partner, one.value_eur] as const] : [])));
  const [now, before] = [valuesOf(year), valuesOf(year - 1)];
  // Partners without trade now were part of the earlier total.
  const parts = [...new Set([...now.keys(), ...before.keys()])].map((code) => ({
    code,
    before: before.get(code) ?? 0,
    after: now.get(code) ?? 0,
  }));
  const existed = existsIn(lease.manifest.coverage, hs, { from: year - 1, to: year - 1 });
  const isComparable = isComplete(year) && isComplete(year - 1);
  const found = new Map(
    (isComparable ? (contributions(parts) ?? []) : []).map(({ code, contribution }) => [code, contribution]),
  );
  const outside = reporter === undefined ? [...now.keys()].filter((code) => !isReporter(code)) : [];
  const shown = new Set([...now.keys()].slice(0, MOST_SUPPLIERS).concat(outside.slice(0, MOST_SUPPLIERS)));
  const ranks = new Map([...now.keys()].map((code, at) => [code, at + 1]));
  return [...now]
    .filter(([code]) => shown.has(code))
    .map(([partner, value_eur]) => {
      const contribution = found.get(partner);
      return {
        rank: ranks.get(partner)!,
        partner,
        name: partnerName(partner),
        value_eur,
        share: total > 0 ? sixDecimals(value_eur / total) : null,
        before_eur: existed ? (before.get(partner) ?? 0) : null,
        contribution: contribution === undefined ? null : sixDecimals(contribution),
      };
    });
}
