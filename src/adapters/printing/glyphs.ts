/** Characters that the fonts of a print cannot draw: each is drawn as a box, and the cover names them. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Doc } from "../../core/model/doc.ts";

// The package has no types of its own.
const { create } = createRequire(import.meta.url)("fontkit") as {
  create(font: Buffer): { hasGlyphForCodePoint(codePoint: number): boolean };
};

const BOX = "▯";
/** The cover names no more of them. */
const MOST_NAMED = 24;
/** They choose how the character before them looks, and have no look of their own. */
const WITHOUT_LOOK = /^(?:\p{Cf}|\p{Variation_Selector})$/u;

type Glyphs = (codePoint: number) => boolean;

/** A check that all fonts have a glyph for a character; a line break and a tab need none. */
export function glyphsOf(paths: readonly string[]): Glyphs {
  const fonts = paths.map((path) => create(readFileSync(path)));
  return (codePoint) =>
    codePoint === 9 || codePoint === 10 || fonts.every((font) => font.hasGlyphForCodePoint(codePoint));
}

/** The document with a box for each character that cannot be drawn, and a line on its cover that names them. */
export function drawable(doc: Doc, hasGlyph: Glyphs): Doc {
  const missing = new Set<string>();
  const drawn = (text: string) =>
    [...text.normalize("NFC")]
      .map((one) => {
        if (hasGlyph(one.codePointAt(0)!)) return one;
        if (WITHOUT_LOOK.test(one)) return "";
        missing.add(one);
        return BOX;
      })
      .join("");
  const everyText = <Part>(part: Part): Part => {
    if (typeof part === "string") return drawn(part) as Part;
    if (Array.isArray(part)) return part.map(everyText) as Part;
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, everyText(value)])) as Part;
  };
  // The attachment is data, and holds every character.
  const { attachment, ...printed } = doc;
  const result = { ...everyText(printed), attachment };
  if (missing.size === 0) return result;
  const named = [...missing].slice(0, MOST_NAMED).map((one) => {
    return `U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  });
  const more = missing.size > named.length ? ` and ${missing.size - named.length} more` : "";
  const text = `The fonts of this print lack ${named.join(", ")}${more}; each is drawn as ${BOX}. The attached ${attachment.name} has them.`;
  return { ...result, cover: [...result.cover, { name: "Not printed", text }] };
}
