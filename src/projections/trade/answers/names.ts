/** Products have our own names where one exists, else those of the open nomenclature. */
import { cnNomenclature, hsNomenclature } from "../../../datasets/reference/cn-nomenclature.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage } from "../../../datasets/reference/table.ts";
import { type NameOf, ownName } from "../../../domain/trade/product-names.ts";
import { productLevels } from "../../../domain/trade/products.ts";

/** Answers with names depend on the vintages of these tables. */
export const nameTables = [cnNomenclature, hsNomenclature];

const byCode = perVintage(
  (rows: readonly { code: string; name: string }[]) => new Map(rows.map(({ code, name }) => [code, name])),
);

/** undefined = no table is open. */
export function namesFrom(reference: ReferenceStore): string | undefined {
  const open = reference.find(cnNomenclature);
  return open && `${open.dataset}, vintage ${open.vintage}`;
}

export function namesIn(reference: ReferenceStore): NameOf {
  const [cn, hs] = [reference.find(cnNomenclature), reference.find(hsNomenclature)];
  const cnNames = cn && byCode(cn);
  const hsNames = hs && byCode(hs);
  return (code) =>
    ownName(code) ??
    cnNames?.get(code) ??
    // The Combined Nomenclature has an undivided heading or subheading only as its CN8 code.
    cnNames?.get(code.padEnd(productLevels.cn8, "0")) ??
    hsNames?.get(code) ??
    null;
}
