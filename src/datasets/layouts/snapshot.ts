/** The columns of this service's own snapshots, as Parquet or CSV: any trade data in its normal form. */
import {
  euros,
  eurosOf,
  isOtherReporter,
  matches,
  month,
  oneOf,
  partner,
  product,
  reporter,
} from "./checks.ts";
import type { Layout } from "./layout.ts";

export const tallystickSnapshot: Layout = {
  name: "Tallystick snapshot",
  dataset: "trade-snapshot",
  source: "A snapshot of trade data in Tallystick's columns",
  columns: ["reporter", "partner", "product", "flow", "period", "value_eur", "quantity_kg"],
  checks: [
    reporter("reporter"),
    partner("partner"),
    product("product"),
    oneOf("flow", ["IMPORT", "EXPORT"], "a flow is IMPORT or EXPORT"),
    ...month("period"),
    euros("value_eur"),
    {
      column: "quantity_kg",
      good: `"quantity_kg" is null or ${matches("quantity_kg", "[0-9]{1,14}(\\.[0-9]+)?")}`,
      message: () => "a mass is kilograms from 0, or nothing",
    },
  ],
  cell: {
    reporter: '"reporter"',
    flow: '"flow"',
    period: '"period"::integer',
    partner: '"partner"',
    product: '"product"',
    value_eur: eurosOf("value_eur"),
    quantity_kg: '"quantity_kg"::decimal(18, 3)',
  },
  variant_columns: [],
  left_out: { total_product: `"product" = 'TOTAL'`, other_reporter: isOtherReporter('"reporter"') },
  speaks_for: "products",
};
