import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexNames } from "../../src/domain/sanctions/index.ts";
import type { ListEntry } from "../../src/domain/sanctions/list-entry.ts";
import { screen, THRESHOLD } from "../../src/domain/sanctions/screen.ts";
import { scaled } from "../support/scale.ts";

const entry = (entry_id: string, kind: ListEntry["kind"], ...names: string[]): ListEntry => ({
  entry_id,
  reference: null,
  kind,
  names: names.map((name, at) => ({ name, quality: at === 0 ? "primary" : "strong" })),
  born: [],
  countries: [],
  programs: [],
});

/** Fillers, so that common words weigh less than rare ones, as they do in real lists. */
const crowd = Array.from({ length: 400 }, (_, n) =>
  entry(
    `9${n}`,
    n % 2 ? "person" : "entity",
    `${["MOHAMMED", "GENERAL", "TRADING", "ALI"][n % 4]} Q${n}X${n * 7}`,
  ),
);

const index = indexNames([
  {
    list: "test",
    entries: [
      entry("1", "person", "AL-ZAWAHIRI, Ayman Muhammad", "Айман аз-Завахири"),
      entry("2", "entity", "11420 CORP."),
      entry("3", "entity", "EMMA LLC"),
      entry("4", "person", "HABBASH, George"),
      entry("5", "entity", "E. S. Co."),
      entry("6", "person", "OSTROVERKHOV, Bogdan Yaroslavovich"),
      entry("7", "entity", "NORTH LANTERN SHIPPING COMPANY"),
      entry("8", "aircraft", "M-SAAN"),
      entry("60", "person", "RESTREPO OSPINA, Jairo Emilio Anselmo"),
      entry("61", "person", "Zarghun Bismil Noorak Tolwak"),
      entry("62", "person", "AGHABALA, Majid"),
      entry("10", "person", "RENATO"),
      entry("11", "entity", "SAZMAN-E MOGHAVEMAT", "SAZMANE"),
      entry("12", "person", "PEREZ, Daniela"),
      entry("20", "vessel", "OCEAN QUILL"),
      entry("21", "entity", "ZORBAK TRADING"),
      entry("22", "person", "MAMSUROV, Taimuraz Dzambekovich"),
      entry("23", "person", "KIM, Jong Nam"),
      entry("24", "person", "ZHAO, Qingwei"),
      entry("25", "person", "PAPADOPOULOS, Evangelos"),
      entry("26", "person", "MUELLER, Juergen"),
      entry("27", "person", "JALALUDDIN HAQQANI"),
      entry("28", "person", "SHEVCHUK, Zhanna"),
      entry("29", "person", "WANG, Exiang"),
      entry("30", "person", "LIU, Cihui"),
      entry("31", "person", "AMIR ABDULLAH"),
      entry("32", "person", "NAZIR MOHAMMAD ABDUL BASIR"),
      entry("33", "person", "HAMID ESHAQ AKHUNZADA"),
      entry("34", "person", "HUSSEIN, Raghad Saddam"),
      entry("35", "person", "OMAR ZADRAN"),
      entry("36", "person", "HANNADI, Jamil"),
      entry("40", "person", "KHLEBNIKOV, Vyacheslav Yuryevich"),
      entry("41", "person", "FARMAND, Sa'id"),
      entry("42", "person", "QUINTERO MARMOL, Luis Raul"),
      entry("43", "person", "SAAB, Tony"),
      entry("44", "person", "USACHEV, Oleg"),
      entry("45", "person", "SOLEIMANI, Qasem"),
      entry("46", "entity", "LANTERN AND QUILL"),
      ...Array.from({ length: 6 }, (_, n) => entry(`13${n}`, "person", `DANIEL Z${n}Y`)),
      ...crowd,
    ],
  },
]);
const found = (name: string, threshold = THRESHOLD) =>
  screen(index, name, threshold).map(({ of }) => of.entry.entry_id);

describe("a listed name is found", () => {
  test.each([
    ["as it is", "AL-ZAWAHIRI, Ayman Muhammad", "1"],
    ["in another order", "Ayman Muhammad al Zawahiri", "1"],
    ["in Cyrillic", "Айман Завахири", "1"],
    ["without its middle name", "Ayman al-Zawahiri", "1"],
    ["by its first and last name alone", "Jairo Restrepo", "60"],
    ["by its first and second last name alone", "Jairo Ospina", "60"],
    ["by its first and last word alone", "Zarghun Tolwak", "61"],
    ["with a Persian GH as Q", "Majid Aqabala", "62"],
    ["with typing errors", "Aymen Muhamad al-Zawaihri", "1"],
    ["in another romanisation", "Ayman Mohammed az-Zawahiry", "1"],
    ["with an initial", "B. Y. Ostroverkhov", "6"],
    ["joined", "NorthLantern Shipping", "7"],
    ["split", "North Lan tern Shipping", "7"],
    ["with another legal form", "North Lantern Shipping Ltd.", "7"],
    ["with accents", "Bögdán Ostrovérkhov", "6"],
  ])("%s", (_, name, entry_id) => {
    expect(found(name)[0]).toBe(entry_id);
  });

  test.each(["Emilio Restrepo", "Anselmo Ospina", "Jairo Emilio", "Bismil Noorak", "Zarghun Noorak"])(
    "but not by two names that are not its first and last: %s",
    (name) => {
      expect(found(name)).toEqual([]);
    },
  );

  test("equal words score 1, in any order", () => {
    expect(screen(index, "George Habbash")[0]).toMatchObject({ score: 1, of: { entry: { entry_id: "4" } } });
  });
});

