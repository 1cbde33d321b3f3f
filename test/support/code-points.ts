import fc from "fast-check";

const SURROGATES = { from: 0xd800, to: 0xdfff };

const anywhere = fc
  .integer({ min: 0, max: 0x10ffff - (SURROGATES.to + 1 - SURROGATES.from) })
  .map((n) => String.fromCodePoint(n < SURROGATES.from ? n : n + SURROGATES.to + 1 - SURROGATES.from));

/**
 * A unit for `fc.string`: any code point, every second one ASCII. fast-check's own `binary` first builds a table of
 * all, which takes a second.
 */
export const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }).map((n) => String.fromCodePoint(n)),
  anywhere,
);
