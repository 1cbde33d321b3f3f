import { z } from "zod";
import type { Lease } from "../../../datasets/vintage-store.ts";
import { basis, dataset, flow, hs, reporter, year } from "../../../domain/trade/inputs.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { sixDecimals } from "../../../domain/trade/units.ts";
import { aboutYear, inOneYear } from "./one-year.ts";
import { aboutNames, namesOf, type TradeData } from "./question.ts";
import {
  digitsBelow,
  inFamilies,
  productRow,
  RANKED,
  type RankingQuery,
  rankingMeta,
  rankProducts,
} from "./rankings.ts";
import { finerPartnersIn, inFlow, inReporters } from "./tables.ts";

const WOOD = "44";
const TOP_PARTNERS = 3;
/** More than the number of codes next below any wood code. */
const ALL = 1_000;

export const woodInput = z.object({
  reporter,
  year: year.optional(),
  flow: flow.optional(),
  hs: hs
    .refine((code) => code.startsWith(WOOD), "hs is a code of chapter 44 (wood), such as 4407")
    .optional()
    .describe("A code of chapter 44 whose next finer products are listed; omitted = the headings of 44"),
  basis: basis.optional(),
  dataset: dataset.optional(),
});

const woodPartner = z.object({
  partner: z.string().describe("2-letter code"),
  name: z.string(),
  value_eur: z.int(),
  share: z.number().nullable().describe("Share of the product's value_eur, 0 to 1; null: that is 0"),
});

export const woodOutput = z.object({
  data: z.array(
    productRow.extend({
      top_partners: z
        .array(woodPartner)
        .describe("The three largest partners by value; empty on the line of the rest"),
    }),
  ),
  meta: rankingMeta,
});

type Partner = { code: string; partner: string; value_eur: number };

export const woodProducts = (
  trade: TradeData,
  { hs: code = WOOD, ...input }: z.output<typeof woodInput>,
  signal?: AbortSignal,
): Promise<z.infer<typeof woodOutput>> =>
  inOneYear(trade, { ...input, hs: code }, async (lease, years, { hs }) => {
    const query = { ...input, hs, years, limit: ALL };
    const [{ rows, ...ranked }, partners] = await Promise.all([
      rankProducts(lease, namesOf(trade), query, signal),
      lease.query<Partner>(partnersSql(lease, query), undefined, signal),
    ]);
    const data = rows.map((row) => ({
      ...row,
      top_partners: partners
        .filter(({ code }) => code === row.product)
        .map(({ partner, value_eur }) => ({
          partner,
          name: partnerName(partner),
          value_eur,
          share: row.value_eur > 0 ? sixDecimals(value_eur / row.value_eur) : null,
        })),
    }));
    const about = aboutYear(lease, { ...input, hs }, years);
    const formula = `${RANKED}; a partner's share = its value / the product's value`;
    return { data, meta: { ...about, ...ranked, ...aboutNames(trade), formula } };
  });

function partnersSql(lease: Lease, { reporter, flow, hs, years }: RankingQuery & { hs: string }): string {
  const digits = digitsBelow(lease, hs) ?? hs.length;
  const { code, from } = inFamilies(
    lease,
    { hs, years },
    digits,
    finerPartnersIn(lease, { hs, years }, digits),
  );
  return `select ${code} as code, partner, sum(value_eur)::bigint as value_eur
    from ${from}
    where ${inReporters([reporter])} and ${inFlow(flow)} group by 1, 2
    qualify row_number() over (partition by code order by sum(value_eur) desc, partner) <= ${TOP_PARTNERS}
    order by code, value_eur desc, partner`;
}
