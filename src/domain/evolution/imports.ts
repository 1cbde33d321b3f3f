/**
 * The imports in a TypeScript text. Nothing is parsed: every possible import counts, also within a comment or a
 * string, so that a fake comment hides none. Each character is read a few times at most, whatever the text.
 */
import type { Import } from "./import-rules.ts";

/** A specifier that the text does not spell out: it is computed, or written with escapes. */
export const COMPUTED = "(computed)";

export type LocatedImport = Import & { line: number };

/** For each position in a text, the end of the white space and comments that begin there. */
function gapsOf(text: string): Uint32Array {
  const end = new Uint32Array(text.length + 1).fill(text.length);
  let newline = text.length;
  // The first possible end of a comment that begins here.
  let close = -1;
  for (let at = text.length - 1; at >= 0; at--) {
    if (text.startsWith("*/", at + 2)) close = at + 2;
    if (/[\n\r\u2028\u2029]/.test(text[at]!)) newline = at;
    if (/\s/.test(text[at]!)) end[at] = end[at + 1]!;
    else if (text.startsWith("//", at)) end[at] = end[newline]!;
    else if (text.startsWith("/*", at) && close !== -1) end[at] = end[close + 2]!;
    else end[at] = at;
  }
  return end;
}

/** The import whose quoted specifier begins at a position, and its end; nothing where the quotes have no specifier. */
function literalAt(text: string, at: number, quotes: string): { specifier: string; end: number } | undefined {
  const quote = text[at];
  if (quote === undefined || !quotes.includes(quote)) return undefined;
  const form = { '"': /"([^"\n]*)"/y, "'": /'([^'\n]*)'/y, "`": /`([^`\n]*)`/y }[quote]!;
  form.lastIndex = at;
  const inside = form.exec(text)?.[1];
  if (inside === undefined || !/^(?:[.\\`$]|[\w@#/]\S*$)/.test(inside)) return undefined;
  // A URL changes the path of an escape or a query, so these are not resolved. A dot within a package's path begins an extension.
  const isPlain = /^(?:\.[\w./@~-]*|[^.\\$%]+|@?\w[\w/@-]*(?:\.\w[\w/@-]*)*)$/.test(inside);
  return { specifier: isPlain ? inside : COMPUTED, end: form.lastIndex };
}

const WHOLE = { types: false, names: ["*"] };

/** The names between `import` or `export` and `from`; undefined where that is not a list of names. */
function namesIn(clause: string): Omit<Import, "specifier"> | undefined {
  const plain = clause.replaceAll(/"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?/g, '"');
  if (/[;():=[\]<>+.?!&|^%~@#`/-]/.test(plain)) return undefined;
  const words: string[] = plain.match(/[^\s{},*]+|[{},*]/g) ?? [];
  if (words[0] === "type" && words.length > 1 && words[1] !== ",") return { types: true, names: ["*"] };
  const open = words.indexOf("{");
  const listed = open === -1 ? [] : words.slice(open + 1, words.indexOf("}", open));
  const elements = listed
    .join(" ")
    .split(",")
    .map((element) => element.trim().split(" "))
    .filter(([first]) => first !== "");
  const isType = ([first, second, ...more]: string[]) =>
    first === "type" && second !== undefined && !(second === "as" && more.length === 1);
  const named = elements.filter((element) => !isType(element)).map(([first]) => first!);
  // A default or a namespace imports the whole module.
  const hasWhole = words.slice(0, open === -1 ? undefined : open).some((word) => word !== ",");
  const names = hasWhole ? ["*", ...named] : named;
  if (names.length > 0) return { types: false, names };
  return elements.length > 0 ? { types: true, names: ["*"] } : WHOLE;
}

/** Every import in a text, in order: declarations, re-exports, `import()`, imports in types. */
export function importsIn(text: string): LocatedImport[] {
  const gaps = gapsOf(text);
  /** Without its comments. */
  const plain = (from: number, to: number) => {
    const parts: string[] = [];
    for (let at = from; at < to; ) {
      const isGap = gaps[at]! > at;
      parts.push(isGap ? " " : text[at]!);
      at = isGap ? gaps[at]! : at + 1;
    }
    return parts.join("");
  };
  const found: LocatedImport[] = [];
  let [line, counted] = [1, 0];
  /** The possible beginning of a list of names. */
  let begun: number | undefined;
  for (const { 0: word, index } of text.matchAll(/\b(?:export|from|import)\b/g)) {
    for (; counted < index; counted++) if (text[counted] === "\n") line++;
    const end = index + word.length;
    const next = gaps[end]!;
    if (word === "from") {
      const literal = literalAt(text, next, `"'`);
      const names = literal && begun !== undefined && namesIn(plain(begun, index));
      if (names) found.push({ ...names, specifier: literal.specifier, line });
      // Each character is part of one clause only.
      if (literal) begun = end;
      continue;
    }
    begun = end;
    if (word === "export") continue;
    if (text[next] !== "(") {
      const literal = literalAt(text, next, `"'`);
      if (literal) found.push({ ...WHOLE, specifier: literal.specifier, line });
      continue;
    }
    const inner = gaps[next + 1]!;
    // Without an argument, or with a hole of a template string, it is not an expression.
    if (text[inner] === ")" || text.startsWith("${", inner)) continue;
    const literal = literalAt(text, inner, "\"'`");
    const isAll = literal && /[),]/.test(text[gaps[literal.end]!] ?? "");
    const types = /\btypeof\s{1,8}$/.test(text.slice(Math.max(0, index - 16), index));
    found.push({ ...WHOLE, types, specifier: isAll ? literal.specifier : COMPUTED, line });
  }
  return found;
}
