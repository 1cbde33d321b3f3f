/** Names as other languages write them: each way is searched for besides the name as given. */
import { isFormOfAddress } from "./omissible-words.ts";

type Pairs = readonly (readonly [RegExp, string])[];

const replaced = (text: string, pairs: Pairs): string =>
  pairs.reduce((known, [from, to]) => known.replaceAll(from, to), text);

const UMLAUTS: Pairs = [
  [/Ä/g, "AE"],
  [/Ö/g, "OE"],
  [/Ü/g, "UE"],
];

/** A small h is that of SH and CH until the last pair. Slavic names in German letters: Wjatscheslaw Chlebnikow, Jurjewitsch. */
const GERMAN: Pairs = [
  [/SCHTSCH/g, "ShCh"],
  [/TSCH/g, "Ch"],
  [/SCH/g, "Sh"],
  [/CH/g, "KH"],
  [/h/g, "H"],
  [/W/g, "V"],
  [/(?<!T)Z/g, "TS"],
  [/J/g, "Y"],
];
/** The same in Polish: Wiaczesław Chlebnikow, Juriewicz. */
const POLISH: Pairs = [
  [/SZ/g, "Sh"],
  [/CZ/g, "Ch"],
  [/RZ|Ż/g, "ZH"],
  [/CH/g, "KH"],
  [/C(?![hHK])/g, "TS"],
  [/h/g, "H"],
  [/W/g, "V"],
  [/Ł/g, "L"],
  [/J/g, "Y"],
];
const GERMAN_SIGN = /TSCH|WITSCH|SCH|(?:[OE]W|[OE]WA)(?![A-Z])/;
const POLISH_SIGN = /[CS]Z|Ż|Ł|(?:[OE]W|[OE]WA|ICZ)(?![A-Z])/;

/** The S of Latvian and Lithuanian cases, which foreign names get too: Igors, Olegas, Sergejus. */
const BALTIC_ENDING = /(?<=\p{L}{2})(?:[IY]?JUS|IUS|AS|[IY]S|US|S)$/u;
const BALTIC: Pairs = [
  [/Š/g, "SH"],
  [/Ž/g, "ZH"],
  [/Č/g, "CH"],
  [/C(?!H)/g, "TS"],
];

function withoutBalticEndings(capitals: string): string | undefined {
  const words = capitals.split(/[\s,]+/).filter((word) => word !== "");
  const ending = words.filter((word) => word.length > 3 && word.endsWith("S"));
  if (ending.length < 2 || ending.length < words.filter((word) => word.length > 3).length) return undefined;
  return words.map((word) => replaced(word.replace(BALTIC_ENDING, ""), BALTIC)).join(" ");
}

/** "Last, Dr. First": a form of address before the first name is one at the beginning of the name. */
function withAddressFirst(capitals: string): string | undefined {
  const [last, first, ...more] = capitals.split(",").map((part) => part.trim());
  if (!last || !first || more.length > 0) return undefined;
  return isFormOfAddress(/^[A-Z]+/.exec(first)?.[0] ?? "") ? `${first} ${last}` : undefined;
}

const HALF_VOWEL = /([AEIOU])['’‘ʼʻʿʾ`´](?=[B-DF-HJ-NP-TV-Z])/g;

const joinedInArabic = (name: string) =>
  name
    .normalize("NFKC")
    .replaceAll(/(?<=\p{Script=Arabic}{2})(?<!(?<!\p{L})عبد) +(?=ال(?:دين|له|لہ|دین)(?!\p{L}))/gu, "");

/** A longer piece is a word. */
const LONGEST_PIECE = 2;

/** Words that a space or a hyphen in the place of an apostrophe has split: Sa id, D-Elcon. */
export function rejoined(name: string, isWord: (text: string) => boolean): string | undefined {
  const pieces = name.toUpperCase().split(/[\s-]+/);
  const isPiece = (text: string) => text.length <= LONGEST_PIECE && /^[A-Z]+$/.test(text);
  const words: string[] = [];
  for (const piece of pieces) {
    const before = words.at(-1) ?? "";
    const canJoin = /^[A-Z]+$/.test(before) && (isPiece(piece) || isPiece(before));
    if (canJoin && isWord(before + piece)) words[words.length - 1] = before + piece;
    else words.push(piece);
  }
  return words.length < pieces.length ? words.join(" ") : undefined;
}

/** Every other way to write a name. */
export function otherWaysToWrite(name: string): string[] {
  const capitals = name.normalize("NFC").toUpperCase();
  const ways: (string | undefined)[] = [
    // Names such as Nur al-Din and Nurullah are written as two words and as one.
    /\p{Script=Arabic}/u.test(name) ? joinedInArabic(name) : undefined,
    /[ÄÖÜ]/.test(capitals) ? replaced(capitals, UMLAUTS) : undefined,
    // Initials without spaces are not an abbreviation: L.R. Arriola.
    /(?<![A-Z])(?:[A-Z]\.){2,}/.test(capitals) ? capitals.replaceAll(".", " ") : undefined,
    // An apostrophe for a vowel's second half: Sa'b is Saab.
    capitals.search(HALF_VOWEL) >= 0 ? capitals.replaceAll(HALF_VOWEL, "$1$1") : undefined,
    withAddressFirst(capitals),
    GERMAN_SIGN.test(capitals) ? replaced(capitals, GERMAN) : undefined,
    POLISH_SIGN.test(capitals) ? replaced(capitals, POLISH) : undefined,
    withoutBalticEndings(capitals),
    // X is KH in Azeri, Kurdish and Tajik: Xamenei.
    /(?<![A-Z])X(?=[AEOU])|[AEIOU]X[AEIOUL]/.test(capitals) ? capitals.replaceAll("X", "KH") : undefined,
  ];
  return [...new Set([name, ...ways.filter((way) => way !== undefined)])];
}
