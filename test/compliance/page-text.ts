/** The text of documents in PDF and Markdown, so that tests can compare their words. */

/** A text without spaces and soft hyphens, which depend on the layout. */
export const bare = (text: string) => text.replaceAll(/[\s\u00ad]+/g, "");

/** The text of each page without spaces. All pages but the first lose their two footer lines. */
export async function pagesOf(bytes: Buffer): Promise<string[]> {
  const { extractText } = await import("unpdf");
  const { text } = await extractText(await opened(bytes), { mergePages: false });
  return text.map((page, at) => bare(at === 0 ? page : page.split("\n").slice(0, -2).join("\n")));
}

/** The text of the PDF's attached file. */
export async function attachmentOf(bytes: Buffer): Promise<string> {
  const files = (await (await opened(bytes)).getAttachments()) as Record<string, { content: Uint8Array }>;
  return Object.values(files)
    .map(({ content }) => Buffer.from(content).toString())
    .join("\n");
}

async function opened(bytes: Buffer) {
  const { definePDFJSModule, getDocumentProxy } = await import("unpdf");
  await definePDFJSModule(() => import("unpdf/pdfjs"));
  return getDocumentProxy(new Uint8Array(bytes));
}

/** The text of a Markdown page without markup and spaces, and the header rows of its tables. */
export function wordsOf(markdown: string): { text: string; heads: string[] } {
  const lines = markdown.split("\n");
  const isRule = (line: string | undefined) => line?.startsWith("| ---") === true;
  const textOf = (line: string) =>
    bare(
      line
        .replace(/^(#+|-) /, "")
        .replace(/^\*\*(.*)\*\*$/, "$1")
        .replace(/ \*\((.*)\)\*$/, "$1")
        .replaceAll(/(?<!\\)\|/g, ""),
    ).replaceAll("\\", "");
  // Only Markdown puts a colon between a name and its value on the cover.
  const cover = lines.findIndex((line) => line.startsWith("## "));
  return {
    heads: lines.filter((_, at) => isRule(lines[at + 1])).map(textOf),
    text: lines
      .filter((line) => !isRule(line))
      .map((line, at) => textOf(at < cover ? line.replace(/^(- [^:]+): /, "$1 ") : line))
      .join(""),
  };
}
