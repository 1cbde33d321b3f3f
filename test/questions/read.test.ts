/** The reader of questions: what it finds in a table of questions, and what holds for any text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Refusal } from "../../src/core/model/refusal.ts";
import { intentFor } from "../../src/domain/fusion/intent-for.ts";
import { intents } from "../../src/domain/fusion/intents.ts";
import type { Plan } from "../../src/domain/plans/plan.ts";
import { slotNames } from "../../src/domain/plans/slots.ts";
import { readQuestion, slotsOf } from "../../src/domain/questions/read.ts";
import { isOneAway, spellingOf } from "../../src/domain/questions/spelling.ts";
import { refuseTwoPlans, refuseUnclear } from "../../src/domain/questions/unclear.ts";
import { latvianStem } from "../../src/domain/questions/words.ts";
import { ownNames } from "../../src/domain/trade/product-names.ts";
import { unknownPartner } from "../../src/domain/trade/reporters.ts";
import { codePoint } from "../support/code-points.ts";
import questions from "./questions.json" with { type: "json" };

/** The chapters, as without an imported nomenclature, and a few names of the Combined Nomenclature. */
const nomenclature = [
  ...Object.entries(ownNames).map(([code, name]) => ({ code, name })),
  { code: "0305", name: "Fish, dried, salted or in brine; smoked fish" },
  { code: "030541", name: "Smoked Pacific salmon, incl. fillets" },
  { code: "6109", name: "T-shirts, singlets and other vests, knitted or crocheted" },
  { code: "610910", name: "T-shirts, singlets and other vests of cotton, knitted or crocheted" },
  { code: "610990", name: "T-shirts of textile materials (excl. cotton)" },
  { code: "8505", name: "Electromagnets (excl. magnets for medical use); permanent magnets" },
  { code: "9209", name: "Parts, e.g. mechanisms for musical boxes, metronomes and pitch pipes" },
  { code: "4818", name: "Other articles of paper of a large single value, most of them main tops" },
];
const read = (text: string) => readQuestion(text, { nomenclature, plans: intents });

