/** In print a heading is followed by what it is the heading of, wherever on its page it would fall. */
import { definePDFJSModule, extractText, getDocumentProxy } from "unpdf";
import { beforeAll, expect, test } from "vitest";
import { pdfOf } from "../../src/adapters/printing/pdf.ts";
import type { Doc, DocSection } from "../../src/core/model/doc.ts";

beforeAll(() => definePDFJSModule(() => import("unpdf/pdfjs")));

const section = (title: string, rows: number, word: string): DocSection => ({
  ...{ title, text: `About ${title}.`, items: [], charts: [] },
  tables: [
    {
      title: "",
      columns: [{ name: "Name" }, { name: "Value" }],
      rows: Array.from({ length: rows }, (_, n) => ({ cells: [`${word}${n}`, "x"] })),
      widths: [1, 1],
    },
  ],
  on: true,
});

async function pagesOf(sections: DocSection[], question = "Why?"): Promise<string[]> {
  const doc: Doc = {
    ...{
      title: "Title",
      question,
      cover: [{ name: "For", text: "Readers" }],
      sections,
      as_of: "2026-01-31",
    },
    attachment: { name: "facts.json", about: "Facts", text: "{}" },
  };
  const bytes = await pdfOf(doc, () => "<svg/>");
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: false });
  return text;
}

test.each([
  ["short", 5],
  ["long", 40],
])("above a %s table", async (_, rows) => {
  for (let before = 8; before <= 36; before += 4) {
    const pages = await pagesOf([section("Earlier", before, "e"), section("Heading", rows, "h")]);
    const page = pages.find((text) => text.includes("About Heading."))!;
    expect([before, page.includes("h0")]).toEqual([before, true]);
  }
});

test("characters without a glyph are drawn as boxes, and the cover names them", async () => {
  const [cover] = await pagesOf([section("Heading", 1, "木材 ž")], "What of 木材, a 🪵 and Ķekava?");
  expect(cover).toContain("What of ▯▯, a ▯ and Ķekava?");
  expect(cover).toMatch(/The fonts of this print lack U\+6728, U\+6750, U\+1FAB5; each is drawn as\s+▯\./);
  expect(cover).toContain("▯▯ ž0");
});

test("a print without such characters names none", async () => {
  const [cover] = await pagesOf([section("Heading", 1, "Ķ")], "Ποιος; Кто? Kurš? 10 − 3 = 7 €");
  expect(cover).not.toContain("lack");
  expect(cover).toContain("Ποιος; Кто? Kurš? 10 − 3 = 7 €");
});
