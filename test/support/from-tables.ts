/** The trade questions that roll-ups answer, answered from a vintage's tables. */
import type { z } from "zod";
import type { Lease, VintageStore } from "../../src/datasets/vintage-store.ts";
import { alerts, alertsInput } from "../../src/projections/trade/answers/alerts.ts";
import { concentration, concentrationInput } from "../../src/projections/trade/answers/concentration.ts";
import { corridor, corridorInput } from "../../src/projections/trade/answers/corridor.ts";
import { flowPulse, flowPulseInput } from "../../src/projections/trade/answers/flow-pulse.ts";
import { heatmap, heatmapInput } from "../../src/projections/trade/answers/heatmap.ts";
import {
  countries,
  countriesInput,
  overview,
  overviewInput,
} from "../../src/projections/trade/answers/overview.ts";
import { pricesInput, pricesPerTonne } from "../../src/projections/trade/answers/prices.ts";
import { productDetail, productDetailInput } from "../../src/projections/trade/answers/product-detail.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { rankingInput, topPartners, topProducts } from "../../src/projections/trade/answers/rankings.ts";
import { rerouteInput, rerouteWatch } from "../../src/projections/trade/answers/rerouting.ts";
import { season, seasonInput } from "../../src/projections/trade/answers/seasonality.ts";
import {
  balance,
  balanceInput,
  timeline,
  timelineInput,
} from "../../src/projections/trade/answers/series.ts";
import { sources, sourcesInput } from "../../src/projections/trade/answers/sources.ts";

/** The store's data without roll-ups: every question uses the tables. */
export function fromTables(vintages: VintageStore): TradeData["vintages"] {
  const bare = (lease: Lease): Lease => ({
    ...lease,
    partitions: lease.partitions.map((partition) => ({ ...partition, rollup: undefined })),
  });
  return {
    open: () => vintages.open(),
    awaited: () => vintages.awaited(),
    lease: (dataset) => bare(vintages.lease(dataset)),
  };
}

/** A named question, answered from data. */
export type Ask = (trade: TradeData) => Promise<unknown>;

const asking =
  <Input extends z.ZodType>(
    work: (trade: TradeData, input: z.output<Input>) => Promise<unknown>,
    input: Input,
  ) =>
  (request: Record<string, unknown>): Ask =>
  async (trade) =>
    work(trade, input.parse(request));

/** The trade questions that roll-ups answer, by name. */
export const questions = {
  overview: asking(overview, overviewInput),
  countries: asking(countries, countriesInput),
  timeline: asking(timeline, timelineInput),
  topPartners: asking(topPartners, rankingInput),
  topProducts: asking(topProducts, rankingInput),
  balance: asking(balance, balanceInput),
  heatmap: asking(heatmap, heatmapInput),
  detail: asking(productDetail, productDetailInput),
  prices: asking(pricesPerTonne, pricesInput),
  season: asking(season, seasonInput),
  concentration: asking(concentration, concentrationInput),
  corridor: asking(corridor, corridorInput),
  alerts: asking(alerts, alertsInput),
  pulse: asking(flowPulse, flowPulseInput),
  reroute: asking(rerouteWatch, rerouteInput),
  sources: asking(sources, sourcesInput),
};

export type Name = keyof typeof questions;
export const names = Object.keys(questions) as Name[];
