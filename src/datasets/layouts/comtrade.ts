/** UN Comtrade: countries' reports to the United Nations, in US dollars. */
import { isOtherReporter, month, number, oneOf, quantity, quantityOf } from "./checks.ts";
import { type Layout, OPEN_END } from "./layout.ts";

/** Comtrade's own numbers of countries that include their territories. */
const ownNumbers = { 251: "FR", 381: "IT", 579: "NO", 699: "IN", 757: "CH", 842: "US" };
/** M49 numbers of dissolved states, whose trade belongs to no single successor. */
const cameApart = new Set(["200", "530", "532", "720", "736", "810", "886", "890", "891"]);

/** ISO's two letters by M49 number, from CLDR; numbers from 900 on are CLDR's own. */
function lettersByNumber(): [string, string][] {
  const numbers = Array.from({ length: 899 }, (_, at) => String(at + 1).padStart(3, "0"));
  const known = numbers.map((number): [string, string] => [number, new Intl.Locale(`und-${number}`).region!]);
  const countries = known.filter(([number, code]) => /^[A-Z]{2}$/.test(code) && !cameApart.has(number));
  // Comext's code for Serbia is XS.
  return [...countries, ...Object.entries(ownNumbers), ["688", "XS"]];
}

const codes = new Map(lettersByNumber());
const texts = (values: Iterable<string>) => [...values].map((text) => `'${text}'`).join(", ");
const byNumber = `map([${texts(codes.keys())}], [${texts(codes.values())}])`;
/** The two letters of a country's number; null for groups and other areas. */
const codeOf = (column: string) => `${byNumber}[lpad("${column}", 3, '0')]`;

const reporter = codeOf("reporterCode");
const partner = codeOf("partnerCode");
const period = 'try_cast("period" as integer)';
const area = (column: string) => number(column, "[0-9]{1,3}", "an area is a number of M49, such as 276");
const amount = "a value is US dollars from 0 to 999,999,999,999,999, a decimal number";
const MASS = "([0-9]{1,14}(\\.[0-9]+)?)?";
const flag = ["true", "false", "True", "False", "0", "1"];

export const comtrade: Layout = {
  name: "UN Comtrade v1 CSV",
  dataset: "comtrade",
  source: "UN Comtrade, US dollars converted to euros at the ECB's mean rate of the month",
  columns: [
    ...["typeCode", "freqCode", "refPeriodId", "refYear", "refMonth", "period"],
    ...["reporterCode", "reporterISO", "reporterDesc", "flowCode", "flowDesc"],
    ...["partnerCode", "partnerISO", "partnerDesc", "partner2Code", "partner2ISO", "partner2Desc"],
    ...["classificationCode", "classificationSearchCode", "isOriginalClassification"],
    ...[
      "cmdCode",
      "cmdDesc",
      "aggrLevel",
      "isLeaf",
      "customsCode",
      "customsDesc",
      "mosCode",
      "motCode",
      "motDesc",
    ],
    ...["qtyUnitCode", "qtyUnitAbbr", "qty", "isQtyEstimated"],
    ...["altQtyUnitCode", "altQtyUnitAbbr", "altQty", "isAltQtyEstimated"],
    ...["netWgt", "isNetWgtEstimated", "grossWgt", "isGrossWgtEstimated"],
    ...["cifvalue", "fobvalue", "primaryValue", "legacyEstimationFlag", "isReported", "isAggregate"],
  ],
  quoted: true,
  encoding: "windows-1252",
  open_end: true,
  currency: "USD",
  checks: [
    oneOf("typeCode", ["C"], "only trade in goods (C) is read, services are not"),
    oneOf("freqCode", ["M"], "the frequency is M: years are not imported"),
    ...month("period"),
    {
      column: "period",
      good: `${period} in (select month from stage.rates)`,
      message: () => "the imported ECB rates do not cover this month: import newer ones (eurofxref-hist.csv)",
    },
    area("reporterCode"),
    area("partnerCode"),
    area("partner2Code"),
    number("flowCode", "[A-Z]{1,4}", "a flow is a code such as M or X"),
    number("classificationCode", "HS|H[0-9]", "only the Harmonized System is read (HS, H0, H1 …)"),
    number("cmdCode", "TOTAL|[0-9]{2}([0-9]{2}){0,2}", "a product is TOTAL or a code of 2, 4 or 6 digits"),
    number("customsCode", "C[0-9]{2}", "a customs procedure is a code such as C00"),
    number("mosCode", "[0-9]{1,4}", "a mode of supply is a number"),
    number("motCode", "[0-9]{1,4}", "a mode of transport is a number"),
    quantity("netWgt", MASS, "a mass is kilograms from 0, or nothing"),
    oneOf("isNetWgtEstimated", flag, "is true or false"),
    number("primaryValue", "[0-9]{1,15}(\\.[0-9]+)?", amount),
    oneOf("isAggregate", flag, "is true or false"),
    {
      column: OPEN_END,
      good: `"${OPEN_END}" is null`,
      message: () => "the line has more columns than the header",
    },
  ],
  cell: {
    reporter,
    flow: `case "flowCode" when 'M' then 'IMPORT' else 'EXPORT' end`,
    period,
    partner,
    product: '"cmdCode"',
    value_eur: `round("primaryValue"::double / (select per_euro from stage.rates where month = ${period}))::bigint`,
    quantity_kg: `case when lower("isNetWgtEstimated") in ('false', '0') then ${quantityOf("netWgt")} end`,
  },
  variant_columns: ["reporterCode", "partnerCode"],
  left_out: {
    other_reporter: `${reporter} is null or ${isOtherReporter(reporter)}`,
    other_flow: `"flowCode" not in ('M', 'X')`,
    breakdown: `"customsCode" <> 'C00' or "motCode" <> '0' or "mosCode" <> '0' or "partner2Code" <> '0'`,
    total_product: `"cmdCode" = 'TOTAL'`,
    other_partner: `${partner} is null`,
  },
  speaks_for: "pairs",
};
