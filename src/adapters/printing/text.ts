import type { Chart } from "../../core/model/chart.ts";

/** The divisor of the values, and its name. */
export type Scale = { divisor: number; word: string };

const SCALES: Scale[] = [
  { divisor: 1e9, word: "billion" },
  { divisor: 1e6, word: "million" },
  { divisor: 1e3, word: "thousand" },
];
/** Units with unlimited figures. Others (a price, an index) are written in full below a million. */
const AMOUNTS = new Set(["EUR", "USD", "kg", "t"]);

/** The largest value decides, so that axis labels are short. */
export function scaleOf({ series, unit, base = 0 }: Chart): Scale {
  let largest = 0;
  for (const { values, on_right } of series)
    for (const value of values) if (!on_right) largest = Math.max(largest, Math.abs((value ?? base) - base));
  const fits = SCALES.find(({ divisor }) => largest >= divisor);
  return fits && (AMOUNTS.has(unit) || fits.divisor > 1e3) ? fits : { divisor: 1, word: "" };
}

/** "billion EUR" */
export const axisUnit = (unit: string, { word }: Scale) => (word ? `${word} ${unit}` : unit);

/** "1.72B", "66.9": short enough for a bar's label. */
export const labelText = (value: number): string =>
  value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });

/** Rounding to significant digits also removes floating-point noise. */
export const numberText = (value: number): string =>
  Number(value.toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 });

/** Approximate character widths of DejaVu Sans, in ems. */
const WIDTHS: [pattern: RegExp, ems: number][] = [
  [/[ijlI.,:;'|! ()[\]tfr/-]/, 0.38],
  [/[mwMW%@—…]/, 0.95],
  [/[A-Z0-9]/, 0.68],
  [/[\u1100-\uffff]/, 1],
];

/** The width in pixels, rather overestimated, because no font metrics are available. */
export function textWidth(text: string, size: number, isBold = false): number {
  let ems = 0;
  for (const character of text) ems += WIDTHS.find(([pattern]) => pattern.test(character))?.[1] ?? 0.62;
  return ems * size * (isBold ? 1.12 : 1);
}

/** The text in lines of at most `most` pixels, broken at spaces; the last one ends with an ellipsis if there were more. */
export function wrapped(
  text: string,
  { most, size, lines, isBold = false }: { most: number; size: number; lines: number; isBold?: boolean },
): string[] {
  const found: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || textWidth(longer, size, isBold) <= most) line = longer;
    else {
      found.push(line);
      line = word;
    }
  }
  found.push(line);
  const fits = (one: string) => textWidth(one, size, isBold) <= most;
  const shown = found.slice(0, lines).map((one) => {
    let letters = [...one].length;
    while (!fits(clipped(one, letters)) && letters > 1) letters--;
    return clipped(one, letters);
  });
  if (found.length > lines) shown[lines - 1] = `${shown[lines - 1]!.replace(/…$/, "")}…`;
  return shown;
}

/** At most `most` characters, with an ellipsis if shortened. */
export function clipped(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most
    ? text
    : `${characters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

/** Characters that XML forbids, or that break a line or change the text's direction. */
const UNREADABLE =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufffe\uffff]/gu;

/** Replaces unprintable characters in all texts, because names come from data. */
export function readable<T>(value: T): T {
  if (typeof value === "string") return value.toWellFormed().replace(UNREADABLE, " ") as T;
  if (Array.isArray(value)) return value.map(readable) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, readable(one)])) as T;
}

/** Invisible characters that hide text from a reader or change its direction. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufffe\uffff]/gu;

/** Removes invisible characters from all texts. */
export function visible<T>(value: T): T {
  if (typeof value === "string") return value.toWellFormed().replace(INVISIBLE, "") as T;
  if (Array.isArray(value)) return value.map(visible) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visible(one)])) as T;
}

const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "2026-11-22" as "22 Nov". */
export const dayText = (day: string): string => dates.format(new Date(`${day}T00:00:00Z`));
