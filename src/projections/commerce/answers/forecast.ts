import type pg from "pg";
import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import { type ShopSale, shopSales } from "../../../datasets/reference/shop-sales.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage, type Reference, sandboxOf } from "../../../datasets/reference/table.ts";
import {
  demandOf,
  lastMonth,
  MOST_DAYS_OUT,
  type MonthlySales,
  type MonthOfDemand,
  monthAfter,
} from "../../../domain/commerce/demand.ts";
import {
  type Accuracy,
  comparedHistories,
  type Forecast,
  forecastCatalogue,
  LEAST_MONTHS,
  LONGEST_RECORD,
  methods,
  preferredHistory,
  SEASONAL_MONTHS,
} from "../../../domain/commerce/forecast.ts";
import { productId, type shopOf, slug, unitNames } from "../../../domain/commerce/product.ts";
import { tradeProblems } from "../../../domain/trade/problems.ts";
import { listProducts, type StockedProduct } from "../catalogue.ts";
import { demandIn } from "../demand.ts";

const between = (least: number, most: number) =>
  z
    .int(`is a whole number from ${least} to ${most}`)
    .min(least, `is at least ${least}`)
    .max(most, `is at most ${most}`);

export const forecastInput = z.object({
  product_slug: slug.describe("A product's slug from products_list; omitted = all products").optional(),
  months_ahead: between(1, 12).default(3).describe("Months to forecast, 1 to 12"),
  months_history: between(3, 36)
    .default(12)
    .describe("Months of history to use, 3 to 36; seasons are tried from 24 on"),
});

const month = z.string().describe("YYYY-MM, in UTC");
const quantity = z.number().describe("In the product's base unit");
const accuracy = {
  mae: quantity.describe("Mean absolute error, in base units"),
  mase: z
    .number()
    .nullable()
    .describe("Mean absolute error / mean monthly change before; null: no change before"),
  smape: z.number().describe("Symmetric mean absolute percentage error, 0 to 200"),
};
const bound = (about: string) => z.number().nullable().describe(about);
const percent = z
  .number()
  .nullable()
  .describe("Percent of the test months within the interval; null: none had one");

const forecastShown = z.object({
  product_id: productId,
  slug,
  name: z.string(),
  base_unit: z.enum(unitNames).describe("The unit of quantities"),
  history: z.array(
    z.object({
      month,
      quantity: z.int().describe("Ordered and sold in the month, in base units"),
      constrained: z
        .boolean()
        .nullable()
        .describe(
          `true: out of stock on more than ${MOST_DAYS_OUT} days, so demand was likely higher; null: not listed yet`,
        ),
    }),
  ),
  method: z
    .enum(methods)
    .describe(
      "tsb: Teunter, Syntetos and Babai; seasonal_tsb: tsb with seasons; mean: under 6 months; none: no month",
    ),
  forecast: z.array(
    z.object({
      month,
      mean: quantity.describe("Expected demand in the month, in base units"),
      lo80: bound(
        "Lower end of the 80 % interval, base units; null: too few past errors, or months_history below 6",
      ),
      hi80: bound(
        "Upper end of the 80 % interval, base units; null: too few past errors, or months_history below 6",
      ),
      lo95: bound(
        "Lower end of the 95 % interval, base units; null: too few past errors, or months_history below 6",
      ),
      hi95: bound(
        "Upper end of the 95 % interval, base units; null: too few past errors, or months_history below 6",
      ),
      kg: z.number().describe("Expected demand in the month, in kg"),
    }),
  ),
  tests: z
    .object({
      origins: z.int().describe("Number of earlier months from which the forecast was repeated"),
      ...accuracy,
      against: z
        .object(accuracy)
        .describe("Errors of a plain mean of the last twelve months in the same tests"),
      preferred_history: z
        .int()
        .nullable()
        .describe(
          `The months_history (${comparedHistories.join(", ")}) with the least mae in tests of earlier months; null: no test`,
        ),
    })
    .nullable()
    .describe("Errors of the forecast when repeated from earlier months; null: history too short"),
  coverage: z
    .object({ "80": percent, "95": percent, n: z.int().describe("Number of test months with an interval") })
    .describe("Test months within the 80 % and 95 % intervals"),
  synthetic: z.boolean().describe("true: the history includes invented sandbox sales"),
  notes: z.array(z.string()),
});

