/** A document as Markdown (CommonMark with tables) that reads well unrendered. */
import { type Doc, type DocTable, uncited } from "../../core/model/doc.ts";

export function markdownOf({ title, question, cover, warning, sections }: Doc): string {
  const blocks = [
    `# ${plain(uncited(title))}`,
    plain(uncited(question)),
    ...(warning ? [`**${plain(warning)}**`] : []),
    cover.map(({ name, text }) => `- ${plain(name)}: ${plain(text)}`).join("\n"),
    ...sections.flatMap((section) => [
      `## ${plain(section.title)}`,
      ...(section.text ? [plain(section.text)] : []),
      ...(section.items.length > 0
        ? [
            section.items
              .map(({ text, note }) => `- ${plain(text)}${note ? ` *(${plain(note)})*` : ""}`)
              .join("\n"),
          ]
        : []),
      ...(section.quotes ?? []).map(({ text, by }) => `> ${quoted(text)}\n>\n> *${quoted(by)}*`),
      ...section.tables.flatMap(tableOf),
    ]),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function tableOf({ title, columns, rows }: DocTable): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => plain(cell)).join(" | ")} |`;
  const rule = `| ${columns.map(({ figures }) => (figures ? "---:" : "---")).join(" | ")} |`;
  const body = rows.map(({ cells, anchor }) => line(anchor ? [anchor, ...cells.slice(1)] : cells));
  const table = [line(columns.map(({ name }) => name)), rule, ...body].join("\n");
  return title ? [`**${plain(title)}**`, table] : [table];
}

/**
 * Markup is escaped, and a text stays on its line. Citation brackets remain only where they form no link or label.
 * All other brackets and addresses are escaped, so no text becomes a link.
 */
const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll(
      /(\[[A-Z]\d+\])(?![([:])|[\\`*_<>|&#~[\]@]|^[-+=]|:(?=\/\/)|(?<=www)\./giu,
      (sign, citation) =>
        citation === undefined || citation !== citation.toUpperCase() ? escaped(sign) : sign,
    );

const escaped = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, "\\$&");

/** A stranger's text must not form a link: everything that marks an address or a label is removed. */
const quoted = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replaceAll(/[\\`*_<>|&#~![\]()@]|^[-+=]|:(?=\/\/)|(?<=www)\./giu, "\\$&");
