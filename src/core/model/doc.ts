/** A document as plain data, independent of its file format. */
import type { Chart } from "./chart.ts";

export type Line = { name: string; text: string };

export type DocColumn = { name: string; figures?: true };

export type DocRow = { cells: string[]; anchor?: string };

export type DocTable = { title: string; columns: DocColumn[]; rows: DocRow[]; widths: number[]; fine?: true };

export type DocItem = { text: string; note?: string };

/** A quotation, printed verbatim. Square brackets in it are not read as citations. */
export type DocQuote = { text: string; by: string };

/** In print, a section starts a new page unless `on` is set. A chart's figures also appear in a table. */
export type DocSection = {
  title: string;
  text: string;
  items: DocItem[];
  quotes?: DocQuote[];
  charts: Chart[];
  tables: DocTable[];
  on?: true;
};

export type Doc = {
  title: string;
  question: string;
  cover: Line[];
  /** A warning such as "the figures are synthetic", printed on the cover and on each page. */
  warning?: string;
  sections: DocSection[];
  /** YYYY-MM-DD, from the data and not from the clock, so that equal documents have equal bytes. */
  as_of: string;
  attachment: { name: string; about: string; text: string };
};

export type Piece = { text: string; cites?: string };

const CITATION = /\[([A-Z]\d+)\]/g;

/** Replaces brackets in quoted text that would parse as a citation. */
export const uncited = (text: string): string => text.replaceAll(CITATION, "($1)");

export function piecesOf(text: string, anchors: ReadonlySet<string>): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: whole, 1: cites = "", index } of text.matchAll(CITATION)) {
    if (!anchors.has(cites)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: whole, cites });
    from = index + whole.length;
  }
  return from < text.length ? [...pieces, { text: text.slice(from) }] : pieces;
}

export const anchorsOf = ({ sections }: Doc): Set<string> =>
  new Set(
    sections.flatMap(({ tables }) =>
      tables.flatMap(({ rows }) => rows.flatMap(({ anchor }) => anchor ?? [])),
    ),
  );
