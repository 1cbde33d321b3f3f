/** What products are called: by names of our own where we have one, else as the nomenclature that is open says. */
import { cnNomenclature, hsNomenclature } from "../../../datasets/reference/cn-nomenclature.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage } from "../../../datasets/reference/table.ts";
import { type NameOf, ownName } from "../../../domain/trade/product-names.ts";
import { productLevels } from "../../../domain/trade/products.ts";

/** The tables that names come from; answers with names rest on their vintages. */
export const nameTables = [cnNomenclature, hsNomenclature];

const byCode = perVintage(
  (rows: readonly { code: string; name: string }[]) => new Map(rows.map(({ code, name }) => [code, name])),
);

/** The table that names come from and its vintage; undefined while none is open. */
export function namesFrom(reference: ReferenceStore): string | undefined {
  const open = reference.find(cnNomenclature);
  return open && `${open.dataset}, vintage ${open.vintage}`;
}

/** Names from the tables that are open. */
export function namesIn(reference: ReferenceStore): NameOf {
  const [cn, hs] = [reference.find(cnNomenclature), reference.find(hsNomenclature)];
  const cnNames = cn && byCode(cn);
  const hsNames = hs && byCode(hs);
  return (code) =>
    ownName(code) ??
    cnNames?.get(code) ??
    // A heading or subheading that is not divided stands in the Combined Nomenclature as its CN8 code alone.
    cnNames?.get(code.padEnd(productLevels.cn8, "0")) ??
    hsNames?.get(code) ??
    null;
}
