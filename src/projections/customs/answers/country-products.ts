/** The products that Latvia trades with one country in a year, each direction apart. */
import { z } from "zod";
import { literal } from "../../../datasets/duckdb.ts";
import type { Lease } from "../../../datasets/vintage-store.ts";
import type { NameOf } from "../../../domain/trade/product-names.ts";
import { isResidue } from "../../../domain/trade/products.ts";
import { type Flow, sixDecimals } from "../../../domain/trade/units.ts";
import { REST } from "../../trade/answers/rankings.ts";
import { finestIn } from "../../trade/answers/tables.ts";
import { LATVIA } from "./question.ts";

const MOST_LISTED = 10;

export const countryProduct = z.object({
  rank: z.int().nullable().describe("Rank by value, 1 = the largest; null: the rest"),
  product: z.string().describe(`CN8 code; ${REST} = all other products`),
  name: z.string().nullable(),
  value_eur: z.int(),
  quantity_kg: z.number().nullable().describe("Reported mass in kg; null = none"),
  share: z
    .number()
    .nullable()
    .describe("Share of Latvia's trade with the country in this direction, 0 to 1; null: its value is 0"),
});

type Amounts = { value_eur: number; quantity_kg: number | null };
type ProductRow = Amounts & { flow: Flow; product: string };

/** The ten largest of each direction and the rest, confidential trade among it; empty without trade. */
export async function productsOf(
  lease: Lease,
  nameOf: NameOf,
  { country, year }: { country: string; year: number },
  signal: AbortSignal | undefined,
): Promise<Record<Flow, z.infer<typeof countryProduct>[]>> {
  const where = `reporter = ${literal(LATVIA)} and partner = ${literal(country)}`;
  const found = await lease.query<ProductRow>(
    `select flow, product, sum(value_eur)::bigint as value_eur, sum(quantity_kg)::double as quantity_kg
     from ${finestIn(lease, { years: { from: year, to: year } }, where)}
     group by all order by value_eur desc, product`,
    undefined,
    signal,
  );
  const of = (flow: Flow) =>
    linesOf(
      found.filter((row) => row.flow === flow),
      nameOf,
    );
  return { IMPORT: of("IMPORT"), EXPORT: of("EXPORT") };
}

function linesOf(found: ProductRow[], nameOf: NameOf): z.infer<typeof countryProduct>[] {
  if (found.length === 0) return [];
  const total = sumOf(found);
  const listed = found.filter(({ product }) => !isResidue(product)).slice(0, MOST_LISTED);
  const line = (rank: number | null, product: string, name: string | null, amounts: Amounts) => ({
    rank,
    product,
    name,
    value_eur: amounts.value_eur,
    quantity_kg: amounts.quantity_kg,
    share: total.value_eur > 0 ? sixDecimals(amounts.value_eur / total.value_eur) : null,
  });
  const rest = sumOf(found.filter((row) => !listed.includes(row)));
  return [
    ...listed.map((row, at) => line(at + 1, row.product, nameOf(row.product), row)),
    line(null, REST, "All other products, including confidential trade", rest),
  ];
}

/** Sums; a mass that is stated nowhere stays unknown. */
function sumOf(rows: Amounts[]): Amounts {
  const masses = rows.flatMap(({ quantity_kg }) => quantity_kg ?? []);
  return {
    value_eur: rows.reduce((sum, { value_eur }) => sum + value_eur, 0),
    quantity_kg:
      masses.length > 0 ? Math.round(masses.reduce((sum, one) => sum + one, 0) * 1000) / 1000 : null,
  };
}
