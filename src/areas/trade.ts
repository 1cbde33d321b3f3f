import { vintageGauges } from "../api/describe/gauges/vintages.ts";
import { tradeOperations } from "../api/operations/trade/flows.ts";
import { macroOperations } from "../api/operations/trade/macro.ts";
import { tradeProductOperations } from "../api/operations/trade/products.ts";
import { tradeSignalOperations } from "../api/operations/trade/signals.ts";
import { tradeAnalyticsOperations } from "../api/operations/trade/structure.ts";
import * as dataset from "../domain/trade/dataset.ts";
import { tradeProblems } from "../domain/trade/problems.ts";
import { meta } from "../projections/trade/answers/question.ts";
import { releasesProjection } from "../projections/trade/releases.ts";
import type { Area } from "./area.ts";

export const trade: Area = {
  name: "trade",
  about: "EU bilateral trade: 27 reporters, HS2 to CN8, monthly",
  envelope: "success",
  entities: [dataset],
  projections: [releasesProjection],
  reactors: [],
  operations: [
    ...tradeOperations,
    ...tradeProductOperations,
    ...tradeAnalyticsOperations,
    ...tradeSignalOperations,
    ...macroOperations,
  ],
  shares: { TradeMeta: meta },
  problems: tradeProblems,
  gauges: vintageGauges,
};
