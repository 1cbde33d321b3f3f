/** The ECB's euro reference rates: the last of each currency, and whether it is recent enough to pay by. */

import { refuse, refuseField } from "../../core/model/refusal.ts";
import { type EcbRates, ecbRates } from "../../datasets/reference/ecb-rates.ts";
import type { ReferenceStore } from "../../datasets/reference/store.ts";
import { perVintage, type Reference } from "../../datasets/reference/table.ts";
import { commerceProblems } from "../../domain/commerce/problems.ts";

/** Units of a currency per euro, on a day. */
export type Rate = {
  rate: string;
  as_of: string;
  source: string;
  dataset: string;
  vintage: string;
  synthetic: boolean;
};

/** A currency that is no longer quoted has its last rate. */
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

/** Refuses an unknown currency and lists the known ones. */
export function rateOf(reference: ReferenceStore, currency: string): Rate {
  const table = reference.get(ecbRates);
  const rates = lastRates(table);
  const found = rates.get(currency);
  if (found) return { ...found, ...provenance(table) };
  const message = `is EUR or a currency that the ECB quotes: ${[...rates.keys()].sort().join(", ")}`;
  return refuseField("currency", message);
}

/** A rate is valid for this many days, because weekends and holidays have no rate. */
const GOOD_DAYS = 5;

/**
 * Dollars per euro for a payment now. `is_play`: worthless money may use invented rates, which have no day. Refuses
 * without a recent rate.
 */
export function payableRate(
  reference: ReferenceStore,
  { now, is_play }: { now: Date; is_play: boolean },
): Pick<Rate, "rate" | "as_of"> {
  // A table that is still opening is not missing.
  const table = reference.isAwaited(ecbRates) ? reference.get(ecbRates) : reference.find(ecbRates);
  const found = table && lastRates(table).get("USD");
  const missing = (why: string) =>
    refuse(commerceProblems["rate-missing"], `${why}: the operator has to import the ECB's rates`, {
      retry_after_s: 3_600,
    });
  if (!table || !found) return missing("the table has no dollar rate");
  if (table.synthetic) return is_play ? found : missing("only invented rates are loaded");
  const age_days = (now.getTime() - Date.parse(found.as_of)) / 86_400_000;
  return Math.floor(age_days) > GOOD_DAYS ? missing(`the last dollar rate is from ${found.as_of}`) : found;
}
