/** The activities by NACE section: what an hour costs in the Union, what is earned in Latvia, and the exposure to AI. */
import { z } from "zod";
import { lvWages } from "../../../datasets/reference/lv-wages.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { EU27 } from "../../../domain/salary/countries.ts";
import { lang } from "../../../domain/salary/inputs.ts";
import { sectionCodes, sectorName, WHOLE_ECONOMY } from "../../../domain/salary/sectors.ts";
import { someOf } from "../../reference/meta.ts";
import { exposureBySection, exposureFormula, exposureTables, missingExposureReason } from "./exposure.ts";
import { hourly, hourlyOf, hourlyTables } from "./hourly.ts";
import { latestWage } from "./lv-wages.ts";
import { meta, metaOf } from "./tables.ts";

export const sectorTables = [...hourlyTables, lvWages, ...exposureTables];

export const sectorsInput = z.object({ lang });

const sector = z.object({
  nace: z.string().describe("Code of NACE Rev. 2"),
  name: z.string(),
  ...hourly.shape,
  lv_gross_eur_per_month: z
    .number()
    .nullable()
    .describe("Average gross wage in Latvia, EUR a month; null: none"),
  lv_period: z.string().nullable().describe("Year or quarter of the wage in Latvia; null: no wage"),
  ai_exposure: z
    .number()
    .nullable()
    .describe("Exposure to AI, 0 to 1, weighted by employment; null: not known"),
  ai_covered: z
    .number()
    .nullable()
    .describe("Share of the employed with a scored occupation, 0 to 1; null: not known"),
});

export const sectorsOutput = z.object({ data: z.array(sector), meta: meta.extend({ count: z.int() }) });

/** The whole economy first, then the sections from A to U. */
export function sectors(
  reference: ReferenceStore,
  input: z.output<typeof sectorsInput>,
): z.infer<typeof sectorsOutput> {
  someOf(reference, sectorTables);
  const exposure = exposureBySection(reference);
  const data = [WHOLE_ECONOMY, ...sectionCodes].map((nace) => {
    const wage = latestWage(reference, nace);
    return {
      nace,
      name: sectorName(nace, input.lang)!,
      ...hourlyOf(reference, EU27, nace),
      lv_gross_eur_per_month: wage?.gross_eur_per_month ?? null,
      lv_period: wage?.period ?? null,
      ai_exposure: exposure.get(nace)?.score ?? null,
      ai_covered: exposure.get(nace)?.covered ?? null,
    };
  });
  const formula = `Costs and earnings of the EU27, nominal EUR, as published. ${exposureFormula}`;
  const about = metaOf(reference, sectorTables, formula, [missingExposureReason(reference)]);
  return { data, meta: { ...about, count: data.length } };
}
