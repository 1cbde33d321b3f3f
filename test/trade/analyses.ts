/** Runs the analyses over a sandbox and a little real data, and plain SQL over the same tables. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { z } from "zod";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import { alerts, alertsInput, alertsOutput } from "../../src/projections/trade/answers/alerts.ts";
import {
  concentration,
  concentrationInput,
  concentrationOutput,
} from "../../src/projections/trade/answers/concentration.ts";
import { corridor, corridorInput, corridorOutput } from "../../src/projections/trade/answers/corridor.ts";
import {
  flowPulse,
  flowPulseInput,
  flowPulseOutput,
} from "../../src/projections/trade/answers/flow-pulse.ts";
import { heatmap, heatmapInput, heatmapOutput } from "../../src/projections/trade/answers/heatmap.ts";
import { pricesInput, pricesOutput, pricesPerTonne } from "../../src/projections/trade/answers/prices.ts";
import {
  productDetail,
  productDetailInput,
  productDetailOutput,
} from "../../src/projections/trade/answers/product-detail.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { season, seasonInput, seasonOutput } from "../../src/projections/trade/answers/seasonality.ts";
import { sources, sourcesInput, sourcesOutput } from "../../src/projections/trade/answers/sources.ts";
import { woodInput, woodOutput, woodProducts } from "../../src/projections/trade/answers/wood.ts";
import { importFiles, limits, sdmxFixture } from "../datasets/workshop.ts";
import { sandboxIn } from "../support/sandbox.ts";

type Sql = <Row>(query: string) => Promise<Row[]>;

/** A sandbox and a real dataset of one product and one reporter, two months of 2024; removed after the file's tests. */
export async function openAnalyses() {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-data-"));
  const sandbox = await sandboxIn(dir);
  const real = await importFiles(dir, [sdmxFixture], { reporters: ["DE"] });
  const vintages = await openVintages({ ...limits, dataDir: dir });
  await vintages.serve(sandbox);
  await vintages.serve(real.manifest.vintage);
  const trade: TradeData = { vintages, allow_synthetic: true };
  const lease = vintages.lease("sandbox");
  /** Queries the sandbox's tables, all years of each under its name. */
  const sql: Sql = (query) => {
    const tables = ["cells", "chapter_partners", "chapter_totals"].map(
      (table) =>
        `${table} as (${lease.partitions.map(({ database }) => `from ${database}.${table}`).join(" union all ")})`,
    );
    return lease.query(`with ${tables.join(", ")} ${query}`);
  };
  const close = async () => {
    lease.release();
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
  return { trade, sql, ask: questionsOf(trade), close };
}

/** Queries as the service does, and validates the answer against its schema. */
const asking =
  <Input extends z.ZodObject, Output extends z.ZodObject>(
    work: (trade: TradeData, input: z.output<Input>) => Promise<z.output<Output>>,
    input: Input,
    output: Output,
  ) =>
  (trade: TradeData) =>
  async (request: z.input<Input>) => {
    const answer = await work(trade, input.parse(request));
    expect(output.parse(answer)).toEqual(answer);
    return answer;
  };

const questionsOf = (trade: TradeData) => ({
  wood: asking(woodProducts, woodInput, woodOutput)(trade),
  heatmap: asking(heatmap, heatmapInput, heatmapOutput)(trade),
  detail: asking(productDetail, productDetailInput, productDetailOutput)(trade),
  prices: asking(pricesPerTonne, pricesInput, pricesOutput)(trade),
  season: asking(season, seasonInput, seasonOutput)(trade),
  concentration: asking(concentration, concentrationInput, concentrationOutput)(trade),
  alerts: asking(alerts, alertsInput, alertsOutput)(trade),
  pulse: asking(flowPulse, flowPulseInput, flowPulseOutput)(trade),
  corridor: asking(corridor, corridorInput, corridorOutput)(trade),
  sources: asking(sources, sourcesInput, sourcesOutput)(trade),
});
