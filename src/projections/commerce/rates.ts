/** The ECB's euro reference rates as the shop reads them: the last of each currency, and for how long it is good enough to pay by. */

import { refuse } from "../../core/model/refusal.ts";
import { type EcbRates, ecbRates } from "../../datasets/reference/ecb-rates.ts";
import type { ReferenceStore } from "../../datasets/reference/store.ts";
import { perVintage, type Reference } from "../../datasets/reference/table.ts";
import { commerceProblems } from "../../domain/commerce/problems.ts";

/** Units of a currency that one euro buys, on a day. */
export type Rate = {
  rate: string;
  as_of: string;
  source: string;
  dataset: string;
  vintage: string;
  synthetic: boolean;
};

/** The last rate of every currency of the table: one that is quoted no more keeps its last. */
const lastRates = perVintage((days: readonly EcbRates[]) => {
  const last = new Map<string, { rate: string; as_of: string }>();
  for (const { date, rates } of days)
    for (const [currency, rate] of Object.entries(rates))
      last.set(currency, { rate: String(rate), as_of: date });
  return last;
});

const provenance = ({ source, dataset, vintage, synthetic }: Reference<object>) => ({
  source,
  dataset,
  vintage,
  synthetic,
});

/** The last rate of a currency; refuses one that the table does not have, and names those that it has. */
export function rateOf(reference: ReferenceStore, currency: string): Rate {
  const table = reference.get(ecbRates);
  const rates = lastRates(table);
  const found = rates.get(currency);
  if (found) return { ...found, ...provenance(table) };
  const message = `is EUR or a currency that the ECB quotes: ${[...rates.keys()].sort().join(", ")}`;
  return refuse("invalid", "invalid input: currency", { errors: [{ path: "currency", message }] });
}

/** Days after which a rate is too old to pay by: weekends and holidays have none. */
const GOOD_DAYS = 5;

/**
 * Dollars a euro, for what is paid now. `is_play`: money that is worth nothing may be priced by invented rates, which are of no day.
 * Refuses where there is no rate, or none of the last days.
 */
export function payableRate(
  reference: ReferenceStore,
  { now, is_play }: { now: Date; is_play: boolean },
): Pick<Rate, "rate" | "as_of"> {
  // One that is still to be opened is not missing.
  const table = reference.isAwaited(ecbRates) ? reference.get(ecbRates) : reference.find(ecbRates);
  const found = table && lastRates(table).get("USD");
  const missing = (why: string) =>
    refuse(commerceProblems["rate-missing"], `${why}: the operator has to import the ECB's rates`, {
      retry_after_s: 3_600,
    });
  if (!table || !found) return missing("there is no rate of the dollar");
  if (table.synthetic) return is_play ? found : missing("there are invented rates alone");
  const age_days = (now.getTime() - Date.parse(found.as_of)) / 86_400_000;
  return Math.floor(age_days) > GOOD_DAYS
    ? missing(`the last rate of the dollar is of ${found.as_of}`)
    : found;
}
