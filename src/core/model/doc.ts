/** A document as plain data, independent of any form. */
import type { Chart } from "./chart.ts";

export type Line = { name: string; text: string };

export type DocColumn = { name: string; figures?: true };

export type DocRow = { cells: string[]; anchor?: string };

export type DocTable = { title: string; columns: DocColumn[]; rows: DocRow[]; widths: number[]; fine?: true };

export type DocItem = { text: string; note?: string };

/** Printed verbatim; square brackets in it are no citations. */
export type DocQuote = { text: string; by: string };

/** Starts a new page in print, unless `on`. A chart's figures also appear in a table. */
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
  /** Printed on the cover and each page: the figures are synthetic. */
  warning?: string;
  sections: DocSection[];
  /** YYYY-MM-DD, from the data, so that the same document has the same bytes. */
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
