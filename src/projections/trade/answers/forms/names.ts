import { ownName } from "../../../../domain/trade/product-names.ts";
import type { Flow } from "../../../../domain/trade/units.ts";

/** "44 Wood and articles of wood", "44071110", "all products" */
export function productTitle(code: string | null | undefined): string {
  if (code === null || code === undefined) return "all products";
  const name = ownName(code);
  return name === null ? code : `${code} ${name}`;
}

const words = { IMPORT: "imports", EXPORT: "exports" } as const;

/** "imports", "exports", or "trade" for both. */
export const flowWord = (flow: Flow | null | undefined): string => (flow ? words[flow] : "trade");