export const forecastOutput = z.object({
  data: z.array(forecastShown),
  meta: z.object({
    dataset: z.string(),
    vintage: z.string().describe("SHA-256 of the imported sales; `none`: no sales are imported"),
    synthetic: z.boolean().describe("true: a history includes invented sandbox sales"),
    source: z.string(),
    last_month: month.describe("The last complete month, YYYY-MM (UTC)"),
    months_ahead: z.int(),
    months_history: z.int(),
    count: z.int(),
    formula: z.string(),
  }),
});

export type ForecastAnswer = z.infer<typeof forecastOutput>;

const FORMULA =
  "Demand: base units of orders neither expired nor cancelled, by month placed, and imported sales. TSB (Teunter, Syntetos, Babai 2011): " +
  "size z and probability p smoothed apart, forecast p·z; α of .05 .1 .2 .3, β of .05 .1 .2 by squared error. Seasonal: the same over months " +
  "divided by their factors (ratio to a centred 2×12 mean, shrunk by n/(n+1)), from 24 months where its earlier errors were at least 10 % lower. " +
  "Intervals: split conformal, rank ⌈(n+1)·level⌉ of earlier absolute errors over the mean monthly change, all products together, widened by the least factor with which the tested months of all products keep the level, cut at 0. Of 3 to 5 months: their mean.";

export type ForecastQuery = {
  pool: pg.Pool;
  reference: ReferenceStore;
  now: Date;
  shop: ReturnType<typeof shopOf>;
};

/** Intervals use the errors of all products of the shop. */
export async function forecastDemand(
  { pool, reference, now, shop }: ForecastQuery,
  { product_slug, months_ahead, months_history }: z.output<typeof forecastInput>,
): Promise<ForecastAnswer> {
  const imported = salesOf(reference, shop);
  const last = lastMonth(now);
  const ordered = await demandIn(pool, shop, monthAfter(last, 1 - LONGEST_RECORD));
  const sold = (await listProducts(pool, { tenant: shop })).filter(
    ({ withdrawn_at }) => withdrawn_at === null,
  );
  if (product_slug !== undefined && !sold.some(({ facts }) => facts.slug === product_slug))
    refuse("not_found", "there is no such product; products_list lists the products");
  const before = imported && bySlug(imported);
  const catalogue = sold.map((product) => {
    const { sold = [], outs = [] } = ordered.get(product.facts.product_id) ?? {};
    const earlier = before?.get(product.facts.slug) ?? [];
    const { listed_at } = product.facts;
    const record = { sold: [...earlier, ...sold], listed_at, outs };
    const history = demandOf(record, { last, most: LONGEST_RECORD });
    return { product, history, synthetic: earlier.length > 0 && imported?.synthetic === true };
  });
  const records = catalogue.map(({ history }) => history.map((one) => one.quantity));
  const forecasts = forecastCatalogue(records, { months_ahead, window: months_history });
  const data = catalogue.flatMap(({ product, history, synthetic }, at) => {
    if (product_slug !== undefined && product.facts.slug !== product_slug) return [];
    const preferred = preferredHistory(records[at]!, months_ahead);
    return {
      ...shown(product, history, { forecast: forecasts[at]!, last, months_history, preferred }),
      synthetic,
    };
  });
  return {
    data,
    meta: {
      dataset: imported?.dataset ?? shopSales.name,
      vintage: imported?.vintage ?? "none",
      synthetic: data.some(({ synthetic }) => synthetic),
      source: ["Orders of this shop", ...(imported ? [imported.source] : [])].join("; "),
      last_month: last,
      months_ahead,
      months_history,
      count: data.length,
      formula: FORMULA,
    },
  };
}

