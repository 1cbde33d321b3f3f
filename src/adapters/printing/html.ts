/** A document as one HTML file, without scripts or external addresses. */
import type { Chart } from "../../core/model/chart.ts";
import { anchorsOf, type Doc, type DocSection, type DocTable, piecesOf } from "../../core/model/doc.ts";
import { html, type Markup, markup, type Part, written } from "../../web/html.ts";
import { FONT, GRID, INK, MUTED, WARNING } from "./look.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: ${INK}; --soft: ${MUTED}; --line: ${GRID}; --paper: #fff; --marked: #fff3bf }
@media (prefers-color-scheme: dark) { :root { --ink: #eceae3; --soft: #a5a096; --line: #35373b; --paper: #131412; --marked: #4a4213 } }
body { font: 16px/1.5 "${FONT}", Verdana, sans-serif; color: var(--ink); background: var(--paper); max-width: 54rem; margin: 3rem auto; padding: 0 1.5rem }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem }
h2 { font-size: 1.35rem; margin: 3rem 0 .75rem; padding-top: 1.25rem; border-top: 2px solid var(--ink); break-after: avoid }
.question { font-size: 1.1rem; color: var(--soft) }
.warning { display: inline-block; background: ${WARNING}; color: #fff; font-weight: bold; padding: .2rem .6rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem } dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
.note { color: var(--soft); font-size: .85rem }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); overflow-wrap: anywhere } blockquote p { margin: 0 }
figure { margin: 1.5rem 0; background: #fff; border-radius: 8px; overflow-x: auto } figure svg { display: block; width: 100%; min-width: 40rem; height: auto }
.table { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; font-size: .9rem; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: bold; padding-bottom: .4rem } th { text-align: left; border-bottom: 1px solid var(--ink) }
td { border-bottom: 1px solid var(--line) } th, td { padding: .3rem .6rem .3rem 0; vertical-align: top } .figures { text-align: right }
.fine { font-size: .75rem; overflow-wrap: anywhere }
a.cite { color: var(--soft); font-size: .75em; text-decoration: none; white-space: nowrap } a.cite:hover, a.cite:focus { text-decoration: underline }
:target { background: var(--marked) }
@media (max-width: 40rem) {
  body { margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: anywhere } h1 { font-size: 1.6rem }
  dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem } td, th { overflow-wrap: normal }
}
`;

export function htmlOf(doc: Doc, draw: (chart: Chart) => string): string {
  const anchors = anchorsOf(doc);
  const rich = (text: string): Part[] =>
    piecesOf(text, anchors).map(({ text, cites }) =>
      cites ? html`<a class="cite" href="#${cites}">${text}</a>` : text,
    );
  return written(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${doc.title}</title>
<style>${markup(STYLE)}</style>
</head>
<body>
<h1>${doc.title}</h1>
<p class="question">${doc.question}</p>
${doc.warning ? html`<p class="warning">${doc.warning}</p>` : undefined}
<dl>${doc.cover.map(({ name, text }) => html`<dt>${name}</dt><dd>${rich(text)}</dd>\n`)}</dl>
${doc.sections.map((section) => sectionOf(section, rich, draw))}
</body>
</html>
`);
}

type Rich = (text: string) => Part[];

const sectionOf = (
  { title, text, items, quotes = [], charts, tables }: DocSection,
  rich: Rich,
  draw: (chart: Chart) => string,
): Markup =>
  html`<section>
<h2>${title}</h2>
${text ? html`<p>${rich(text)}</p>` : undefined}
${items.length > 0 ? html`<ul>${items.map(({ text, note }) => html`<li>${rich(text)}${note ? html` <span class="note">${note}</span>` : undefined}</li>\n`)}</ul>` : undefined}
${quotes.map(({ text, by }) => html`<blockquote><p>${text}</p><p class="note">${by}</p></blockquote>\n`)}
${charts.map((chart) => html`<figure role="img" aria-label="${chart.title}" tabindex="0">${markup(draw(chart))}</figure>\n`)}
${tables.map((table) => tableOf(table, rich))}
</section>
`;

const tableOf = ({ title, columns, rows, fine }: DocTable, rich: Rich): Markup => {
  const kind = (at: number) => (columns[at]?.figures ? html` class="figures"` : undefined);
  return html`<div class="table" tabindex="0"><table${fine ? html` class="fine"` : undefined}>
${title ? html`<caption>${title}</caption>` : undefined}
<thead><tr>${columns.map(({ name }, at) => html`<th scope="col"${kind(at)}>${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ cells, anchor }) =>
      html`<tr${anchor ? html` id="${anchor}"` : undefined}>${cells.map((cell, at) => html`<td${kind(at)}>${rich(cell)}</td>`)}</tr>\n`,
  )}</tbody>
</table></div>
`;
};