describe("a listed name is found as other languages and hands write it", () => {
  test.each([
    ["in German", "Wjatscheslaw Jurjewitsch Chlebnikow", "40"],
    ["in Polish", "Wiaczesław Juriewicz Chlebnikow", "40"],
    ["in Lithuanian", "Olegas Usačevas", "44"],
    ["a space for an apostrophe", "Sa id Farmand", "41"],
    ["a hyphen for an apostrophe", "Sa-id Farmand", "41"],
    ["an accent for an apostrophe", "Sa´id Farmand", "41"],
    ["a doubled vowel with an apostrophe", "Tony Sa'ab", "43"],
    ["an apostrophe for a doubled vowel", "Tony Sa'b", "43"],
    ["initials without spaces", "L.R. Quintero Marmol", "42"],
    ["in Hebrew", "קאסם סולימאני", "45"],
    ["in katakana", "カセム・ソレイマニ", "45"],
    ["with another language's AND", "Lantern und Quill", "46"],
    ["with KH written as X", "Xlebnikov Vyacheslav Yuryevich", "40"],
  ])("%s", (_, name, entry_id) => {
    expect(found(name)[0]).toBe(entry_id);
  });
});

describe("words around a name hide nobody", () => {
  test.each([
    "Secretary General George Habbash",
    "Habbash, Konteradmiral George",
    "Squadron Leader George Habbash",
    "Teniente George Habbash",
    "Licenciado George Habbash",
    "George Habbash, LL.M.",
    "George Habbash a.D.",
    "Mr George Habbash",
    "Mr. George Habbash",
    "Mrs Habbash, George",
    "HABBASH, Mr George",
    "Prof. Dr. George Habbash",
    "Monsieur George Habbash",
    "Herr Dipl.-Ing. George Habbash",
    "г-н George Habbash",
    "Lt. Col. George Habbash",
    "Don George Habbash",
    "George Habbash Jr.",
    "George Habbash, Ph.D.",
    "Sir George Habbash KCMG, OBE",
    "George Habbash III",
  ])("%s", (name) => {
    expect(screen(index, name)[0]).toMatchObject({ score: 1, of: { entry: { entry_id: "4" } } });
  });

  test.each([
    "M/V Ocean Quill",
    "MV OCEAN QUILL",
    "M.V. Ocean Quill",
    "M / T Ocean Quill",
    "Motor tanker Ocean Quill",
    "OCEAN QUILL M/V",
    "the M/V Ocean Quill",
    "RO-RO Ocean Quill",
    "n/m Ocean Quill",
    "tug boat Ocean Quill",
    "IRIS Ocean Quill",
    "т/х Ocean Quill",
  ])("%s", (name) => {
    expect(screen(index, name)[0]).toMatchObject({ score: 1, of: { entry: { entry_id: "20" } } });
  });

  test.each([
    "Zorbak Trading Sp. z o.o.",
    "ZORBAK TRADING SP ZOO",
    "Zorbak Trading spółka z ograniczoną odpowiedzialnością",
    "Zorbak Trading s. r. o.",
    "Zorbak Trading Gesellschaft mit beschränkter Haftung",
    "Zorbak Trading UG (haftungsbeschränkt)",
    "Zorbak Trading e. K.",
    "Zorbak Trading Ltd. Şti.",
    "Zorbak Trading Anonim Şirketi",
    "Zorbak Trading W.L.L.",
    "Zorbak Trading K.S.C.C.",
    "Zorbak Trading ش.م.ك",
    "SIA Zorbak Trading",
    "ООО Zorbak Trading",
    "Zorbak Trading Α.Ε.",
    "Zorbak Trading Sàrl",
    "Zorbak Trading Aktieselskab",
    "Zorbak Trading Aktiebolag (publ)",
    "Zorbak Trading Q.P.J.S.C.",
    "Zorbak Trading BSC (Closed)",
    "Zorbak Trading eingetragener Unternehmer",
    "P.P.H.U. Zorbak Trading",
    "Firma Zorbak Trading",
  ])("%s", (name) => {
    expect(screen(index, name)[0]).toMatchObject({ score: 1, of: { entry: { entry_id: "21" } } });
  });

  test("a form of address that is also a name counts as a name", () => {
    expect(found("Don Pedro")).not.toContain("12");
    expect(found("General Zorbak Petroleum")).not.toContain("21");
  });
});