/** Test keys' shops have only invented sales; refuses with `unavailable` while the table is opening. */
function salesOf(reference: ReferenceStore, shop: ForecastQuery["shop"]): Reference<ShopSale> | undefined {
  if (reference.isAwaited(shopSales))
    return refuse(tradeProblems["dataset-missing"], "the shop's earlier sales are loading", {
      retry_after_s: 5,
    });
  return shop === "operator"
    ? reference.find(shopSales)
    : (reference.named(sandboxOf(shopSales)) as Reference<ShopSale> | undefined);
}

const bySlug = perVintage((rows: readonly ShopSale[]) => {
  const products = new Map<string, MonthlySales[]>();
  for (const { product_slug, month, quantity } of rows) {
    const record = products.get(product_slug);
    if (record) record.push({ month, quantity });
    else products.set(product_slug, [{ month, quantity }]);
  }
  return products;
});

type ProductForecast = {
  forecast: Forecast;
  last: string;
  months_history: number;
  preferred: number | null;
};

function shown(
  { facts }: StockedProduct,
  whole: readonly MonthOfDemand[],
  { forecast, last, months_history, preferred }: ProductForecast,
): Omit<ForecastAnswer["data"][number], "synthetic"> {
  const history = whole.slice(-months_history);
  const { tests, coverage } = forecast;
  return {
    product_id: facts.product_id,
    slug: facts.slug,
    name: facts.name,
    base_unit: facts.base_unit,
    history,
    method: forecast.method,
    forecast: forecast.months.map((one) => ({
      month: monthAfter(last, one.ahead),
      mean: rounded(one.mean, 2),
      lo80: one[80] && rounded(one[80].low, 2),
      hi80: one[80] && rounded(one[80].high, 2),
      lo95: one[95] && rounded(one[95].low, 2),
      hi95: one[95] && rounded(one[95].high, 2),
      kg: rounded(one.mean * facts.kg_per_base, 1),
    })),
    tests: tests && {
      origins: tests.origins,
      ...shownAccuracy(tests),
      against: shownAccuracy(tests.against),
      preferred_history: preferred,
    },
    coverage: {
      "80": coverage[80] === null ? null : rounded(coverage[80], 1),
      "95": coverage[95] === null ? null : rounded(coverage[95], 1),
      n: coverage.n,
    },
    notes: notesOf(whole, { forecast, months_history }),
  };
}

const rounded = (value: number, decimals: number) => Number(value.toFixed(decimals));

const shownAccuracy = ({ mae, mase, smape }: Accuracy) => ({
  mae: rounded(mae, 2),
  mase: mase === null ? null : rounded(mase, 3),
  smape: rounded(smape, 1),
});

function notesOf(
  whole: readonly MonthOfDemand[],
  { forecast, months_history }: Pick<ProductForecast, "forecast" | "months_history">,
): string[] {
  const { method, months } = forecast;
  const constrained = whole.slice(-months_history).filter((one) => one.constrained).length;
  const isSure = method === "mean" || method === "none" || months.every((one) => one[95] !== null);
  return [
    ...(method === "none"
      ? ["No month of this product is over yet: there is nothing to forecast from."]
      : []),
    ...(method === "mean"
      ? [`Fewer than ${LEAST_MONTHS} months are looked at: their mean, with the interval of all products.`]
      : []),
    ...(isSure ? [] : ["Too few errors of earlier forecasts are known for every interval."]),
    ...(constrained > 0
      ? [`Months without stock on more than ${MOST_DAYS_OUT} days: ${constrained}; demand was likely more.`]
      : []),
    ...(months_history < SEASONAL_MONTHS && whole.length >= SEASONAL_MONTHS
      ? [`Seasons are looked for where months_history is at least ${SEASONAL_MONTHS}.`]
      : []),
  ];
}
