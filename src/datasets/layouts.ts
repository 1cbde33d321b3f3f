/** The file layouts that can be read, told apart by their header line. */
import { refuse } from "../domain/refusal.ts";

export type Layout = {
  name: string;
  /** The dataset that files of this layout feed: one source each, so that two sources never meet in one sum. */
  dataset: string;
  source: string;
  columns: readonly string[];
  /** Columns that tell lines of one cell apart; the other lines of a cell are duplicates. */
  variant_columns: readonly string[];
  /** A file holds every product of its months, so what it does not name is no longer so. */
  whole_months: boolean;
};

/** Eurostat Comext bulk download, `full_v2_YYYYMM`: every product of a month, a row for each statistical procedure. */
export const comextBulk: Layout = {
  name: "Comext bulk CSV",
  dataset: "comext-bulk",
  source: "Eurostat Comext, bulk download of detailed trade data",
  columns: [
    "REPORTER",
    "PARTNER",
    "TRADE_TYPE",
    "PRODUCT_NC",
    "PRODUCT_SITC",
    "PRODUCT_CPA21",
    "PRODUCT_CPA22",
    "PRODUCT_BEC",
    "PRODUCT_BEC5",
    "PRODUCT_SECTION",
    "FLOW",
    "STAT_PROCEDURE",
    "SUPPL_UNIT",
    "PERIOD",
    "VALUE_EUR",
    "VALUE_NAC",
    "QUANTITY_KG",
    "QUANTITY_SUPPL_UNIT",
  ],
  variant_columns: [
    "TRADE_TYPE",
    "PRODUCT_SITC",
    "PRODUCT_CPA21",
    "PRODUCT_CPA22",
    "PRODUCT_BEC",
    "PRODUCT_BEC5",
    "PRODUCT_SECTION",
    "STAT_PROCEDURE",
    "SUPPL_UNIT",
  ],
  whole_months: true,
};

/** Eurostat DS-045409 as SDMX-CSV: chosen products, a row for each indicator. */
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
  variant_columns: ["indicators"],
  whole_months: false,
};

export const layouts = [comextBulk, comextSdmx] as const;

/** The layout whose header this is; refused naming the first column that differs from the nearest layout. */
export function detectLayout(file: string, header: string): Layout {
  const found = header.replace(/^\uFEFF/, "").split(",");
  const matches = layouts.map((layout) => ({ layout, equal: equalColumns(layout.columns, found) }));
  for (const { layout, equal } of matches) {
    if (equal === layout.columns.length && equal === found.length) return layout;
  }
  const nearest = matches.reduce((best, match) => (match.equal > best.equal ? match : best));
  const { layout, equal } = nearest;
  const names = layouts.map(({ name }) => name).join(" or ");
  const says = found[equal] === undefined ? "is missing" : `is ${JSON.stringify(found[equal].slice(0, 60))}`;
  const expected = layout.columns[equal];
  const wants = expected === undefined ? `the layout ends after ${equal}` : `should be ${expected}`;
  const message = `${file} line 1: not a layout known here (${names}); nearest is ${layout.name}, where column ${equal + 1} ${says} and ${wants}`;
  return refuse("invalid", message, { errors: [{ path: `${file}:1:${expected ?? equal + 1}`, message }] });
}

function equalColumns(columns: readonly string[], found: string[]): number {
  const differs = columns.findIndex((column, at) => column !== found[at]);
  return differs === -1 ? columns.length : differs;
}