describe("a name is found as one word and in other scripts", () => {
  test.each([
    ["first name first", "TaimurazDzambekovichMamsurov", "22"],
    ["last name first", "mamsurovtaimurazdzambekovich", "22"],
    ["Hangul", "김정남", "23"],
    ["Hangul apart, addressed", "김 정남 씨", "23"],
    ["the south's romanisation", "Kim Jeong-nam", "23"],
    ["Chinese", "赵庆伟", "24"],
    ["Greek", "Ευάγγελος Παπαδόπουλος", "25"],
    ["German", "Jürgen Müller", "26"],
    ["German without its letters", "Jurgen Muller", "26"],
    ["Arabic", "جلال الدين حقاني", "27"],
    ["Arabic as Persians type it, with a joiner", "جلال\u200cالدین حقانی", "27"],
    ["a Chinese syllable of one letter", "王鄂翔", "29"],
    ["a Chinese syllable like a legal form", "刘次辉", "30"],
    ["Arabic, servant of God apart", "امیر عبد الله", "31"],
    ["Arabic without a space between names", "نظر محمدعبد البصیر", "32"],
    ["Persian with its suffix apart", "حامد اسحاق آخوند زاده", "33"],
    ["a Pashto letter", "عمر ځدران", "35"],
    ["Latvian", "Žanna Ševčuka", "28"],
    ["Cyrillic with marks of direction", "\u202bЖанна\u200f Шевчук\u202c", "28"],
    ["letters of another alphabet among Latin ones", "Gеоrgе Наbbаsh", "4"],
  ])("%s", (_, name, entry_id) => {
    expect(found(name)).toContain(entry_id);
  });

  test("letters in another order are not a name", () => {
    expect(found("ahsbbabgeorgeh")).toEqual([]);
  });
});

describe("other names do not match it", () => {
  // Errors of another service: moov-io/watchman#483, #338, #115.
  test.each(["BELLETECH CORP", "emma daniels", "George Bush", "Emma Smith", "Stavros Papadimitriou"])(
    "%s",
    (name) => {
      expect(found(name)).toEqual([]);
    },
  );
});

describe("different names", () => {
  test.each([
    ["a known name of the same consonants is another one", "رغد صدام حسن", "34"],
    ["a written first letter is no other one", "آخوند جميل", "36"],
    ["a letter in the name of a ship or aircraft is not an initial", "Sanna Marchetti", "8"],
    ["short words joined have to be equal", "Ren Sato", "10"],
    ["a common name is not another one with an error in it", "Daniel Pere", "12"],
  ])("%s", (_, name, entry_id) => {
    expect(found(name)).not.toContain(entry_id);
  });

  test("a misspelt word matches if it is not another name", () => {
    expect(found("Danieal Perez")).toContain("12");
  });

  test("a name as listed scores 1, even if its words could be joined", () => {
    expect(screen(index, "Sazman-e Moghavemat")[0]).toMatchObject({ score: 1 });
  });
});

test("an initial matches a word that no whole word has matched", () => {
  const many = indexNames([{ list: "test", entries: [entry("1", "person", "AL-MASRI, Ahmad"), ...crowd] }]);
  expect(screen(many, "A. al-Masri")[0]!.words.map(({ given, listed }) => [given, listed])).toContainEqual([
    "A",
    "AHMAD",
  ]);
});

test("the matched words are listed", () => {
  const [hit] = screen(index, "Bogdn Ostroverkhof", 0.7);
  expect(hit!.words.map(({ given, listed }) => [given, listed])).toEqual([
    ["BOGDN", "BOGDAN"],
    ["OSTROVERKHOF", "OSTROVERKHOV"],
  ]);
});

test("for any query, scores are between the threshold and 1, fall, and name each entry once", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("a b c", "MOHAMMED ALI", "Q1X7 Q2X14 1 1 1", "-".repeat(900)),
      ),
      (name) => {
        const hits = screen(index, name, 0.7);
        const ids = hits.map(({ of }) => of.entry.entry_id);
        expect(new Set(ids).size).toBe(ids.length);
        hits.forEach(({ score }, at) => {
          expect(score).toBeGreaterThanOrEqual(0.7);
          expect(score).toBeLessThanOrEqual(hits[at - 1]?.score ?? 1);
        });
      },
    ),
    { numRuns: scaled(300, 10) },
  );
});

test("the order of words changes nothing", () => {
  const words = ["AYMAN", "MUHAMMAD", "AL", "ZAWAHIRI"];
  fc.assert(
    fc.property(fc.shuffledSubarray(words, { minLength: words.length }), (order) => {
      expect(screen(index, order.join(" "))[0]).toMatchObject({ score: 1, of: { entry: { entry_id: "1" } } });
    }),
  );
});
