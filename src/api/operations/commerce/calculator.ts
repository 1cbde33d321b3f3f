import { z } from "zod";
import {
  type HeatingNeed,
  INSULATION_FACTORS,
  insulations,
  KG_PER_KW,
  pelletsFor,
  sameHeat,
  USUAL_KWH_PER_KG,
  USUAL_PACK,
  wholeUp,
} from "../../../domain/commerce/calculator.ts";
import { decimalEuro, totalOf } from "../../../domain/commerce/money.ts";
import {
  centsPerKg,
  cheapestLines,
  netOf,
  type PricedUnit,
  type ProductType,
  pricedUnits,
  shopOf,
  slug,
} from "../../../domain/commerce/product.ts";
import { missingUnits } from "../../../domain/commerce/stock.ts";
import { listProducts, type StockedProduct } from "../../../projections/commerce/catalogue.ts";
import { json, key, operation, pay, reads } from "../../declare/index.ts";
import { lineShown, missingShown, money, nowOf, shownLine } from "./fields.ts";

type Fuel = Extract<ProductType, "granulas" | "briketes">;

const fuelShown = z.object({
  kg: z.int().describe("For the whole season, rounded up"),
  bags: z.int().describe("Whole bags"),
  pallets: z.int().describe("Whole pallets"),
  cost_eur: money.nullable().describe("Cost of the lines, with tax; null if the shop sells no bags"),
  lines: z
    .array(lineShown.extend({ missing: missingShown }))
    .describe("The goods in their cheapest units: pallets where they cost less than bags"),
  product_slug: slug.nullable().describe("The assumed product: the cheapest per kilogram"),
  kwh_per_kg: z.number(),
});

/** A product sold by the bag, with those of its units that have a price. */
type BaggedProduct = { product: StockedProduct; units: PricedUnit[]; bag: PricedUnit; per_kg: number };

/** The cheapest per kilogram of the products sold by the bag. */
function cheapest(products: readonly StockedProduct[], at: string): BaggedProduct | undefined {
  return products
    .flatMap((product) => {
      const units = product.withdrawn_at === null ? pricedUnits(product, at) : [];
      const bag = units.find(({ unit }) => unit === "bag");
      const per_kg = centsPerKg(units);
      return bag && per_kg !== undefined ? { product, units, bag, per_kg } : [];
    })
    .sort((a, b) => a.per_kg - b.per_kg)[0];
}

const kwhOf = (fuel: Fuel, sold: BaggedProduct | undefined) =>
  sold?.product.facts.kwh_per_kg ?? USUAL_KWH_PER_KG[fuel];

function shown(fuel: Fuel, exact_kg: number, sold: BaggedProduct | undefined): z.infer<typeof fuelShown> {
  const kg = wholeUp(exact_kg);
  const bags = wholeUp(kg / (sold?.bag.kg ?? USUAL_PACK.kg_per_bag));
  const pallet = sold?.product.facts.units.find(({ unit }) => unit === "pallet");
  const lines = (sold && cheapestLines(sold.units, bags * sold.bag.base)) ?? [];
  const missing = missingUnits(sold?.product.shelves ?? [], lines);
  return {
    kg,
    bags,
    pallets: wholeUp(bags / (pallet?.base ?? USUAL_PACK.bags_per_pallet)),
    cost_eur:
      sold && lines.length > 0
        ? decimalEuro(totalOf(netOf(lines), sold.product.facts.vat_bp).gross_cents)
        : null,
    lines: lines.map((line, at) => ({ ...shownLine(line), missing: missing[at]! })),
    product_slug: sold?.product.facts.slug ?? null,
    kwh_per_kg: kwhOf(fuel, sold),
  };
}

const calculator = operation({
  name: "fuel_calculator",
  route: "POST /v1/agent/calculator",
  effect: reads,
  summary: "Fuel and cost of a heating season",
  description: `A rule of thumb: ${KG_PER_KW} kg of pellets a kilowatt for six months at 20 °C, in proportion to temperature and months, and by insulation
(${insulations.map((name) => `${name} ${INSULATION_FACTORS[name]}`).join(", ")}). It assumes 0 °C outdoors on average. Briquettes use their own calorific value. \`lines\` is the cheapest
order, with the quantity that the stock lacks.`,
  access: [key("read"), pay("0.001")],
  input: z.object({
    kw: z
      .number("is a number from 1 to 500")
      .min(1, "is at least 1")
      .max(500, "is at most 500")
      .describe("Power of the boiler in kilowatt, 1 to 500"),
    desired_temp: z
      .number("is a number from 5 to 30")
      .min(5, "is at least 5")
      .max(30, "is at most 30")
      .default(20)
      .describe("Degrees Celsius indoors, 5 to 30"),
    heating_months: z
      .number("is a number from 0.5 to 12")
      .min(0.5, "is at least 0.5")
      .max(12, "is at most 12")
      .default(6)
      .describe("Months of heating, 0.5 to 12"),
    insulation: z
      .enum(insulations, `is one of ${insulations.join(", ")}`)
      .default("average")
      .describe("The house's insulation"),
  }),
  output: json(
    z.object({
      data: z.object({
        granulas: fuelShown,
        briketes: fuelShown,
        assumptions: z.object({
          formula: z.string(),
          kg_per_kw: z.number(),
          insulation_factor: z.number(),
          mean_outdoor_temp: z.number().describe("Degrees Celsius"),
        }),
      }),
      meta: z.object({}),
    }),
  ),
  example: { kw: 12, desired_temp: 21, heating_months: 7, insulation: "good" },
  handle: async ({ input, caller, app }) => {
    const need: HeatingNeed = input;
    const at = nowOf(app);
    const sold = async (type: Fuel) =>
      cheapest(await listProducts(app.pool, { tenant: shopOf(caller.tenant), type }), at);
    const [pellets, briquettes] = await Promise.all([sold("granulas"), sold("briketes")]);
    const kg = pelletsFor(need);
    const same = sameHeat(kg, kwhOf("granulas", pellets), kwhOf("briketes", briquettes));
    return {
      data: {
        granulas: shown("granulas", kg, pellets),
        briketes: shown("briketes", same, briquettes),
        assumptions: {
          formula:
            "kg of pellets = kw · 350 · desired_temp / 20 · heating_months / 6 · insulation_factor; briquettes by their calorific value",
          kg_per_kw: KG_PER_KW,
          insulation_factor: INSULATION_FACTORS[need.insulation],
          mean_outdoor_temp: 0,
        },
      },
      meta: {},
    };
  },
});

export const calculatorOperations = [calculator];
