/** Characters that the fonts of a print cannot draw appear in Latin letters, and the print says so. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Chart, Provenance } from "../../core/model/chart.ts";
import type { Doc } from "../../core/model/doc.ts";
import { inLatinLetters } from "../../domain/sanctions/romanisation.ts";

// The package has no types of its own.
const { create } = createRequire(import.meta.url)("fontkit") as {
  create(font: Buffer): { hasGlyphForCodePoint(codePoint: number): boolean };
};

/** They choose how the character before them looks, and have no look of their own. */
const WITHOUT_LOOK = /^(?:\p{Cf}|\p{Variation_Selector})$/u;
const PUNCTUATION = /^[\p{P}\p{Z}]+$/u;

type Glyphs = (codePoint: number) => boolean;

/** A check that all fonts have a glyph for a character; a line break and a tab need none. */
export function glyphsOf(paths: readonly string[]): Glyphs {
  const fonts = paths.map((path) => create(readFileSync(path)));
  return (codePoint) =>
    codePoint === 9 || codePoint === 10 || fonts.every((font) => font.hasGlyphForCodePoint(codePoint));
}

/** The document as its fonts can draw it; a line on its cover says which words changed, if any did. */
export function drawable(doc: Doc, hasGlyph: Glyphs): Doc {
  // The attachment is data, and holds every character.
  const { attachment, ...printed } = doc;
  const { value, isChanged } = everyText(printed, hasGlyph);
  if (!isChanged) return { ...value, attachment };
  const line = {
    name: "Letters",
    text: `${EXPLANATION} The attached ${attachment.name} has the exact text.`,
  };
  return { ...value, cover: [...value.cover, line], attachment };
}

/** The chart and its origin as its font can draw them; a note says which words changed, if any did. */
export function drawableChart<From extends Provenance | undefined>(
  chart: Chart,
  provenance: From,
  hasGlyph: Glyphs,
): { chart: Chart; provenance: From } {
  const { value, isChanged } = everyText({ chart, provenance }, hasGlyph);
  if (!isChanged) return { chart, provenance };
  const notes = [`${EXPLANATION} The JSON has the exact text.`, ...value.chart.notes];
  return { ...value, chart: { ...value.chart, notes } };
}

const EXPLANATION =
  "Characters that the font lacks are transliterated in ‹ ›, or given by their number in Unicode.";

/** Every text of a value. Names of fields and kinds are ASCII, which every font has. */
function everyText<T>(value: T, hasGlyph: Glyphs): { value: T; isChanged: boolean } {
  let isChanged = false;
  const drawn = (text: string) => {
    const { shown, lacks } = drawnText(text, hasGlyph);
    if (lacks) isChanged = true;
    return shown;
  };
  const walk = <Part>(part: Part): Part => {
    if (typeof part === "string") return drawn(part) as Part;
    if (Array.isArray(part)) return part.map(walk) as Part;
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, walk(one)])) as Part;
  };
  return { value: walk(value), isChanged };
}

function drawnText(text: string, hasGlyph: Glyphs): { shown: string; lacks: boolean } {
  if (!/[^ -~]/.test(text)) return { shown: text, lacks: false };
  const characters = [...text.normalize("NFC").replaceAll(/\r\n?/g, "\n")].filter(
    (one) => hasGlyph(one.codePointAt(0)!) || !WITHOUT_LOOK.test(one),
  );
  const mask = characters
    .map((one) => (!hasGlyph(one.codePointAt(0)!) ? "x" : one === " " || WITHOUT_LOOK.test(one) ? " " : "."))
    .join("");
  let shown = "";
  let from = 0;
  // Words that are separated by spaces alone are one name.
  for (const { 0: run, index } of mask.matchAll(/x(?:[x ]*x)?/g)) {
    const lacking = characters.slice(index, index + run.length).join("");
    shown += characters.slice(from, index).join("") + readableForm(lacking);
    from = index + run.length;
  }
  return { shown: shown + characters.slice(from).join(""), lacks: from > 0 };
}

/** Brackets of another script would otherwise become those of a citation. */
function readableForm(text: string): string {
  const parts: string[] = [];
  let letters = "";
  const romanise = () => {
    const latin = inLatinLetters(letters);
    if (letters.trim() !== "") parts.push(latin === "" ? [...letters].map(numberOf).join(" ") : latin);
    letters = "";
  };
  for (const one of text.match(FLAG_OR_CHARACTER) ?? [])
    if (WITHOUT_LOOK.test(one)) continue;
    else if (isRomanised(one)) letters += one;
    else {
      romanise();
      parts.push(one.length === FLAG_LENGTH ? countryOf(one) : numberOf(one));
    }
  romanise();
  const shown = parts.join(" ").replaceAll("[", "(").replaceAll("]", ")");
  return PUNCTUATION.test(text) ? shown : `‹${shown}›`;
}

/** Some letters of these scripts are silent, and marks belong to the letter before them. */
const PART_OF_A_WORD = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{M}ー々 ]$/u;
const isRomanised = (one: string) => PART_OF_A_WORD.test(one) || inLatinLetters(one) !== "";

const FLAG_OR_CHARACTER = /\p{Regional_Indicator}{2}|./gsu;
const FLAG_LENGTH = 4;
const FIRST_OF_FLAGS = 0x1f1e6;
/** The two letters of a flag are a country's code. */
const countryOf = (flag: string) =>
  [...flag].map((one) => String.fromCodePoint(65 + one.codePointAt(0)! - FIRST_OF_FLAGS)).join("");

const numberOf = (one: string) => `U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
