/** Exchange rates for files whose amounts are not in euros: the table `stage.rates`. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { refuse } from "../core/model/refusal.ts";
import { monthlyMeans } from "../domain/macro/exchange-rates.ts";
import type { ReleaseFacts } from "../domain/trade/dataset.ts";
import type { Period } from "../domain/trade/units.ts";
import { type EcbRates, ecbRates } from "./reference/ecb-rates.ts";
import { textOfTable } from "./reference/files.ts";
import type { Reference } from "./reference/table.ts";

/** The current rates; undefined if none were imported. */
export type RatesSource = () => Promise<Reference<EcbRates> | undefined>;

/**
 * Fills `stage.rates` (month, per_euro) with the mean rate of each month completed by the rates' last day. Real
 * amounts are converted at real rates only. Returns the used text, as an input of the release.
 */
export async function loadRates(
  connection: DuckDBConnection,
  currency: string,
  source: RatesSource | undefined,
): Promise<ReleaseFacts["inputs"][number]> {
  const rates = await source?.();
  if (!rates || rates.synthetic || rates.as_of === null) {
    return refuse(
      "invalid",
      `amounts in ${currency} are converted at the ECB's rates, and none were imported: import eurofxref-hist.csv first`,
    );
  }
  const last: Period = Number(rates.as_of.slice(0, 4) + rates.as_of.slice(5, 7));
  const whole = [...monthlyMeans(rates.rows, currency)].filter(([period]) => period < last);
  const values = whole.map(([period, mean]) => `(${period}, ${mean}::double)`);
  await connection.run(
    `create table stage.rates as select * from (values (0, null), ${values.join(", ")}) r(month, per_euro)
     where per_euro is not null`,
  );
  const { text } = textOfTable(ecbRates, rates, rates.rows);
  return {
    name: `${rates.dataset} to ${rates.as_of}`,
    sha256: rates.vintage,
    bytes: Buffer.byteLength(text),
    rows: rates.rows.length,
  };
}
