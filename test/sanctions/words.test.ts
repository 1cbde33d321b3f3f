import { describe, expect, test } from "vitest";
import { alikeness, jaroWinkler, wordOf } from "../../src/domain/sanctions/similarity.ts";
import { wordsOf } from "../../src/domain/sanctions/words.ts";

describe("the words of a name", () => {
  test.each([
    ["AL-ZAWAHIRI, Dr. Ayman", "AL ZAWAHIRI DR AYMAN"],
    ["Jānis Bērziņš", "JANIS BERZINS"],
    ["Тимофей Зубарев", "TIMOFEY ZUBAREV"],
    ["DA'UD, Lu'ay", "DAUD LUAY"],
    ["CECOEX, S.A.", "CECOEX"],
    ["FIRST OCEAN GMBH & CO KG", "FIRST OCEAN"],
    ["11420 CORP.", "11420"],
    ["abd al-Rahman", "ABDUL RAHMAN"],
    ["Abdel Rahman", "ABDUL RAHMAN"],
    ["Osama el-Masri", "OSAMA AL MASRI"],
    ["INMOBILIARIA ESTADO 29 S.A. de C.V.", "INMOBILIARIA ESTADO 29"],
    ["CANO AGUDELO S. en C.", "CANO AGUDELO"],
    ["HATEF SHIPPING CompanyLimited", "HATEF SHIPPING"],
    ["\u0000\u202e", ""],
  ])("of %j are %j", (name, words) => {
    expect(wordsOf(name).join(" ")).toBe(words);
  });

  test("a name of legal forms alone keeps them", () => {
    expect(wordsOf("Co. Ltd.")).toEqual(["CO", "LTD"]);
  });
});

test("a legal form attached to a word is left out, and a part of a word is none, by the words of the lists", () => {
  const known = new Set(["OCEAN", "FIOLENT", "SALVATION", "OCEANCO"]);
  const words = (name: string) => wordsOf(name, (word) => known.has(word)).join(" ");
  expect(words("Twelfth OceanGmbH")).toBe("TWELFTH OCEAN");
  expect(words("CompanyFiolent")).toBe("FIOLENT");
  expect(words("Sal vation")).toBe("SAL VATION");
  expect(words("Ocean Co")).toBe("OCEAN");
  expect(words("Elsewhere Gmbhx")).toBe("ELSEWHERE GMBHX");
});

describe("the similarity of words", () => {
  const alike = (a: string, b: string) => alikeness(wordOf(a), wordOf(b));

  test("Jaro–Winkler's own examples", () => {
    // Winkler 1990, table 1.
    expect(jaroWinkler("MARTHA", "MARHTA")).toBeCloseTo(0.961, 3);
    expect(jaroWinkler("DIXON", "DICKSONX")).toBeCloseTo(0.813, 3);
    expect(jaroWinkler("DWAYNE", "DUANE")).toBeCloseTo(0.84, 3);
    expect(jaroWinkler("ABC", "")).toBe(0);
    expect(jaroWinkler("ABC", "XYZ")).toBe(0);
  });

  test("numbers are equal or different", () => {
    expect(alike("11420", "11420")).toBe(1);
    expect(alike("11420", "11421")).toBe(0);
    expect(alike("CORP1", "CORP")).toBe(0);
  });

  test("words of the same sound are similar, and never as good as equal", () => {
    for (const [a, b] of [
      ["STEPHEN", "STEVEN"],
      ["MOHAMMED", "MUHAMMAD"],
      ["QADHAFI", "GADDAFI"],
      ["YUSUF", "YOUSSEF"],
    ] as const) {
      expect(alike(a, b), `${a} ${b}`).toBeGreaterThanOrEqual(0.8);
      expect(alike(a, b), `${a} ${b}`).toBeLessThan(1);
    }
  });

  test("variants of romanisation are nearly the same word", () => {
    for (const [a, b] of [
      ["SAID", "SAEED"],
      ["IBRAHIM", "IBRAHEEM"],
      ["MAHMUD", "MAHMOUD"],
      ["HUSAYN", "HUSSAIN"],
      ["VIN", "WIN"],
      ["ALEKSANDR", "ALEXANDR"],
    ] as const)
      expect(alike(a, b), `${a} ${b}`).toBeGreaterThanOrEqual(0.94);
  });

  test("three consonants in other syllables are not a similarity", () => {
    expect(alike("SMITH", "SAMET")).toBeLessThan(0.9);
    expect(alike("MOLINA", "MILAN")).toBeLessThan(0.9);
  });

  test("an initial matches words that begin with it, and nothing else", () => {
    expect(alike("J", "JOSEPH")).toBeGreaterThan(0.8);
    expect(alike("K", "JOSEPH")).toBe(0);
  });

  test("the prefix of a long word is not the word", () => {
    expect(alike("BELLA", "BELLETECH")).toBe(0);
  });
});
