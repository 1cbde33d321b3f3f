/** Checks and SQL that several layouts share. */
import {
  aggregatePattern,
  otherReporters,
  reporterCodes,
  unknownReporter,
} from "../../domain/trade/reporters.ts";
import { isNoValue, noValueSql } from "../no-value.ts";
import type { Check } from "./layout.ts";

const quotedList = (codes: readonly string[]) => codes.map((code) => `'${code}'`).join(", ");

/** Matches the pattern against the column's whole text. */
export const matches = (column: string, pattern: string) => `regexp_full_match("${column}", '${pattern}')`;

/** True if the expression is none of the 27. */
export const isOtherReporter = (expression: string) => `${expression} not in (${quotedList(reporterCodes)})`;

export function reporter(column: string): Check {
  return {
    column,
    good: `"${column}" in (${quotedList([...reporterCodes, ...otherReporters])}) or ${matches(column, aggregatePattern)}`,
    message: unknownReporter,
  };
}

export function partner(column: string): Check {
  return {
    column,
    good: `"${column}" <> 'EL' and (${matches(column, "[A-Z]{2}")} or ${matches(column, aggregatePattern)})`,
    message: (found) =>
      found === "EL"
        ? "Greece is GR here, not EL"
        : "a partner is a 2-letter code or an aggregate such as WORLD",
  };
}

/** Two-letter codes of country groups. */
export const notCountries = ["EU", "EZ"];

/** A partner in a layout that knows only some countries: a sum over other areas must not pass for a country. */
export function country(column: string): Check {
  return {
    column,
    good: `"${column}" not in (${quotedList(["EL", ...notCountries])}) and ${matches(column, "[A-Z]{2}")}`,
    message: (found) =>
      found === "EL" ? "Greece is GR here, not EL" : "a partner is a country's 2-letter code",
  };
}

export function product(column: string): Check {
  return {
    column,
    good: `"${column}" = 'TOTAL' or ${matches(column, "[0-9]{2}([0-9A-Z]{2}){0,3}")}`,
    message: () => "a product is a code of 2, 4, 6 or 8 characters that begins with two digits, or TOTAL",
  };
}

export function oneOf(column: string, texts: readonly string[], rule: string): Check {
  return { column, good: `"${column}" in (${quotedList(texts)})`, message: () => rule };
}

export const flowDigit = (column: string) => oneOf(column, ["1", "2"], "a flow is 1 (import) or 2 (export)");

/** A month as YYYYMM, or YYYY-MM with the dash, from 1988 on. */
export function month(column: string, dash: "" | "-" = ""): Check[] {
  return [
    {
      column,
      good: matches(column, `[0-9]{4}${dash}(0[1-9]|1[0-2])`),
      message: (found) =>
        /^\d{4}-?52$/.test(found)
          ? "period 52 is a whole year: import the monthly files"
          : `a period is a month, YYYY${dash}MM`,
    },
    {
      column,
      good: `"${column}" >= '1988${dash}01'`,
      message: () => `the statistics begin in 1988${dash}01`,
    },
  ];
}

export function number(column: string, pattern: string, rule: string): Check {
  return { column, good: matches(column, pattern), message: () => rule };
}

/** A quantity, or no value where the source does not know it. */
export function quantity(column: string, pattern: string, rule: string): Check {
  return {
    column,
    good: `${matches(column, pattern)} or ${noValueSql(column)}`,
    message: () => rule,
  };
}

/** The quantity of a text that passed `quantity`; null = not known. */
export const quantityOf = (column: string) => `try_cast("${column}" as decimal(18, 3))`;

export const EURO_PATTERN = "[0-9]{1,15}(\\.0+)?";
const EURO_RULE = "a value is whole euros from 0 to 999,999,999,999,999";

/** A row states a value: no row means no trade, so a missing value cannot be left out. */
export const euroMessage = (found: string): string =>
  isNoValue(found) ? `the value is missing; for no trade, leave the row out; ${EURO_RULE}` : EURO_RULE;

export const euros = (column: string): Check => ({
  column,
  good: matches(column, EURO_PATTERN),
  message: euroMessage,
});
/** The whole euros of a text that passed `euros`. */
export const eurosOf = (column: string) => `split_part("${column}", '.', 1)::bigint`;

/** Maps a flow's digit. */
export const flowOf = (column: string) => `case "${column}" when '1' then 'IMPORT' else 'EXPORT' end`;
