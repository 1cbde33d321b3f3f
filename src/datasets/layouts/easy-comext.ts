/** Easy Comext, Eurostat's query page: total trade with chosen partners, over all products. */
import { partnerName, reporterCodes, reporters } from "../../domain/trade/reporters.ts";
import {
  country,
  euros,
  eurosOf,
  isOtherReporter,
  matches,
  month,
  notCountries,
  oneOf,
  reporter,
} from "./checks.ts";
import type { Check, Layout } from "./layout.ts";

/** Both forms hold the same figures. */
const feeds = {
  dataset: "easy-comext-totals",
  source: "Eurostat Easy Comext, total trade with chosen partners",
  variant_columns: [],
  speaks_for: "partners",
} as const;

/** Totals with codes only, as scripts forward them. */
export const easyComextCodes: Layout = {
  ...feeds,
  name: "Easy Comext totals by code",
  columns: ["reporter", "partner", "flow", "period", "value_eur"],
  checks: [
    reporter("reporter"),
    country("partner"),
    oneOf("flow", ["IMPORT", "EXPORT"], "a flow is IMPORT or EXPORT"),
    ...month("period"),
    euros("value_eur"),
  ],
  cell: {
    reporter: '"reporter"',
    flow: '"flow"',
    period: '"period"::integer',
    partner: '"partner"',
    product: "'TOTAL'",
    value_eur: eurosOf("value_eur"),
    quantity_kg: "null::decimal(18, 3)",
  },
  left_out: { other_reporter: isOtherReporter('"reporter"') },
};

/** Easy Comext's country names that differ from ISO's English names. */
const otherNames: Record<string, string> = {
  "Russian Federation": "RU",
  "Moldova, Republic of": "MD",
  "Korea, Republic of": "KR",
  "Korea, Democratic People’s Republic of": "KP",
  "Iran, Islamic Republic of": "IR",
  "Viet Nam": "VN",
  "Hong Kong": "HK",
  Macao: "MO",
  Turkey: "TR",
  "United Kingdom (Northern Ireland)": "XI",
  "United Kingdom (excl. Northern Ireland)": "XU",
  "United Kingdom (without Northern Ireland)": "XU",
};

/** A dissolved state's code (DD) has a successor and would get its name; EU and EZ are not countries. */
const isCountry = (code: string) =>
  new Intl.Locale(`und-${code}`).region === code &&
  partnerName(code) !== code &&
  !notCountries.includes(code);

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
/** In Comext Serbia is XS, which follows RS and so gets the name. */
const countryNames = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter(isCountry)
  .map((code) => [partnerName(code), code] as const);
const reporterNames = reporterCodes.map((code) => [reporters[code], code] as const);

/**
 * The code in "Armenia", "Ireland (Eire)", "AM" or "AM-Armenia"; null for an unknown name. The United Kingdom is counted
 * in two parts, which its brackets tell.
 */
function codeOf(column: string, names: ReadonlyMap<string, string>): string {
  const list = (texts: string[]) => texts.map((text) => `'${text.replaceAll("'", "''")}'`).join(", ");
  const table = `map([${list([...names.keys()])}], [${list([...names.values()])}])`;
  return `coalesce(nullif(regexp_extract("${column}", '^([A-Z]{2})(-.+)?$', 1), ''),
    ${table}["${column}"],
    case when "${column}" not like 'United Kingdom (%' then ${table}[split_part("${column}", ' (', 1)] end)`;
}

const reporterCode = codeOf("REPORTER", new Map(reporterNames));
const partnerCode = codeOf("PARTNER", new Map([...countryNames, ...Object.entries(otherNames)]));
const isGroup = `"REPORTER" similar to '(EU|EA|European Union|Euro area)([0-9 ].*)?|United Kingdom( .*)?'`;

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** YYYYMM in "Aug. 2024", "202408" or "202408-Aug. 2024". */
const periodOf = `coalesce(nullif(regexp_extract("PERIOD", '^([0-9]{6})(-.+)?$', 1), '')::integer,
  right("PERIOD", 4)::integer * 100 + list_position(['${months.join("', '")}'], left("PERIOD", 3)))`;

const total = (column: string, texts: readonly string[]): Check =>
  oneOf(column, texts, "only totals of all products and all procedures are read");

/** The page's own download ("Relational view"), in English, with names, codes or both. */
export const easyComext: Layout = {
  ...feeds,
  name: "Easy Comext CSV",
  columns: ["REPORTER", "PARTNER", "PRODUCT", "FLOW", "STAT_PROCEDURE", "PERIOD", "VALUE_IN_EUR"],
  quoted: true,
  checks: [
    {
      column: "REPORTER",
      good: `${isGroup} or ${reporterCode} in ('${[...reporterCodes, "GB", "XI"].join("', '")}')`,
      message: () => "none of the 27 reporters by its English name or code",
    },
    {
      column: "PARTNER",
      good: `${partnerCode} not in ('EL', '${notCountries.join("', '")}')`,
      message: () => "no known country has this English name: choose codes for the partners in Easy Comext",
    },
    total("PRODUCT", ["Total", "TOTAL", "TOTAL-Total"]),
    total("STAT_PROCEDURE", ["Total", "T", "T-Total"]),
    oneOf(
      "FLOW",
      ["IMPORT", "EXPORT", "1", "2", "1-IMPORT", "2-EXPORT"],
      "a flow is IMPORT or EXPORT, in English",
    ),
    {
      column: "PERIOD",
      good: `${matches("PERIOD", `(${months.join("|")})\\. [0-9]{4}`)}
        or ${matches("PERIOD", "[0-9]{4}(0[1-9]|1[0-2])(-.+)?")}`,
      message: (found) =>
        /Jan\.-Dec\.|^\d{4}52/.test(found)
          ? "a year is not a month: choose months in Easy Comext"
          : "a period is a month, such as Aug. 2024 or 202408",
    },
    { column: "PERIOD", good: `${periodOf} >= 198801`, message: () => "the statistics begin in 198801" },
    euros("VALUE_IN_EUR"),
  ],
  cell: {
    reporter: reporterCode,
    flow: `if("FLOW" similar to '1.*|IMPORT', 'IMPORT', 'EXPORT')`,
    period: periodOf,
    partner: partnerCode,
    product: "'TOTAL'",
    value_eur: eurosOf("VALUE_IN_EUR"),
    quantity_kg: "null::decimal(18, 3)",
  },
  left_out: { other_reporter: `${isGroup} or ${isOtherReporter(reporterCode)}` },
};
