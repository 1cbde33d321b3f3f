import { noValueSql } from "../no-value.ts";
import {
  EURO_PATTERN,
  euroMessage,
  eurosOf,
  flowDigit,
  flowOf,
  isOtherReporter,
  matches,
  month,
  oneOf,
  partner,
  product,
  reporter,
} from "./checks.ts";
import type { Layout } from "./layout.ts";

/** Eurostat DS-045409 as SDMX-CSV: chosen products, one row per indicator. */
export const comextSdmx: Layout = {
  name: "SDMX-CSV DS-045409",
  dataset: "comext-ds-045409",
  source: "Eurostat Comext, DS-045409 (EU trade since 1988 by HS2-4-6 and CN8)",
  columns: [
    "DATAFLOW",
    "LAST UPDATE",
    "freq",
    "reporter",
    "partner",
    "product",
    "flow",
    "indicators",
    "TIME_PERIOD",
    "OBS_VALUE",
  ],
  checks: [
    {
      column: "DATAFLOW",
      good: matches("DATAFLOW", "ESTAT:DS-045409\\([0-9.]+\\)"),
      message: () => "the dataflow is ESTAT:DS-045409; other dataflows count other things",
    },
    oneOf("freq", ["M"], "the frequency is M: years are not imported"),
    reporter("reporter"),
    partner("partner"),
    product("product"),
    flowDigit("flow"),
    oneOf(
      "indicators",
      ["VALUE_IN_EUROS", "QUANTITY_IN_100KG", "SUP_QUANTITY"],
      "an indicator is VALUE_IN_EUROS, QUANTITY_IN_100KG or SUP_QUANTITY",
    ),
    ...month("TIME_PERIOD", "-"),
    {
      column: "OBS_VALUE",
      good: `"indicators" <> 'VALUE_IN_EUROS' or ${matches("OBS_VALUE", EURO_PATTERN)}`,
      message: euroMessage,
    },
    {
      column: "OBS_VALUE",
      good: `"indicators" = 'VALUE_IN_EUROS' or ${matches("OBS_VALUE", "[0-9]{1,12}(\\.[0-9]{1,5})?")} or ${noValueSql("OBS_VALUE")}`,
      message: () => "a quantity is a number from 0 with at most five decimals",
    },
  ],
  cell: {
    reporter: '"reporter"',
    flow: flowOf("flow"),
    period: `replace("TIME_PERIOD", '-', '')::integer`,
    partner: '"partner"',
    product: '"product"',
    value_eur: `case "indicators" when 'VALUE_IN_EUROS' then ${eurosOf("OBS_VALUE")} end`,
    quantity_kg: `case "indicators" when 'QUANTITY_IN_100KG'
      then (try_cast("OBS_VALUE" as decimal(22, 5)) * 100)::decimal(18, 3) end`,
    quantity_su: `case "indicators" when 'SUP_QUANTITY' then try_cast("OBS_VALUE" as decimal(22, 5))::decimal(18, 3) end`,
  },
  variant_columns: ["indicators"],
  left_out: {
    total_product: `"product" = 'TOTAL'`,
    other_reporter: isOtherReporter('"reporter"'),
  },
  speaks_for: "products",
};
