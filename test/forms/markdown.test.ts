/** A caller's words in a Markdown document make no link, no label and no citation, and hide nothing. */
import { expect, test } from "vitest";
import { markdownOf } from "../../src/adapters/printing/markdown.ts";
import { visible } from "../../src/adapters/printing/text.ts";
import type { Doc } from "../../src/core/model/doc.ts";

const docOf = (words: string): Doc => ({
  title: words,
  question: words,
  cover: [{ name: "Asked", text: words }],
  sections: [
    {
      title: "Facts",
      text: "It grew [F1].",
      items: [{ text: words }],
      charts: [],
      tables: [
        {
          title: "",
          columns: [{ name: "Fact" }, { name: "Value" }],
          rows: [{ anchor: "[F1]", cells: ["", words] }],
          widths: [1, 1],
        },
      ],
    },
  ],
  as_of: "2026-01-01",
  attachment: { name: "a.json", about: "", text: "" },
});

test.each([
  ["[F1]: https://evil.example/x", /^(# |- )?\[[^\]]*\]:/m],
  ["see [F1](https://evil.example)", /(?<!\\)\]\(/],
  ["see [F1][F2] and [here][F1]", /(?<!\\)\]\[/],
  ["go to https://evil.example or http://evil.example", /(?<!\\):\/\//],
  ["go to www.evil.example", /www\./i],
  ["write to me@evil.example", /(?<!\\)@/],
])("%s is text", (words, markup) => {
  const text = markdownOf(docOf(words));
  expect(text).not.toMatch(markup);
  expect(text).toContain("It grew [F1].");
  expect(text.split("\n").slice(0, 3).join("\n")).not.toMatch(/(?<!\\)\[/);
});

test("invisible characters are left out of a document", () => {
  const words = "\u202egpj.live\u202c a\u200bb \ufeffJānis\u2067";
  expect(visible(docOf(words)).question).toBe("gpj.live ab Jānis");
});
