/** A document as PDF by pdfmake: text and charts as vectors, links, bookmarks, tags and an attachment. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Chart } from "../../core/model/chart.ts";
import { anchorsOf, type Doc, type DocSection, type DocTable, piecesOf } from "../../core/model/doc.ts";
import { drawable, glyphsOf } from "./glyphs.ts";
import { GRID, INK, MUTED, USUAL, WARNING } from "./look.ts";
import { type Cell, type Content, type Definition, pdfmake, type TableLayout } from "./pdfmake.ts";

const require = createRequire(import.meta.url);

/** Fonts shipped with the service, for Latin, Greek and Cyrillic letters, with figures of equal width. */
const fonts = join(dirname(require.resolve("dejavu-fonts-ttf/package.json")), "ttf");
const face = (name: string, bold: string) => ({
  normal: join(fonts, `${name}.ttf`),
  bold: join(fonts, `${bold}.ttf`),
  italics: join(fonts, `${name}.ttf`),
  bolditalics: join(fonts, `${bold}.ttf`),
});
pdfmake.setFonts({
  text: face("DejaVuSansCondensed", "DejaVuSansCondensed-Bold"),
  display: face("DejaVuSerif", "DejaVuSerif-Bold"),
});
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => path.startsWith(fonts));

/** A4 in points, and its margins. */
const PAGE = { width: 595.28, left: 62, right: 62, top: 72, bottom: 72 };
const INNER = PAGE.width - PAGE.left - PAGE.right;

/** In points. */
const GAP = 10;

const ruled: TableLayout = {
  hLineWidth: (line, { table }) => (line === 1 ? 0.8 : line === 0 || line === table.body.length ? 0 : 0.4),
  vLineWidth: () => 0,
  hLineColor: (line) => (line === 1 ? INK : GRID),
  paddingLeft: (column) => (column === 0 ? 0 : GAP / 2),
  paddingRight: (column, { table }) => (column === table.widths.length - 1 ? 0 : GAP / 2),
  paddingTop: () => 3,
  paddingBottom: () => 3,
};

/** The column of names on the cover, in points. */
const NAMES = 110;

type Draw = (chart: Chart) => string;
type Rich = (text: string) => Content[];

const hasGlyph = glyphsOf(
  ["DejaVuSansCondensed", "DejaVuSansCondensed-Bold", "DejaVuSerif-Bold"].map((name) =>
    join(fonts, `${name}.ttf`),
  ),
);

/** The same document gives the same bytes, because its date is the content's date. */
export async function pdfOf(given: Doc, draw: Draw): Promise<Uint8Array> {
  const doc = drawable(given, hasGlyph);
  const date = new Date(`${doc.as_of}T00:00:00Z`);
  const anchors = anchorsOf(doc);
  const rich: Rich = (text) =>
    piecesOf(text, anchors).map(({ text, cites }) =>
      cites ? { text, linkToDestination: cites, color: MUTED, fontSize: 6.5 } : { text },
    );
  const { name, about, text } = doc.attachment;
  const definition: Definition = {
    version: "1.7",
    subset: "PDF/A-3a",
    tagged: true,
    displayTitle: true,
    language: "en",
    pageSize: "A4",
    pageMargins: [PAGE.left, PAGE.top, PAGE.right, PAGE.bottom],
    // Readers show these in their own fonts.
    info: { title: given.title, subject: given.question, creationDate: date, modDate: date },
    defaultStyle: { font: "text", fontSize: 10, lineHeight: 1.25, color: INK },
    header: (page) => (page === 1 ? "" : headerOf(doc)),
    footer: (page, pages) => (page === 1 ? "" : footerOf(page, pages)),
    pageBreakBefore: (node, { getFollowingNodesOnPage }) =>
      node.headlineLevel === 2 && getFollowingNodesOnPage().length === 0,
    files: {
      [name]: {
        src: `data:application/json;base64,${Buffer.from(text).toString("base64")}`,
        name,
        type: "application/json",
        description: about,
        creationDate: date,
        modifiedDate: date,
      },
    },
    content: [...coverOf(doc, rich), ...doc.sections.flatMap((section) => sectionOf(section, rich, draw))],
  };
  return pdfmake.createPdf(definition).getBuffer();
}

function coverOf({ title, question, cover, warning }: Doc, rich: Rich): Content[] {
  return [
    { canvas: [{ type: "rect", x: 0, y: 0, w: 48, h: 5, color: INK }], margin: [0, 120, 0, 28] },
    { text: title, font: "display", bold: true, fontSize: 30, lineHeight: 1.1, margin: [0, 0, 60, 16] },
    { text: question, fontSize: 14, color: MUTED, margin: [0, 0, 60, 36] },
    ...(warning ? [bannerOf(warning)] : []),
    {
      table: {
        // A column without a width would grow to its longest word, beyond the page.
        widths: [NAMES, INNER - NAMES - GAP],
        body: cover.map(({ name, text }) => [{ text: name, color: MUTED }, { text: rich(text) }]),
      },
      layout: { ...ruled, hLineWidth: (line) => (line === 0 ? 0 : 0.4), hLineColor: () => GRID },
    },
  ];
}

