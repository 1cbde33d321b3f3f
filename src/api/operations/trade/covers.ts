import { readYears } from "../../../domain/trade/inputs.ts";
import type { ReporterCode } from "../../../domain/trade/reporters.ts";
import { dataOf } from "../../../projections/trade/answers/data.ts";
import { refuseUncovered } from "../../../projections/trade/answers/question.ts";
import type { PricedCall } from "../../declare/access/way.ts";

type TradeInput = {
  reporter?: ReporterCode | undefined;
  reporters?: readonly ReporterCode[] | undefined;
  partner?: string | undefined;
  year?: number | undefined;
  years?: string | undefined;
  dataset?: string | undefined;
};

/** Refuses a year or a reporter that no trade dataset has, before anybody pays. */
export function covers(
  { reporter, reporters, partner, year, years, dataset }: TradeInput,
  { data }: PricedCall,
): void {
  refuseUncovered(dataOf(data), {
    ...{ dataset, partner },
    reporters: reporters ?? (reporter === undefined ? [] : [reporter]),
    years: year !== undefined ? { from: year, to: year } : years === undefined ? undefined : readYears(years),
    fields: {
      reporter: reporters === undefined ? "reporter" : "reporters",
      years: year === undefined ? "years" : "year",
    },
  });
}
