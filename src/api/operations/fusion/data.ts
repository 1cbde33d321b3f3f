/** The data behind fusion's answers: trade data, and the reference tables. */
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

/** The answer about a market includes prices in constant euros and announced policies. */
export const marketVintage = over([hicp, policies]);
export const countryVintage = over([hicp, ...countryTables]);
/** Any plan may answer a question, so the vintage covers the data of all plans. */
export const queryVintage = over([cnNomenclature, hicp, policies, ...countryTables]);

/** Runs `work` on one state of the data, for an answer that needs several queries. */
export async function onOneState<T>(current: Data, work: (data: Data) => Promise<T>): Promise<T> {
  const { data, release } = pinned(current);
  try {
    return await work(data);
  } finally {
    release();
  }
}
