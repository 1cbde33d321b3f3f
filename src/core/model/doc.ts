/** A document as plain data: what is on its pages, before anybody knows in which form. */
import type { Chart } from "./chart.ts";

/** What is said in a word or a line beside its name: "As of", "December 2025". */
export type Line = { name: string; text: string };

/** `figures` are set to the right, so that digits stand below each other. */
export type DocColumn = { name: string; figures?: true };

/** `anchor`: what the row is cited by, as `[F12]` elsewhere in the document. */
export type DocRow = { cells: string[]; anchor?: string };

/** `fine`: small print, for lists that are looked things up in. `widths` are parts of the page's. */
export type DocTable = { title: string; columns: DocColumn[]; rows: DocRow[]; widths: number[]; fine?: true };

/** A paragraph, and in small print what it is worth. */
export type DocItem = { text: string; note?: string };

/** Somebody else's words, and whose they are: printed as they are read, whatever they look like, and citing nothing. */
export type DocQuote = { text: string; by: string };

/** One idea: it begins on a page of its own in print, unless it goes `on`. A chart is a picture of figures that stand in a table. */
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
  /** What it answers. */
  question: string;
  cover: Line[];
  /** Stands on the cover and on each page: that figures are invented. */
  warning?: string;
  sections: DocSection[];
  /** The day that it is of, YYYY-MM-DD; no clock is asked, so that the same document has the same bytes. */
  as_of: string;
  /** A file that goes with it where the form can carry one. */
  attachment: { name: string; about: string; text: string };
};

/** Pieces of a text: plain, or a citation of what stands under an anchor. */
export type Piece = { text: string; cites?: string };

const CITATION = /\[([A-Z]\d+)\]/g;

/** Somebody else's words where they enter a text: brackets that would be read as a citation become round. */
export const uncited = (text: string): string => text.replaceAll(CITATION, "($1)");

/** A text with its citations told apart; brackets that cite nothing are text. */
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

/** All that can be cited in a document. */
export const anchorsOf = ({ sections }: Doc): Set<string> =>
  new Set(
    sections.flatMap(({ tables }) =>
      tables.flatMap(({ rows }) => rows.flatMap(({ anchor }) => anchor ?? [])),
    ),
  );
