import { commonName } from "../../../../domain/questions/common-names.ts";
import { ownName } from "../../../../domain/trade/product-names.ts";
import type { Flow } from "../../../../domain/trade/units.ts";

const nameOf = (code: string) => ownName(code) ?? commonName(code);

/** Digits of the codes above a code, the longest first. */
const PARENTS = [6, 4, 2];

/** "44 Wood and charcoal", "44071110 (4407 Sawn wood)", "all products". `known`: the name in the answer. */
export function productTitle(code: string | null | undefined, known?: string | null): string {
  if (code === null || code === undefined) return "all products";
  const name = known ?? nameOf(code);
  if (name !== null) return `${code} ${name}`;
  const parents = PARENTS.filter((digits) => digits < code.length).map((digits) => code.slice(0, digits));
  const parent = parents.find((one) => nameOf(one) !== null);
  return parent === undefined ? code : `${code} (${parent} ${nameOf(parent)})`;
}

const words = { IMPORT: "imports", EXPORT: "exports" } as const;

/** "imports", "exports", or "trade" for both. */
export const flowWord = (flow: Flow | null | undefined): string => (flow ? words[flow] : "trade");
