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

const documentOf = (sections: DocSection[], question: string): Doc => ({
  ...{ title: "Title", question, cover: [{ name: "For", text: "Readers" }], sections, as_of: "2026-01-31" },
  attachment: { name: "facts.json", about: "Facts", text: "{}" },
});

async function pagesOf(sections: DocSection[], question = "Why?"): Promise<string[]> {
  const doc = documentOf(sections, question);
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

test("no line leaves its page, however long its words are", async () => {
  const long = "Donaudampfschifffahrtsgesellschaft".repeat(6);
  const doc = documentOf(
    [{ ...section(long, 3, long), items: [{ text: long, note: long }] }],
    "木材 🪵 مرحبا שלום",
  );
  const cover = [{ name: long, text: long }];
  const bytes = await pdfOf({ ...doc, title: long, cover }, () => "<svg/>");
  const pages = await getDocumentProxy(new Uint8Array(bytes));
  for (let at = 1; at <= pages.numPages; at++) {
    const page = await pages.getPage(at);
    const [, , width] = page.view;
    const items = (await page.getTextContent()).items as { transform: number[]; width: number }[];
    const ends = items.map(({ transform, width }) => transform[4]! + width);
    expect([at, Math.max(...ends) <= width!]).toEqual([at, true]);
  }
});

test("characters without a look are left out", async () => {
  const [cover] = await pagesOf([section("Heading", 1, "a\u2066b\u2069")], "i\u2066solated\u2069");
  expect(cover).toContain("isolated");
  expect(cover).toContain("ab0");
});

test("a print without such characters names none", async () => {
  const [cover] = await pagesOf([section("Heading", 1, "Ķ")], "Ποιος; Кто? Kurš? 10 − 3 = 7 €");
  expect(cover).not.toContain("lack");
  expect(cover).toContain("Ποιος; Кто? Kurš? 10 − 3 = 7 €");
});