function found(text: string) {
  const { product, country, partner, flow, years, month, intent } = read(text);
  const all = { hs: product?.code, country, partner, flow, years, month, intent: intent?.name };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

describe("a question", () => {
  test.each(questions as [string, Record<string, string>][])("is read: %s", (text, expected) => {
    const { intent, ...rest } = found(text);
    expect(rest).toEqual(Object.fromEntries(Object.entries(expected).filter(([name]) => name !== "intent")));
    if (expected.intent !== undefined) expect(intent).toBe(expected.intent);
  });
});

describe("the month of a task", () => {
  test.each([
    ["VAT of March 2025", "2025-03"],
    ["What did I spend in May 2025?", "2025-05"],
    ["Sept. 2024", "2024-09"],
    ["PVN par 2025. gada martu", "2025-03"],
    ["2025. gada maijā", "2025-05"],
    ["janvārī 2024", "2024-01"],
    ["2024. gada oktobrī", "2024-10"],
    ["settlements of 2024-07", "2024-07"],
    ["Which settlements were marked 2025", undefined],
    ["What in 2025 may I deduct", undefined],
    ["VAT declared 2025", undefined],
    ["on the main 2025 ledger", undefined],
    ["spending on 2025 marketing", undefined],
  ])("is read from: %s", (task, month) => {
    expect(read(task).month).toBe(month);
  });
});

describe("false friends", () => {
  test.each([
    "What is the most valuable thing of all?",
    "the main trade of a single large country",
    "other top values on the whole",
    "Put it in a table for me, on a yearly scale",
    "Who won the match?",
    "Should I book a room?",
    "watch this country",
  ])("%s names no product", (text) => {
    expect(read(text).product).toBeUndefined();
  });

  test.each([
    "Who won the football match between Spain and Germany?",
    "Write me a poem about autumn",
    "Who is the prime minister of Finland?",
    "Hello!",
    "Sveiki, kā iet?",
  ])("%s requests nothing here", (text) => {
    expect(read(text).intent).toBeUndefined();
  });
});

describe("unknown and ambiguous words", () => {
  test.each([
    ["How much vibranium does Wakanda export?", ["vibranium", "Wakanda"]],
    ["Trade between Spain and Narnia", ["Narnia"]],
    ["Portugal's imports of unobtainium in 2022", ["unobtainium"]],
    ["Cik daudz mitrila importē Latvija?", ["mitrila"]],
    ["Who keeps Polish stoves burning if the mines of Silesia close?", []],
    ["exports of wood from Latvia", []],
  ])("are found in: %s", (text, names) => {
    expect(read(text).not_found).toEqual(names);
  });

  test("words with two meanings, and two products, are reported with both meanings", () => {
    const codesOf = (text: string) =>
      read(text).ambiguous.map(({ readings }) => readings.map(({ code }) => code));
    expect(codesOf("clothes exports of Italy")).toEqual([["61", "62"]]);
    expect(codesOf("exports of chemicals from Belgium")).toEqual([["28", "29"]]);
    expect(codesOf("imports of coffee and cheese to Latvia")).toEqual([["0901", "0406"]]);
    expect(codesOf("beef exports of Ireland")).toEqual([]);
  });

  test("a name of two countries has both readings, and a full name has one", () => {
    const codesOf = (text: string) =>
      read(text).ambiguous.map(({ slot, readings }) => [slot, ...readings.map(({ code }) => code)]);
    expect(codesOf("Imports of copper from Congo to Belgium")).toEqual([["country", "CD", "CG"]]);
    expect(codesOf("Congolese exports of copper to Belgium")).toEqual([["country", "CD", "CG"]]);
    for (const [name, code] of [
      ["the Democratic Republic of the Congo", "CD"],
      ["DR Congo", "CD"],
      ["the Republic of the Congo", "CG"],
      ["the British Virgin Islands", "VG"],
    ] as const) {
      expect(read(`Imports of copper from ${name} to Belgium`)).toMatchObject({
        partner: code,
        ambiguous: [],
      });
    }
  });

  test("a question with two likely meanings is refused as ambiguous and names both; a given slot is not interpreted", () => {
    const both = { product: true, country: true };
    const refusalOf = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        return error as Refusal;
      }
      return undefined;
    };
    const clothes = read("clothes exports of Italy");
    const product = refusalOf(() => refuseUnclear(clothes, both, "question"));
    expect(product?.type).toMatchObject({ slug: "ambiguous", status: 400 });
    expect(product?.errors).toMatchObject([{ path: "question", message: expect.stringMatching(/61 .*62 /) }]);
    expect(refusalOf(() => refuseUnclear(clothes, { ...both, product: false }, "question"))).toBeUndefined();
    const congo = read("Imports of copper from Congo to Belgium");
    expect(refusalOf(() => refuseUnclear(congo, both, "task"))?.message).toMatch(/CD \(Congo.*CG \(Congo/);
    const unknown = refusalOf(() => refuseUnclear(read("Trade between Spain and Narnia"), both, "question"));
    expect(unknown?.type).toMatchObject({ slug: "invalid", status: 400 });
    expect(unknown?.message).toContain("Narnia");
  });

  test("two intents that fit equally are refused and named; one that fits better is taken", () => {
    const [a, b] = intents as [Plan, Plan];
    const match = (plan: Plan, score: number) => ({ plan, score, keywords: [], missing: [] });
    const near = () => refuseTwoPlans([match(a, 1), match(b, 0.995)], "question");
    expect(near).toThrow(`${a.name} (“${a.example}”) or ${b.name} (“${b.example}”)`);
    expect(() => refuseTwoPlans([match(a, 1), match(b, 0.97)], "question")).not.toThrow();
    expect(() => refuseTwoPlans([match(a, 0), match(b, 0)], "question")).not.toThrow();
    const ties = (questions as [string, object][]).filter(([text]) => {
      const { intent } = read(text);
      return intent && (intent.rivals[0]?.score ?? 0) >= 0.99 * intent.score;
    });
    expect(ties).toEqual([]);
  });

  test("a product that only the nomenclature names is found by its head", () => {
    expect(read("imports of permanent magnets to Germany").product).toMatchObject({ code: "8505" });
    expect(read("imports of metronomes to Germany").product?.code).toBe("9209");
  });
});

describe("an intent is refused before payment", () => {
  const answerTo = (question: string) => () =>
    intentFor({ question, slots: {} }, intents, nomenclature, 2024);
  test.each([
    ["What did Slovak workers earn in 2015?", /wages .* says nothing about the years 2015/],
    ["What was the ECB interest rate in March 2022?", /economy .* says nothing about the month 2022-03/],
    [
      "Profile of Spain, 2018 to 2022",
      /profile .* says nothing about the years 2018-2022: ask about one year/,
    ],
    ["Who were Austria's partners in May 2023?", /partners .* says nothing about the month 2023-05/],
    [
      "Was there anything unusual in Finnish imports in 2019?",
      /unusual .* says nothing about the years 2019/,
    ],
    ["Hourly wages in Bulgaria's steel mills", /wages .* says nothing about the product HS 72/],
    ["Does Germany export more cars than France?", /several countries: Germany, France;/],
    ["What is the average wage of welders in Poland?", /asks for the pay of one occupation/],
    ["How much does a litre of milk cost in Riga?", /asks for a price in a shop/],
    ["Will prices of butter in Ireland rise?", /asks for a forecast/],
    ["What duty applies to bicycles from China?", /asks for a duty/],
    ["Who supplies Atlantis with olive oil?", /unknown: “Atlantis”/],
    ["Who sells rock music to Estonia?", /asks for services/],
    ["Imports and season of Latvia", /market needs hs/],
  ])("%s", (question, refusal) => expect(answerTo(question)).toThrow(refusal));

  test("a year that the intent takes and a product that names the economy's oil are no reason", () => {
    expect(answerTo("Country profile of Spain 2021")().slots.year).toBe(2021);
    expect(answerTo("Inflation and the price of oil")().plan.name).toBe("economy");
    expect(answerTo("Top 5 imports of Malta in 2023")().plan.name).toBe("products");
  });
});

test.each([
  ["If Ukraine stops exporting sunflower oil, what happens to Spain?", "ES", "UA", "IMPORT"],
  ["Who could replace China as supplier of magnets to Sweden?", "SE", "CN", "IMPORT"],
  ["DE-CN 8542 import", "DE", "CN", "IMPORT"],
  ["gas NO DE", "DE", "NO", undefined],
  ["How large a slice of Swedish paper exports lands in Germany?", "SE", "DE", "EXPORT"],
  ["growth of Hungarian gas imports", "HU", undefined, "IMPORT"],
  ["Who gets most of Malta's exports?", "MT", undefined, "EXPORT"],
  ["Imports of ship bells in Greece", "GR", undefined, "IMPORT"],
])("the direction of “%s”", (text, country, partner, flow) => {
  const { country: of, partner: other, flow: way } = read(text);
  expect([of, other, way]).toEqual([country, partner, flow]);
});

test("an open range of years ends where the data end, and is left out without that", () => {
  const understood = read("Wood exports of Latvia since 2019");
  expect(slotsOf(understood, 2025).years).toBe("2019-2025");
  expect(slotsOf(understood).years).toBeUndefined();
  expect(slotsOf(read("Wood exports of Latvia until 2019")).years).toBe("1988-2019");
});

test("each value names its words in the question", () => {
  expect(read("Dutch imports of cut flowers from Kenya in 2020").used).toEqual([
    { words: "cut flowers", as: "product" },
    { words: "Dutch", as: "country" },
    { words: "Kenya", as: "partner" },
    { words: "2020", as: "years" },
  ]);
});

test("Latvian words have one stem in all their cases", () => {
  for (const forms of [
    "zivs zivis zivju zivīm",
    "piens piena pienu pienam",
    "koks koka kokam kokiem koku",
    "tērauds tērauda tēraudu",
  ]) {
    const stems = forms
      .split(" ")
      .map((form) => latvianStem(form.normalize("NFD").replaceAll(/\p{M}/gu, "")));
    expect(new Set(stems).size).toBe(1);
  }
});

test("one letter added, left out, changed or swapped is found, and two are not", () => {
  const spelling = spellingOf(["cheese", "poland"]);
  for (const typo of ["chese", "cheesee", "cheeze", "chesee"]) expect(spelling(typo)).toEqual(["cheese"]);
  expect(spelling("polnad")).toEqual(["poland"]);
  expect(spelling("chsse")).toEqual([]);
  expect(isOneAway("abcd", "abdc")).toBe(true);
  expect(isOneAway("abcd", "badc")).toBe(false);
});

describe("any text", () => {
  const word = fc.oneof(
    fc.constantFrom(
      "$steps.top",
      "__proto__",
      "constructor",
      "'; drop table",
      "../../etc",
      "Latvia",
      "LV",
      "HS 44",
      "20201",
      "99",
    ),
    fc.constantFrom(
      "exports",
      "of",
      "to",
      "from",
      "Dutch",
      "wood",
      "and",
      "since",
      "2019",
      "who",
      "uz",
      "Vāciju",
      "turkey",
      "-",
    ),
    fc.string({ unit: codePoint, maxLength: 20 }),
    fc.nat(99_999_999).map(String),
  );

  test("is read without a fault, and each slot is absent or in a form that operations take", () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const slots = slotsOf(read(words.join(" ")), 2025);
        expect(Object.keys(slots).every((name) => (slotNames as readonly string[]).includes(name))).toBe(
          true,
        );
        for (const code of [slots.country, slots.partner])
          if (code !== undefined) expect([code.length, unknownPartner(code)]).toEqual([2, undefined]);
        if (slots.hs !== undefined) expect(slots.hs).toMatch(/^(?!00)\d{2}(\d{2}){0,3}$/);
        if (slots.years !== undefined) expect(slots.years).toMatch(/^\d{4}(-\d{4})?$/);
        if (slots.month !== undefined) expect(slots.month).toMatch(/^\d{4}-\d{2}$/);
      }),
    );
  });

  const words = Array.from(
    { length: 300 },
    (_, n) => `word${String.fromCharCode(97 + (n % 26), 97 + (n % 25), 97 + (n % 24))}x`,
  );
  const many = Array.from({ length: 9_000 }, (_, n) => ({
    code: String(10_000_000 + n),
    name: Array.from({ length: 8 }, (_, at) => words[(n * (at + 3)) % 300]).join(" "),
  }));

  test.each([
    ["words that nobody knows", Array.from({ length: 2_000 }, (_, n) => `wqx${n.toString(36)}`).join(" ")],
    ["words of every name", words.join(" ").repeat(5)],
    ["one word", "a".repeat(10_000)],
    ["one product", "wood ".repeat(2_000)],
    ["generic words", "parts of other articles ".repeat(400)],
    ["countries", "Germany's ".repeat(1_000)],
    ["digits", "4407 ".repeat(2_000)],
    ["breaks", ",;:.!?()\n/".repeat(1_000)],
  ])("of 10,000 characters is bounded: %s", (_, text) => {
    readQuestion("warm", { nomenclature: many, plans: intents });
    const from = performance.now();
    readQuestion(text, { nomenclature: many, plans: intents });
    // Some ten milliseconds; the rest is for a slow machine.
    expect(performance.now() - from).toBeLessThan(2_000);
  });
});
