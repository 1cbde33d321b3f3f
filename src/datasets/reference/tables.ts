/** All tables of reference data; a new one adds its line here. */
import { cnNomenclature, hsNomenclature, hsSections } from "./cn-nomenclature.ts";
import { ecbRates } from "./ecb-rates.ts";
import type { ReferenceTable } from "./table.ts";
import { taricDuties } from "./taric-duties.ts";

export const referenceTables: ReferenceTable<object>[] = [
  cnNomenclature,
  hsNomenclature,
  hsSections,
  ecbRates,
  taricDuties,
];

/** The table and layout that a file with this first line is of, if any. */
export function referenceLayoutOf(header: string) {
  for (const table of referenceTables) {
    const layout = table.layouts.find(({ matches }) => matches(header));
    if (layout) return { table, layout };
  }
  return undefined;
}
