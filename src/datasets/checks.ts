/** What every row of a file must satisfy, column by column, as SQL over the raw text. */
import {
  aggregatePattern,
  otherReporters,
  reporterCodes,
  unknownReporter,
} from "../domain/trade/reporters.ts";
import { comextBulk, comextSdmx, type Layout } from "./layouts.ts";

export type Check = {
  column: string;
  /** A SQL condition that is true for a good row; null counts as bad. */
  good: string;
  /** What is wrong, for the text that was found. */
  message: (found: string) => string;
};

const quotedList = (codes: readonly string[]) => codes.map((code) => `'${code}'`).join(", ");
const matches = (column: string, pattern: string) => `regexp_full_match("${column}", '${pattern}')`;

function reporter(column: string): Check {
  return {
    column,
    good: `"${column}" in (${quotedList([...reporterCodes, ...otherReporters])}) or ${matches(column, aggregatePattern)}`,
    message: unknownReporter,
  };
}

function partner(column: string): Check {
  return {
    column,
    good: `"${column}" <> 'EL' and (${matches(column, "[A-Z]{2}")} or ${matches(column, aggregatePattern)})`,
    message: (found) =>
      found === "EL"
        ? "Greece is GR here, not EL"
        : "a partner is a 2-letter code or an aggregate such as WORLD",
  };
}

function product(column: string): Check {
  return {
    column,
    good: `"${column}" = 'TOTAL' or ${matches(column, "[0-9]{2}([0-9A-Z]{2}){0,3}")}`,
    message: () => "a product is a code of 2, 4, 6 or 8 characters that begins with two digits, or TOTAL",
  };
}

function flow(column: string): Check {
  return { column, good: `"${column}" in ('1', '2')`, message: () => "a flow is 1 (import) or 2 (export)" };
}

function number(column: string, pattern: string, rule: string): Check {
  return { column, good: matches(column, pattern), message: () => rule };
}

const euro = "a value is whole euros from 0 to 999,999,999,999,999";
const EURO = "[0-9]{1,15}(\\.0+)?";

const bulkChecks: Check[] = [
  reporter("REPORTER"),
  partner("PARTNER"),
  product("PRODUCT_NC"),
  flow("FLOW"),
  {
    column: "PERIOD",
    good: matches("PERIOD", "[0-9]{4}(0[1-9]|1[0-2])"),
    message: (found) =>
      /^\d{4}52$/.test(found)
        ? "period 52 is a whole year, which never stands among months: import the monthly files"
        : "a period is a month, YYYYMM",
  },
  { column: "PERIOD", good: `"PERIOD" >= '198801'`, message: () => "the statistics begin in 198801" },
  number("VALUE_EUR", EURO, euro),
  number("QUANTITY_KG", "[0-9]{1,14}(\\.[0-9]{1,3})?", "a mass is kilograms from 0, to the gram"),
];

const sdmxChecks: Check[] = [
  {
    column: "DATAFLOW",
    good: matches("DATAFLOW", "ESTAT:DS-045409\\([0-9.]+\\)"),
    message: () => "the dataflow is ESTAT:DS-045409; other dataflows count other things",
  },
  {
    column: "freq",
    good: `"freq" = 'M'`,
    message: () => "the frequency is M: years never stand among months",
  },
  reporter("reporter"),
  partner("partner"),
  product("product"),
  flow("flow"),
  {
    column: "indicators",
    good: `"indicators" in ('VALUE_IN_EUROS', 'QUANTITY_IN_100KG', 'SUP_QUANTITY')`,
    message: () => "an indicator is VALUE_IN_EUROS, QUANTITY_IN_100KG or SUP_QUANTITY",
  },
  {
    column: "TIME_PERIOD",
    good: matches("TIME_PERIOD", "[0-9]{4}-(0[1-9]|1[0-2])"),
    message: () => "a period is a month, YYYY-MM",
  },
  {
    column: "TIME_PERIOD",
    good: `"TIME_PERIOD" >= '1988-01'`,
    message: () => "the statistics begin in 1988-01",
  },
  {
    column: "OBS_VALUE",
    good: `"indicators" <> 'VALUE_IN_EUROS' or ${matches("OBS_VALUE", EURO)}`,
    message: () => euro,
  },
  {
    column: "OBS_VALUE",
    good: `"indicators" = 'VALUE_IN_EUROS' or ${matches("OBS_VALUE", "[0-9]{1,12}(\\.[0-9]{1,5})?")}`,
    message: () => "a quantity is a number from 0 with at most five decimals",
  },
];

export const checksOf = (layout: Layout): Check[] =>
  new Map([
    [comextBulk, bulkChecks],
    [comextSdmx, sdmxChecks],
  ]).get(layout)!;
