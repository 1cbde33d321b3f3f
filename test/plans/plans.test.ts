/** Plans: the slots of a question, the plan that answers it, and the requests of a plan. */
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { searchable } from "../../src/domain/customs/search.ts";
import { matches } from "../../src/domain/plans/match.ts";
import { type Fields, faultsOf, type Plan, runPlan, type StepCall } from "../../src/domain/plans/plan.ts";
import { slotNames, slotsIn } from "../../src/domain/plans/slots.ts";
import { taskSlots } from "../../src/domain/skills/slots.ts";
import { unknownPartner } from "../../src/domain/trade/reporters.ts";
import { codePoint } from "../support/code-points.ts";

const products = [
  { code: "27", name: "Mineral fuels and oils" },
  { code: "44", name: "Wood and articles of wood" },
  { code: "47", name: "Wood pulp" },
  { code: "87", name: "Road vehicles" },
  { code: "4407", name: "Wood sawn lengthwise" },
].map(searchable);
const slots = (text: string) => slotsIn(text, products);

describe("the month of a task", () => {
  test.each([
    ["VAT of March 2025", "2025-03"],
    ["What did I spend in May 2025?", "2025-05"],
    ["Sept. 2024", "2024-09"],
    ["PVN par 2025. gada martu", "2025-03"],
    ["2025. gada maijā", "2025-05"],
    ["janvārī 2024", "2024-01"],
    ["2024. gada oktobrī", "2024-10"],
    ["Which settlements were marked 2025", undefined],
    ["What in 2025 may I deduct", undefined],
    ["VAT declared 2025", undefined],
    ["on the main 2025 ledger", undefined],
    ["spending on 2025 marketing", undefined],
  ])("%s", (task, month) => {
    expect(taskSlots(task, products).month).toBe(month);
  });
});

describe("slots", () => {
  test.each([
    [
      "How dependent is Latvia on imports of mineral fuels in 2024?",
      { country: "LV", hs: "27", year: 2024, years: "2024", flow: "IMPORT" },
    ],
    [
      "Vācijas eksports uz Franciju 2020-2023, HS 8703",
      { country: "DE", partner: "FR", hs: "8703", years: "2020-2023", flow: "EXPORT" },
    ],
    ["What does China sell to DE, and what does it buy?", { country: "DE", partner: "CN" }],
    ["Greece, chapter 44", { country: "GR", hs: "44" }],
    ["exports of sawn wood from Guinea-Bissau", { country: "GW", hs: "4407", flow: "EXPORT" }],
    ["HS 44 2024, DE 4403", { country: "DE", hs: "44", year: 2024, years: "2024" }],
    ["CN 4407 11 00 since 2019", { hs: "44071100", year: 2019, years: "2019" }],
    ["malt and barley, no country", {}],
    ["What is traded of wood?", { hs: "44" }],
    ["pulp of wood", { hs: "47" }],
    ["2024", { year: 2024, years: "2024" }],
    ["EL", { country: "GR" }],
    ["", {}],
  ])("%s", (text, expected) => {
    expect(slots(text)).toEqual(expected);
  });

  test("many words of a question are searched among many names", () => {
    // As many names as the combined nomenclature has, made of few words, so that nothing fits and everything nearly
    // does.
    const words = Array.from({ length: 300 }, (_, n) => `word${n}x`);
    const names = Array.from({ length: 9_000 }, (_, n) =>
      searchable({
        code: String(10_000_000 + n),
        name: Array.from({ length: 8 }, (_, at) => words[(n * (at + 3)) % 300]).join(" "),
      }),
    );
    const stranger = Array.from({ length: 330 }, (_, n) => `w${n}yz`).join(" ");
    for (let n = 0; n < 100; n++) expect(slotsIn(`${stranger} ${n}yz`, names)).toEqual({});
    expect(slotsIn(`${stranger} ${words[0]} ${words[7]}`, names).hs).toMatch(/^1000/);
  });

  test("for any question, each slot has the form that operations take, or is absent", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "$steps.top",
        "__proto__",
        "'; drop table",
        "../../etc",
        "Latvia",
        "LV",
        "HS 44",
        "20201",
        "99",
        "exports",
      ),
      fc.string({ unit: codePoint, maxLength: 20 }),
      fc.nat(99_999_999).map(String),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const found = slots(words.join(" "));
        expect(Object.keys(found).every((name) => (slotNames as readonly string[]).includes(name))).toBe(
          true,
        );
        for (const code of [found.country, found.partner])
          if (code !== undefined) expect([code.length, unknownPartner(code)]).toEqual([2, undefined]);
        if (found.hs !== undefined) expect(found.hs).toMatch(/^(?!00)\d{2}(\d{2}){0,3}$/);
        if (found.years !== undefined) expect(found.years).toMatch(/^\d{4}(-\d{4})?$/);
      }),
    );
  });
});

