/** All reference tables; a new one adds a line here. */
import { brent } from "./brent.ts";
import { cnNomenclature, hsNomenclature, hsSections } from "./cn-nomenclature.ts";
import { codeChanges } from "./code-changes.ts";
import { ecbMro } from "./ecb-mro.ts";
import { ecbRates } from "./ecb-rates.ts";
import { hicp } from "./hicp.ts";
import { iloExposure } from "./ilo-exposure.ts";
import { iscoNaceEmployment } from "./isco-nace-employment.ts";
import { labourCosts } from "./labour-costs.ts";
import { lvWages } from "./lv-wages.ts";
import { policies } from "./policies.ts";
import { euConsolidated } from "./sanctions-eu.ts";
import { ofacAlt, ofacSdn } from "./sanctions-ofac.ts";
import { unConsolidated } from "./sanctions-un.ts";
import { sesEarnings } from "./ses-earnings.ts";
import { shopSales } from "./shop-sales.ts";
import type { ReferenceTable } from "./table.ts";
import { taricDuties } from "./taric-duties.ts";

/** Lists of sanctioned names. Two are XML, and the EU's is recognized by its root element, so it comes first. */
export const sanctionsTables: ReferenceTable<object>[] = [ofacAlt, ofacSdn, euConsolidated, unConsolidated];

export const referenceTables: ReferenceTable<object>[] = [
  brent,
  ecbMro,
  ecbRates,
  hicp,
  iloExposure,
  iscoNaceEmployment,
  labourCosts,
  lvWages,
  sesEarnings,
  shopSales,
  ...sanctionsTables,
  cnNomenclature,
  hsNomenclature,
  hsSections,
  codeChanges,
  taricDuties,
  policies,
];

/** The table and layout of a file with this first line, if any. */
export function referenceLayoutOf(header: string) {
  for (const table of referenceTables) {
    const layout = table.layouts.find(({ matches }) => matches(header));
    if (layout) return { table, layout };
  }
  return undefined;
}
