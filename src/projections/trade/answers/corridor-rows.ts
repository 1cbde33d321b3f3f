import { literal } from "../../../datasets/duckdb.ts";
import type { Months } from "../../../datasets/rollups/sums.ts";
import type { YearRollup } from "../../../datasets/rollups/year.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import type { ReporterCode } from "../../../domain/trade/reporters.ts";
import { type Flow, flows, type Period, type Years } from "../../../domain/trade/units.ts";
import { digitsBelow } from "./rankings.ts";
import { rollupsOf } from "./rolled-up.ts";
import { finestIn, partnersIn } from "./tables.ts";

/** The first country reports; the second only if it is one of the 27. */
export type Pair = { reporter: ReporterCode; partner: string; other: ReporterCode | undefined };

export type MonthRow = {
  reporter: ReporterCode;
  flow: Flow;
  period: Period;
  value_eur: number;
  quantity_kg: number | null;
};

export type ProductRow = {
  reporter: ReporterCode;
  flow: Flow;
  product: string;
  value_eur: number;
  /** EUR and kg of the rows with a mass. */
  priced_eur: number;
  priced_kg: number;
};

const between = ({ reporter, partner, other }: Pair) => {
  const ofOne = (one: string, two: string) => `(reporter = ${literal(one)} and partner = ${literal(two)})`;
  return other ? `(${ofOne(reporter, partner)} or ${ofOne(other, reporter)})` : ofOne(reporter, partner);
};

export async function monthsOfPair(
  lease: Lease,
  pair: Pair,
  slice: { hs: string | undefined; years: Years },
  signal: AbortSignal | undefined,
): Promise<MonthRow[]> {
  // Roll-ups separate partners and months only for all products together.
  const rollups = slice.hs === undefined ? rollupsOf(lease, slice) : undefined;
  if (rollups) return rolledUpMonths(rollups, pair);
  return lease.query<MonthRow>(
    `select reporter, flow, period, sum(value_eur)::bigint as value_eur, sum(quantity_kg)::double as quantity_kg
     from ${partnersIn(lease, slice)} where ${between(pair)} group by all order by all`,
    undefined,
    signal,
  );
}

function rolledUpMonths(rollups: readonly YearRollup[], { reporter, partner, other }: Pair): MonthRow[] {
  const views: [ReporterCode, string][] = [[reporter, partner]];
  if (other) views.push([other, reporter]);
  // Sorted as in the SQL: the order of floating-point additions of masses changes their last digits.
  const sorted = views.toSorted(([one], [two]) => (one < two ? -1 : 1));
  return sorted.flatMap(([of, to]) =>
    flows.toSorted().flatMap((flow) =>
      rollups.flatMap((rollup) => {
        const pairMonths = rollup.withPartner(of, to);
        return pairMonths ? monthsWithTrade(rollup.year, of, flow, pairMonths) : [];
      }),
    ),
  );
}

function monthsWithTrade(year: number, reporter: ReporterCode, flow: Flow, pairMonths: Months): MonthRow[] {
  const begin = pairMonths.at + flows.indexOf(flow) * 12;
  const rows: MonthRow[] = [];
  for (let month = 0; month < 12; month++) {
    const value_eur = pairMonths.eur[begin + month]!;
    if (Number.isNaN(value_eur)) continue;
    const grams = pairMonths.grams[begin + month]!;
    const quantity_kg = Number.isNaN(grams) ? null : grams / 1000;
    rows.push({ reporter, flow, period: year * 100 + month + 1, value_eur, quantity_kg });
  }
  return rows;
}

/** Chapters, or the next finer codes below `hs`; residues of confidential trade are not products. */
export function productsOfPair(
  lease: Lease,
  pair: Pair,
  { hs, year }: { hs: string | undefined; year: number },
  signal: AbortSignal | undefined,
) {
  const digits = hs === undefined ? 2 : (digitsBelow(lease, hs) ?? hs.length);
  // A subquery cuts the codes: in `having` and `where`, a name that is alias and column means the column.
  const cut = `select * replace (substr(product, 1, ${digits}) as product)`;
  return lease.query<ProductRow>(
    `select reporter, flow, product, sum(value_eur)::bigint as value_eur,
       coalesce(sum(value_eur) filter (quantity_kg > 0), 0)::bigint as priced_eur,
       coalesce(sum(quantity_kg) filter (quantity_kg > 0), 0)::double as priced_kg
     from (${cut} from ${finestIn(lease, { hs, years: { from: year, to: year } }, between(pair))})
     where not regexp_matches(product, '[^0-9]') group by all order by value_eur desc, product`,
    undefined,
    signal,
  );
}
