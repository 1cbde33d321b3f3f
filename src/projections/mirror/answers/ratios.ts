/** The agreement of both ends of the same flow where both report: mirror ratios among the 27. */
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { LEAST_RATIOS, type MirrorRatios } from "../../../domain/mirror/confidence.ts";
import { productLevels } from "../../../domain/trade/products.ts";
import { addMonths, type Period, yearOf } from "../../../domain/trade/units.ts";
import { partnersIn } from "../../trade/answers/tables.ts";

/** Mirror ratios of a product (`hs`, or its chapter) in the months from `from` to `to`. */
export type Ratios = MirrorRatios & { hs: string; from: Period; to: Period };

/** The ratios of a product over the last five years of the dataset; of its chapter where the product itself has too few. */
export async function mirrorRatios(lease: Lease, hs: string, signal?: AbortSignal): Promise<Ratios> {
  const found = await ratiosOf(lease, hs, signal);
  const chapter = hs.slice(0, productLevels.hs2);
  if (found.count >= LEAST_RATIOS || chapter === hs) return found;
  const wider = await ratiosOf(lease, chapter, signal);
  return wider.count >= LEAST_RATIOS ? wider : found;
}

/**
 * The weighted median of |ln(imports ÷ exports)| over importer, exporter and month, weighted by trade, since a
 * reconstruction is a sum of values. Months that one of the two has not delivered in full are left out.
 */
async function ratiosOf(lease: Lease, hs: string, signal: AbortSignal | undefined): Promise<Ratios> {
  const { months, reporters } = lease.manifest.coverage;
  const from = Math.max(months.from, addMonths(months.to, -59));
  const ends = partnersIn(lease, { hs, years: { from: yearOf(from), to: yearOf(months.to) } });
  const delivered = reporters.map(({ reporter, to }) => `(${literal(reporter)}, ${to})`).join(", ");
  const [row] = await lease.query<{ count: number; median_abs_ln: number | null }>(
    `with delivered(reporter, last) as (values ${delivered}),
     ends as (
       select reporter, partner, flow, period, sum(value_eur)::double as value
       from ${ends} join delivered using (reporter)
       where period between ${from} and last and partner in (select reporter from delivered)
       group by all having sum(value_eur) > 0
     ),
     ratios as (
       select abs(ln(i.value / x.value)) as distance, i.value + x.value as weight
       from ends i join ends x on i.reporter = x.partner and i.partner = x.reporter and i.period = x.period
       where i.flow = 'IMPORT' and x.flow = 'EXPORT'
     ),
     ranked as (select distance, sum(weight) over (order by distance) / sum(weight) over () as share from ratios)
     select count(*) as count, min(distance) filter (share >= 0.5) as median_abs_ln from ranked`,
    undefined,
    signal,
  );
  return { hs, from, to: months.to, ...row! };
}
