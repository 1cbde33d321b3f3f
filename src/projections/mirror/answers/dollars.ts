/** The US dollars of a euro by month, from the reference rates of the ECB. */
import { type EcbRates, ecbRates } from "../../../datasets/reference/ecb-rates.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage, type Reference, sandboxOf } from "../../../datasets/reference/table.ts";
import { wholeMonthlyMeans } from "../../../domain/macro/exchange-rates.ts";
import type { Period } from "../../../domain/trade/units.ts";

export type Dollars = { reference: Reference<EcbRates>; usd_per_eur: ReadonlyMap<Period, number> };

const means = perVintage((rows: readonly EcbRates[]) => wholeMonthlyMeans(rows, "USD"));

/** Both tables of rates, the published and the invented one, as far as they are open. */
const ratesIn = (store: ReferenceStore) =>
  [ecbRates.name, sandboxOf(ecbRates)].flatMap((dataset) => store.named(dataset) ?? []);

/** The rates of one kind, published or invented; undefined while they are not open. */
export function dollarsIn(store: ReferenceStore, synthetic: boolean): Dollars | undefined {
  const found = ratesIn(store).find((one) => one.synthetic === synthetic) as Reference<EcbRates> | undefined;
  return found && { reference: found, usd_per_eur: means(found) };
}

/** Names the states of the rates that an answer may rest on. */
export const ratesVintages = (store: ReferenceStore): string[] =>
  ratesIn(store)
    .map(({ vintage }) => vintage)
    .sort();
