/** Detects a trade file's layout by its header line. */
import { refuseWith } from "../../core/model/refusal.ts";
import { isNoText, tableOf } from "../file-kind.ts";
import { referenceLayoutOf, referenceTables } from "../reference/tables.ts";
import { comextBulk } from "./comext-bulk.ts";
import { comextSdmx } from "./comext-sdmx.ts";
import { comtrade } from "./comtrade.ts";
import { delimiterOf } from "./delimiter.ts";
import { easyComext, easyComextCodes } from "./easy-comext.ts";
import type { Layout } from "./layout.ts";
import { tallystickSnapshot } from "./snapshot.ts";

const layouts: readonly Layout[] = [
  comextBulk,
  comextSdmx,
  easyComext,
  easyComextCodes,
  comtrade,
  tallystickSnapshot,
];

/** The importable formats, in words. */
export const importable = (): string =>
  `layouts of trade data: ${layouts.map(({ name }) => name).join("; ")}; tables of reference data: ${referenceTables.map(({ name }) => name).join(", ")}`;

/** The trade layout with this header, if any. */
export const tradeLayoutOf = (header: string): Layout | undefined =>
  layouts.find((layout) => isEqual(layout.columns, cellsOf(header)));

/** The layout with this header; refuses others with the file's likely kind and the difference to the nearest layout. */
export function detectLayout(file: string, header: string): Layout {
  const found = tradeLayoutOf(header);
  if (found) return found;
  const table = referenceLayoutOf(header)?.table.name;
  if (table !== undefined)
    return refuseHeader(file, 1, `is the table of reference data ${table}; import it by itself`);
  const cells = cellsOf(header);
  const matches = layouts.map((layout) => ({ layout, equal: equalColumns(layout.columns, cells) }));
  const { layout, equal } = matches.reduce((best, match) => (match.equal > best.equal ? match : best));
  if (equal === 0 && isNoText(header))
    return refuseHeader(
      file,
      1,
      `is not text: it is damaged, or packed in an unknown way. Fetch it again, or unpack it. Importable: ${importable()}`,
    );
  if (equal === 0)
    return refuseHeader(
      file,
      1,
      `looks like ${tableOf(cells)}, which is not a known layout. Importable: ${importable()}`,
    );
  const says = cells[equal] === undefined ? "is missing" : `is ${JSON.stringify(cells[equal].slice(0, 60))}`;
  const expected = layout.columns[equal];
  const wants = expected === undefined ? `the layout ends after ${equal}` : `should be ${expected}`;
  const nearest = `is nearest to ${layout.name}, where column ${equal + 1} ${says} and ${wants}`;
  return refuseHeader(file, expected ?? equal + 1, `${nearest}. Importable: ${importable()}`);
}

function refuseHeader(file: string, column: string | number, what: string): never {
  const message = `${file} line 1: ${what}`;
  return refuseWith(`${file}:1:${column}`, message);
}

const cellsOf = (header: string): string[] =>
  header
    .replace(/^\uFEFF/, "")
    .split(delimiterOf(header))
    .map((cell) => cell.replace(/^"(.*)"$/, "$1"));

const isEqual = (columns: readonly string[], found: string[]) =>
  columns.length === found.length && equalColumns(columns, found) === columns.length;

function equalColumns(columns: readonly string[], found: string[]): number {
  const differs = columns.findIndex((column, at) => column !== found[at]);
  return differs === -1 ? columns.length : differs;
}
