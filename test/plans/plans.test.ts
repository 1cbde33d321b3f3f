/** Plans: what a question names, which plan answers it, and what a plan asks. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Fields, faultsOf, type Plan, runPlan, type StepCall } from "../../src/domain/plans/plan.ts";
import { matches } from "../../src/domain/questions/match.ts";
import { readQuestion, slotsOf } from "../../src/domain/questions/read.ts";

const nomenclature = [
  { code: "27", name: "Mineral fuels and oils" },
  { code: "44", name: "Wood and articles of wood" },
];
const slots = (text: string) => slotsOf(readQuestion(text, { nomenclature }));

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
  test("runs its steps in order, reads earlier answers, and leaves empty slots out", async () => {
    const ask: StepCall = async (operation) =>
      operation === "top" ? { data: [{ product: "27" }, { product: "44" }] } : { data: operation };
    const { requests, passed } = await runPlan(plan(), { country: "LV" }, ask, isNo);
    expect(requests.map(({ step, input }) => [step, input])).toEqual([
      ["top", { reporter: "LV", limit: 2 }],
      ["one", { hs: "27" }],
      ["all.0", { hs: "27" }],
      ["all.1", { hs: "44" }],
    ]);
    expect(passed).toEqual([]);
  });

  test("skips a step without its slot or value, and a refused optional one; any other error ends it", async () => {
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
    const { requests, passed } = await runPlan(plan({ steps }), { country: "LV" }, ask, isNo);
    expect(requests.map(({ step, input }) => [step, input])).toEqual([
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

  test("runs independent steps concurrently, and lists the answers in the order of the plan", async () => {
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
      // The slow one is answered once the quick one was asked, which it never is where each waits for the one before.
      if (operation === "quick") release();
      if (operation === "slow") await isReleased;
      return { data: [{ product: operation }] };
    };
    const at_once = await runPlan(plan({ steps }), {}, ask, isNo, { at_once: true });
    expect(begun).toEqual(["slow", "no", "quick", "after"]);
    expect(await runPlan(plan({ steps }), {}, ask, isNo)).toEqual(at_once);
    expect(begun.slice(4)).toEqual(["slow", "no", "after", "quick"]);
    expect(at_once.requests.map(({ step }) => step)).toEqual(["slow", "after", "quick"]);
    expect(at_once.passed.map(({ step }) => step)).toEqual(["no", "none"]);
  });

  test("with concurrent steps ends with the refusal of the first required step, once no step is running", async () => {
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

  test("is checked for its operations, fields, constants, bounds, and paths that are read too early", () => {
    expect(faultsOf(plan(), fields)).toEqual([]);
    const first = plan().steps[0]!;
    const bad = (step: Partial<Plan["steps"][number]>) =>
      faultsOf(plan({ steps: [{ ...first, ...step }] }), fields);
    expect(bad({ operation: "gone" })[0]).toContain("not a read operation");
    expect(bad({ input: { colour: "red" } })[0]).toContain("does not take");
    expect(bad({ input: { constructor: "red" } })[0]).toContain("does not take");
    expect(bad({ input: { reporter: "$slots.country", limit: 51 } })).toEqual([
      "top gives top a limit that it refuses",
    ]);
    expect(bad({ input: { reporter: "$steps.later.data" } })[0]).toContain("no earlier step provides");
    expect(bad({ input: { reporter: "$slots.hs" } })[0]).toContain("no earlier step provides");
    expect(bad({ input: { reporter: "$each.code" } })[0]).toContain("no earlier step provides");
    expect(bad({ input: { reporter: "$slots.country; drop" } })[0]).toContain("no earlier step provides");
    expect(bad({ each: { of: "$slots.country", most: 6 } })[0]).toContain("5 at most");
    expect(bad({ when: ["hs"] })[0]).toContain("the plan lacks");
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

  test("the plan with the matching words comes first, in English and Latvian, and names missing slots", () => {
    const best = (question: string) => matches(question, slots(question), [plan(), market])[0]!;
    expect(best("The market of wood in Latvia")).toMatchObject({ plan: { name: "market" }, missing: [] });
    expect(best("Kāds ir Latvijas koksnes tirgus?")).toMatchObject({ plan: { name: "market" }, missing: [] });
    expect(best("How does the market grow?")).toMatchObject({ plan: { name: "market" }, missing: ["hs"] });
    expect(best("Country profile of Latvia")).toMatchObject({ plan: { name: "profile" }, missing: [] });
    expect(best("What is love?").score).toBe(0);
  });

  test("slots alone fit no plan, because they request nothing", () => {
    expect(
      matches("Latvia, HS 44, 2024", slots("Latvia, HS 44, 2024"), [plan(), market]).map(
        ({ score }) => score,
      ),
    ).toEqual([0, 0]);
  });
});
