/** The layouts of trade files that can be read, told apart by their header line. */
import { refuse } from "../../domain/refusal.ts";
import { comextBulk } from "./comext-bulk.ts";
import { comextSdmx } from "./comext-sdmx.ts";
import { comtrade } from "./comtrade.ts";
import { easyComext, easyComextCodes } from "./easy-comext.ts";
import type { Layout } from "./layout.ts";

export const layouts: readonly Layout[] = [comextBulk, comextSdmx, easyComext, easyComextCodes, comtrade];

/** The layout whose header this is; refused naming the first column that differs from the nearest layout. */
export function detectLayout(file: string, header: string): Layout {
  const found = header
    .replace(/^\uFEFF/, "")
    .split(",")
    .map((cell) => cell.replace(/^"(.*)"$/, "$1"));
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
  const message = `${file} line 1: no table of reference data, and not a layout of trade data known here (${names}); nearest is ${layout.name}, where column ${equal + 1} ${says} and ${wants}`;
  return refuse("invalid", message, { errors: [{ path: `${file}:1:${expected ?? equal + 1}`, message }] });
}

function equalColumns(columns: readonly string[], found: string[]): number {
  const differs = columns.findIndex((column, at) => column !== found[at]);
  return differs === -1 ? columns.length : differs;
}
