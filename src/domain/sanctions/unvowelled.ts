/** Words of scripts that write few vowels: the consonants that each may stand for. */
import { consonantsOf } from "./similarity.ts";

/** More readings of a word are cut. */
const MOST_READINGS = 64;

/** Consonants as consonantsOf of similarity.ts folds them. */
const FOLDED: Readonly<Record<string, readonly string[]>> = {
  E: ["", "H"],
  θ: ["T", "S"],
  δ: ["D", "S", "T"],
  J: ["J", "G"],
  C: ["S", "J"],
  X: ["H", "K"],
  Š: ["S"],
  Γ: ["GH", "G"],
  Q: ["K", "G", "GH"],
  V: ["V"],
  Z: ["S"],
  ᴴ: [""],
  β: ["B", "V"],
  φ: ["P", "F"],
  κ: ["K", "H"],
};
const SHOWN: Readonly<Record<string, string>> = {
  θ: "TH",
  δ: "DH",
  Š: "SH",
  Γ: "GH",
  X: "KH",
  C: "CH",
  ᴴ: "",
  β: "B",
  φ: "P",
  κ: "K",
};

/** The ways to read a word's letters, each letter in each of its ways. */
export const readings = (parts: readonly (readonly string[])[]): string[] =>
  parts.reduce<string[]>(
    (known, ways) => known.flatMap((one) => ways.map((way) => one + way)).slice(0, MOST_READINGS),
    [""],
  );

export const withoutDoubles = (text: string) => text.replaceAll(/(.)\1+/g, "$1");

export type Readings = {
  spellings: Map<string, string[]>;
  skeletons: Map<string, string[]>;
  shapes: Map<string, RegExp>;
};

/** Letters that are written: a word begins with its first, and ends with its last or the E of French spelling. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  A: "(?:[AEIOU]|S[FKLMNPT])",
  ᴴ: "[AEIOU]",
  W: "[VWOU]",
  Y: "[YIJEA]",
};
const ENDINGS: Readonly<Record<string, string>> = {
  A: "[AEHO]",
  ᴴ: "",
  E: "[AEHT]",
  H: "[AEHI]",
  W: "[OUVWE]",
  Y: "[AEIYH]",
};

const shapeOf = (letters: string): RegExp =>
  new RegExp(
    `^(?:[AE][DLNRSTZ])?${BEGINNINGS[letters[0]!] ?? "[^AEIOU]"}.*${ENDINGS[letters.at(-1)!] ?? "[^AIOUY]"}$`,
  );

/** An unvowelled word, and the consonants that it may stand for: W and Y may be vowels, a final H is often silent. */
export function unvowelled(letters: string, { skeletons, shapes }: Readings): string {
  const shown = [...letters].map((one) => SHOWN[one] ?? one).join("");
  const parts = [...letters].map((one, at): readonly string[] => {
    if (one === "A") return [""];
    if (one === "W") return ["", "V"];
    if (one === "Y") return [""];
    if (one === "H" && at > 0 && at === letters.length - 1) return ["H", ""];
    return FOLDED[one] ?? [one];
  });
  // A listed romanisation does not tell S and H from SH.
  const ways = readings(parts).flatMap((one) => [one, consonantsOf(one)]);
  // A listed romanisation reads ZH as one sound.
  const asOne = /[Zδ]H/.test(letters) ? ways.map((one) => one.replace("SH", "J")) : [];
  const folded = new Set([...ways, ...asOne, consonantsOf(shown)].map(withoutDoubles));
  folded.delete("");
  skeletons.set(shown, [...folded]);
  shapes.set(shown, shapeOf(letters));
  return shown;
}
