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
])("a heading is on the page where its %s table begins", async (_, rows) => {
  for (let before = 8; before <= 36; before += 4) {
    const pages = await pagesOf([section("Earlier", before, "e"), section("Heading", rows, "h")]);
    const page = pages.find((text) => text.includes("About Heading."))!;
    expect([before, page.includes("h0")]).toEqual([before, true]);
  }
});

const REMARK =
  /Characters that the font lacks are transliterated in ‹ ›, or given by their number in Unicode\. The attached facts\.json has the exact text\./;

test.each([
  ["北京市贸易有限公司", "‹Bei Jing Shi Mao Yi You Xian Gong Si›"],
  ["Firma 王小明先生, 2 t", "Firma ‹Wang Xiao Ming Xian Sheng›, 2 t"],
  ["佐々木", "‹Zuo Zuo Mu›"],
  ["トヨタ 自動車", "‹Toyota Zi Dong Che›"],
  ["김정은님", "‹Kim Jong Un Nim›"],
  ["محمد بن سلمان", "‹Mohammed Bin Slman›"],
  ["בן גוריון", "‹Ben Gwrywn›"],
  ["नरेंद्र मोदी", "‹Nrendr Modii›"],
  ["a 🪵 and 👨‍👩‍👧", "a ‹U+1FAB5› and ‹U+1F468 U+1F469 U+1F467›"],
  ["🇱🇻🇪🇪", "‹LV EE›"],
  ["𠮷野家", "‹U+20BB7 Ye Jia›"],
])("%s is printed in letters that the font has", async (name, shown) => {
  const [cover] = await pagesOf([section("Heading", 1, `${name} `)], `Of ${name}, and Ķekava?`);
  const words = cover!.replaceAll(/\s+/g, " ");
  expect(words).toContain(`Of ${shown}, and Ķekava?`);
  expect(words).toContain(`${shown} 0`);
  expect(REMARK.test(words)).toBe(true);
});

test("a PDF has the exact title and question in its metadata, and the exact data in its attachment", async () => {
  const doc = documentOf([], "Of 木材?");
  const attachment = { ...doc.attachment, text: '{"name":"北京市"}' };
  const bytes = await pdfOf({ ...doc, title: "محمد 🪵", attachment }, () => "<svg/>");
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { info } = await pdf.getMetadata();
  expect(info).toMatchObject({ Title: "محمد 🪵", Subject: "Of 木材?" });
  const files = (await pdf.getAttachments()) as Record<string, { content: Uint8Array }>;
  expect(Buffer.from(files["facts.json"]!.content).toString()).toBe(attachment.text);
});

test("brackets of another script become no citation", async () => {
  const cited = section("Heading", 1, "");
  const table = { ...cited.tables[0]!, rows: [{ cells: ["x", "y"], anchor: "F12" }] };
  const text = "「F12」 ［F12］ [F12]";
  const bytes = await pdfOf(documentOf([{ ...cited, text, tables: [table] }], ""), () => "<svg/>");
  const page = await (await getDocumentProxy(new Uint8Array(bytes))).getPage(1);
  const links = (await page.getAnnotations()).filter(
    ({ subtype }: { subtype: string }) => subtype === "Link",
  );
  expect(links).toHaveLength(1);
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

test("characters without a visible form are left out", async () => {
  const [cover] = await pagesOf([section("Heading", 1, "a\u2066b\u2069")], "i\u2066solated\u2069");
  expect(cover).toContain("isolated");
  expect(cover).toContain("ab0");
});

test("a print without such characters names none", async () => {
  const [cover] = await pagesOf([section("Heading", 1, "Ķ")], "Ποιος; Кто? Kurš? 10 − 3 = 7 €");
  expect(cover!.replaceAll(/\s+/g, " ")).not.toMatch(REMARK);
  expect(cover).toContain("Ποιος; Кто? Kurš? 10 − 3 = 7 €");
});