const bannerOf = (warning: string): Content => ({
  table: {
    widths: ["auto"],
    body: [[{ text: warning, bold: true, color: "#ffffff", fillColor: WARNING, margin: [6, 3, 6, 3] }]],
  },
  layout: "noBorders",
  margin: [0, 0, 0, 24],
});

const headerOf = ({ title, warning }: Doc): Content => ({
  columns: [
    { text: title, color: MUTED, fontSize: 8, width: INNER * 0.6 },
    { text: warning ?? "", color: WARNING, bold: true, fontSize: 8, alignment: "right", width: INNER * 0.4 },
  ],
  margin: [PAGE.left, 36, PAGE.right, 0],
});

const footerOf = (page: number, pages: number): Content => ({
  text: `Page ${page} of ${pages}`,
  color: MUTED,
  fontSize: 8,
  alignment: "right",
  margin: [PAGE.left, 24, PAGE.right, 0],
});

function sectionOf(
  { title, text, items, quotes = [], charts, tables, on }: DocSection,
  rich: Rich,
  draw: Draw,
): Content[] {
  const heading: Content = {
    text: title,
    font: "display",
    bold: true,
    fontSize: 18,
    lineHeight: 1.1,
    headlineLevel: 1,
    outline: true,
    margin: [0, on ? 26 : 0, 0, 8],
  };
  const about: Content[] = text ? [{ text: rich(text), color: MUTED, margin: [0, 0, 0, 12] }] : [];
  const paragraph = (content: Content[], note: string | undefined, left = 0): Content => ({
    stack: [{ text: content }, ...(note ? [{ text: note, fontSize: 7.5, color: MUTED }] : [])],
    margin: [left, 0, 0, 8],
    unbreakable: true,
  });
  const [first, ...others] = [
    ...items.map(({ text, note }) => paragraph(rich(text), note)),
    ...quotes.map(({ text, by }) => paragraph([{ text: `“${text}”` }], by, 16)),
  ];
  const pictures = charts.map((chart): Content => {
    // pdfmake does not shrink a drawing with an explicit size.
    const svg = draw(chart).replace(/<svg [^>]*>/, (tag) => tag.replaceAll(/ (width|height)="[^"]*"/g, ""));
    return { svg, width: INNER, height: (INNER * USUAL.height) / USUAL.width, margin: [0, 8, 0, 8] };
  });
  // A heading stays on one page with its content if that is short.
  const [next] = tables;
  const joined = next && others.length + pictures.length === 0 && isShort(next) ? [next] : [];
  // Otherwise a long table would leave it alone at the bottom of a page.
  const isAlone = next !== undefined && joined.length === 0 && items.length + pictures.length === 0;
  return [
    {
      stack: [
        heading,
        ...about,
        ...(first ? [first] : []),
        ...joined.flatMap((table) => tableOf(table, rich)),
      ],
      unbreakable: true,
      ...((!on || isAlone) && { pageBreak: "before" }),
    },
    ...others,
    ...pictures,
    ...tables
      .slice(joined.length)
      .flatMap((table): Content[] =>
        isShort(table) ? [{ stack: tableOf(table, rich), unbreakable: true }] : tableOf(table, rich),
      ),
  ];
}

/** A table of at most this many points stays on one page. */
const SHORT = 300;

/** Estimates the lines of each cell. */
function isShort({ rows, widths }: DocTable): boolean {
  const room = columnWidths(widths);
  const lines = (text: string, at: number) => Math.ceil(text.length / (room[at]! / POINTS_A_LETTER));
  const height = rows.reduce((sum, { cells }) => sum + 6 + 12 * Math.max(1, ...cells.map(lines)), 0);
  return height <= SHORT;
}
const POINTS_A_LETTER = 4.5;

/** In points. */
function columnWidths(widths: readonly number[]): number[] {
  const all = widths.reduce((sum, width) => sum + width, 0);
  const room = INNER - GAP * (widths.length - 1);
  return widths.map((width) => (room * width) / all);
}

function tableOf({ title, columns, rows, widths, fine }: DocTable, rich: Rich): Content[] {
  const size = fine ? 6.5 : 9;
  const cell = (text: string, at: number, more: object = {}): Cell => ({
    text: rich(text),
    fontSize: size,
    ...(columns[at]?.figures && { alignment: "right" }),
    ...more,
  });
  const head = columns.map(({ name }, at) => cell(name, at, { bold: true, fontSize: size - 0.5 }));
  const body = rows.map(({ cells, anchor }) =>
    cells.map((text, at) =>
      cell(fine ? breakable(text) : text, at, at === 0 && anchor ? { id: anchor } : {}),
    ),
  );
  const table: Content = {
    table: {
      headerRows: 1,
      keepWithHeaderRows: 1,
      dontBreakRows: true,
      widths: columnWidths(widths),
      body: [head, ...body],
    },
    layout: ruled,
    margin: [0, 0, 0, 16],
  };
  return title
    ? [{ text: title, bold: true, fontSize: 10, headlineLevel: 2, margin: [0, 10, 0, 4] }, table]
    : [table];
}

/** Long addresses may break after each of these characters. */
const breakable = (text: string) => text.replaceAll(/[/?&,](?=\S)/g, "$&\u200b");
