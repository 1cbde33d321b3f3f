import { refuse } from "../../../core/model/refusal.ts";
import type { Data } from "../../../datasets/reading.ts";
import { shopSales } from "../../../datasets/reference/shop-sales.ts";
import { shopOf } from "../../../domain/commerce/product.ts";
import {
  forecastDemand,
  forecastInput,
  forecastOutput,
} from "../../../projections/commerce/answers/forecast.ts";
import { forecastChart, forecastTable } from "../../../projections/commerce/answers/forms.ts";
import { catalogueProjection } from "../../../projections/commerce/catalogue.ts";
import { demandProjection } from "../../../projections/commerce/demand.ts";
import { json, key, operation, pay, reads } from "../../declare/index.ts";

const forecast = operation({
  name: "commerce_forecast",
  route: "POST /v1/agent/forecast",
  effect: reads,
  summary: "Expected orders of each product in coming months",
  description: "With 80 and 95 % intervals, and backtests on earlier months. The current month is left out.",
  access: [key("read"), pay("0.10")],
  lists: demandProjection,
  input: forecastInput,
  output: json(forecastOutput, { table: forecastTable, chart: forecastChart }),
  refuses: [404],
  example: { product_slug: "granulas-premium", months_ahead: 3, months_history: 36 },
  vintage: ({ reference }: Data) => reference.vintages([shopSales]),
  handle: async ({ input, caller, app, data: { reference }, request }) => {
    await app.caughtUp(catalogueProjection);
    const { pool } = app;
    const shop = shopOf(caller.tenant);
    const made = await forecastDemand({ pool, reference, now: app.clock.now(), shop }, input);
    if (request.payment_id !== undefined && made.data.every(({ forecast }) => forecast.length === 0))
      refuse(
        "not_found",
        "this product has no finished month yet, and nothing is charged: name another product, or repeat next month",
      );
    return made;
  },
});

export const forecastOperations = [forecast];
