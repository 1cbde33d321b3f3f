/** All tables of reference data; a new one adds its line here. */
import { ecbRates } from "./ecb-rates.ts";
import type { ReferenceTable } from "./table.ts";

export const referenceTables: ReferenceTable<object>[] = [ecbRates];

/** The table and layout that a file with this first line is of, if any. */
export function referenceLayoutOf(header: string) {
  for (const table of referenceTables) {
    const layout = table.layouts.find(({ matches }) => matches(header));
    if (layout) return { table, layout };
  }
  return undefined;
}
