/** What fusion's answers rest on: trade data, and the tables beside them. */
import { type Data, pinned } from "../../../datasets/reading.ts";
import { cnNomenclature } from "../../../datasets/reference/cn-nomenclature.ts";
import { hicp } from "../../../datasets/reference/hicp.ts";
import { policies } from "../../../datasets/reference/policies.ts";
import { countryTables } from "../../../projections/fusion/answers/country.ts";
import { vintage } from "../../../projections/trade/answers/data.ts";

const over =
  (tables: readonly { name: string }[]) =>
  (data: Data): string | undefined => {
    const trade = vintage(data);
    return trade && [trade, data.reference.vintages(tables)].join("+");
  };

/** A market is told at constant prices, and with the policies that are announced. */
export const marketVintage = over([hicp, policies]);
export const countryVintage = over([hicp, ...countryTables]);
/** A question may ask whatever a plan does. */
export const queryVintage = over([cnNomenclature, hicp, policies, ...countryTables]);

/** Runs `work` on data that stay as they are until it is done, for an answer that asks twice. */
export async function onOneState<T>(current: Data, work: (data: Data) => Promise<T>): Promise<T> {
  const { data, release } = pinned(current);
  try {
    return await work(data);
  } finally {
    release();
  }
}
