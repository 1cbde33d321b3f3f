/** US dollars per euro by month, from the reference rates of the ECB. */
import { type EcbRates, ecbRates } from "../../../datasets/reference/ecb-rates.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage, type Reference, sandboxOf } from "../../../datasets/reference/table.ts";
import { wholeMonthlyMeans } from "../../../domain/macro/exchange-rates.ts";
import type { Period } from "../../../domain/trade/units.ts";

export type Dollars = { reference: Reference<EcbRates>; usd_per_eur: ReadonlyMap<Period, number> };

const means = perVintage((rows: readonly EcbRates[]) => wholeMonthlyMeans(rows, "USD"));

/** The open tables of rates, published and invented. */
const ratesIn = (store: ReferenceStore) =>
  [ecbRates.name, sandboxOf(ecbRates)].flatMap((dataset) => store.named(dataset) ?? []);

/** The rates of one kind, published or invented; undefined while they are not open. */
export function dollarsIn(store: ReferenceStore, synthetic: boolean): Dollars | undefined {
  const found = ratesIn(store).find((one) => one.synthetic === synthetic) as Reference<EcbRates> | undefined;
  return found && { reference: found, usd_per_eur: means(found) };
}

/** The vintages of the rates that an answer may use. */
export const ratesVintages = (store: ReferenceStore): string[] =>
  ratesIn(store)
    .map(({ vintage }) => vintage)
    .sort();