const plan = (change: Partial<Plan> = {}): Plan => ({
  name: "profile",
  version: 1,
  summary: "A country's profile",
  keywords: { en: ["profile", "country"], lv: ["valst"] },
  slots: { required: ["country"], optional: ["year"] },
  steps: [
    { id: "top", operation: "top", input: { reporter: "$slots.country", year: "$slots.year", limit: 2 } },
    { id: "one", operation: "detail", input: { hs: "$steps.top.data[0].product" } },
    {
      id: "all",
      operation: "detail",
      input: { hs: "$each.product" },
      each: { of: "$steps.top.data", most: 5 },
    },
  ],
  example: "A profile of Latvia",
  ...change,
});
const takes: Record<string, Fields> = {
  top: { reporter: z.string(), year: z.int().optional(), limit: z.int().max(50).optional() },
  detail: { hs: z.string() },
};
const fields = (operation: string) => (Object.hasOwn(takes, operation) ? takes[operation] : undefined);
class No extends Error {}
const isNo = (error: unknown): error is Error => error instanceof No;

describe("a plan", () => {
  test("runs in order, reads earlier answers, and leaves empty slots out", async () => {
    const ask: StepCall = async (operation) =>
      operation === "top" ? { data: [{ product: "27" }, { product: "44" }] } : { data: operation };
    const { asked, passed } = await runPlan(plan(), { country: "LV" }, ask, isNo);
    expect(asked.map(({ step, input }) => [step, input])).toEqual([
      ["top", { reporter: "LV", limit: 2 }],
      ["one", { hs: "27" }],
      ["all.0", { hs: "27" }],
      ["all.1", { hs: "44" }],
    ]);
    expect(passed).toEqual([]);
  });

  test("skips a step without its slot or path, or an optional one that is refused; any other refusal ends it", async () => {
    const steps: Plan["steps"] = [
      { id: "top", operation: "top", input: { reporter: "$slots.country" } },
      { id: "year", operation: "detail", input: { hs: "1" }, when: ["year"] },
      { id: "none", operation: "detail", input: { hs: "$steps.top.data[0].constructor.name" } },
      { id: "each", operation: "detail", input: { hs: "$each" }, each: { of: "$steps.top.data", most: 5 } },
      { id: "no", operation: "refused", input: {}, optional: true },
      { id: "list", operation: "several", input: { codes: ["$slots.country", "$slots.partner"] } },
    ];
    const ask: StepCall = async (operation) => {
      if (operation === "refused") throw new No("not today");
      return { data: [] };
    };
    const { asked, passed } = await runPlan(plan({ steps }), { country: "LV" }, ask, isNo);
    expect(asked.map(({ step, input }) => [step, input])).toEqual([
      ["top", { reporter: "LV" }],
      ["list", { codes: ["LV"] }],
    ]);
    expect(passed.map(({ step }) => step)).toEqual(["year", "none", "each", "no"]);
    const bold = plan({ steps: [{ id: "no", operation: "refused", input: {} }] });
    await expect(runPlan(bold, {}, ask, isNo)).rejects.toThrow("not today");
    const broken = plan({ steps: [{ id: "no", operation: "refused", input: {}, optional: true }] });
    await expect(runPlan(broken, {}, async () => Promise.reject(new Error("broken")), isNo)).rejects.toThrow(
      "broken",
    );
  });

  test("with at_once runs independent steps in parallel, and returns them in order", async () => {
    const steps: Plan["steps"] = [
      { id: "slow", operation: "slow", input: {} },
      { id: "no", operation: "refused", input: {}, optional: true },
      { id: "after", operation: "detail", input: { hs: "$steps.slow.data[0].product" } },
      { id: "none", operation: "detail", input: { hs: "$steps.no.data" } },
      { id: "quick", operation: "quick", input: {} },
    ];
    const begun: string[] = [];
    let release = () => {};
    const isReleased = new Promise<void>((done) => {
      release = done;
    });
    const ask: StepCall = async (operation, _, step) => {
      begun.push(step);
      if (operation === "refused") throw new No("not today");
      // The slow step is answered once the quick one was requested, which would deadlock if the steps were
      // sequential.
      if (operation === "quick") release();
      if (operation === "slow") await isReleased;
      return { data: [{ product: operation }] };
    };
    const at_once = await runPlan(plan({ steps }), {}, ask, isNo, { at_once: true });
    expect(begun).toEqual(["slow", "no", "quick", "after"]);
    expect(await runPlan(plan({ steps }), {}, ask, isNo)).toEqual(at_once);
    expect(begun.slice(4)).toEqual(["slow", "no", "after", "quick"]);
    expect(at_once.asked.map(({ step }) => step)).toEqual(["slow", "after", "quick"]);
    expect(at_once.passed.map(({ step }) => step)).toEqual(["no", "none"]);
  });

  test("with at_once ends with the refusal of the first required step, when none is running any more", async () => {
    const steps: Plan["steps"] = [
      { id: "first", operation: "first", input: {} },
      { id: "second", operation: "second", input: {} },
      { id: "after", operation: "after", input: { hs: "$steps.second.data" } },
      { id: "slow", operation: "slow", input: {}, optional: true },
    ];
    const begun: string[] = [];
    let ended = 0;
    const turns = { first: 2, second: 1, after: 1, slow: 5 };
    const ask: StepCall = async (operation, _, step) => {
      begun.push(step);
      for (let turn = 0; turn < turns[operation as keyof typeof turns]; turn++) await setImmediate();
      ended++;
      if (operation === "slow") return { data: [] };
      throw new No(`no ${operation}`);
    };
    const ran = runPlan(plan({ steps }), {}, ask, isNo, { at_once: true });
    await expect(ran).rejects.toThrow("no first");
    expect(begun).toEqual(["first", "second", "slow"]);
    expect(ended).toBe(3);
  });

  test("is checked: operations, fields, constants, paths that are read too early, bounds", () => {
    expect(faultsOf(plan(), fields)).toEqual([]);
    const first = plan().steps[0]!;
    const bad = (step: Partial<Plan["steps"][number]>) =>
      faultsOf(plan({ steps: [{ ...first, ...step }] }), fields);
    expect(bad({ operation: "gone" })[0]).toContain("no operation that reads");
    expect(bad({ input: { colour: "red" } })[0]).toContain("does not take");
    expect(bad({ input: { constructor: "red" } })[0]).toContain("does not take");
    expect(bad({ input: { reporter: "$slots.country", limit: 51 } })).toEqual([
      "top gives top a limit that it refuses",
    ]);
    expect(bad({ input: { reporter: "$steps.later.data" } })[0]).toContain("not there by then");
    expect(bad({ input: { reporter: "$slots.hs" } })[0]).toContain("not there by then");
    expect(bad({ input: { reporter: "$each.code" } })[0]).toContain("not there by then");
    expect(bad({ input: { reporter: "$slots.country; drop" } })[0]).toContain("not there by then");
    expect(bad({ each: { of: "$slots.country", most: 6 } })[0]).toContain("5 at most");
    expect(bad({ when: ["hs"] })[0]).toContain("has not");
    expect(faultsOf(plan({ steps: [first, first] }), fields)[0]).toContain("twice");
    expect(
      faultsOf(
        plan({ steps: Array.from({ length: 13 }, (_, at) => ({ ...first, id: `s${at}` })) }),
        fields,
      )[0],
    ).toContain("12 at most");
  });
});

describe("matching", () => {
  const market = plan({
    name: "market",
    keywords: { en: ["market", "product"], lv: ["tirg"] },
    slots: { required: ["hs"], optional: ["country"] },
  });

  test("the plan whose words occur goes first, in English and Latvian, with its missing slots", () => {
    const best = (question: string) => matches(question, slots(question), [plan(), market])[0]!;
    expect(best("The market of wood in Latvia")).toMatchObject({ plan: { name: "market" }, missing: [] });
    expect(best("Kāds ir Latvijas koksnes tirgus?")).toMatchObject({
      plan: { name: "market" },
      missing: ["hs"],
    });
    expect(best("Country profile of Latvia")).toMatchObject({ plan: { name: "profile" }, missing: [] });
    expect(best("What is love?").score).toBe(0);
  });

  test("slots alone match no plan: there is no question", () => {
    expect(
      matches("Latvia, HS 44, 2024", slots("Latvia, HS 44, 2024"), [plan(), market]).map(
        ({ score }) => score,
      ),
    ).toEqual([0, 0]);
  });
});
