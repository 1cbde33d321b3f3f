/** Countries and products that nothing is known about are refused by their field, before anything is priced. */
import { describe, expect, test } from "vitest";
import { paymentOf } from "../../src/api/declare/access/way.ts";
import { inputReader } from "../../src/api/declare/input.ts";
import { fieldsOf } from "../../src/api/operations/skills/callable.ts";
import { checkSlots, refuseUnanswered } from "../../src/api/operations/skills/start-execution.ts";
import { fieldsOfTrade } from "../../src/api/operations/trade/fields.ts";
import { Refusal } from "../../src/core/model/refusal.ts";
import { ReferenceStore } from "../../src/datasets/reference/store.ts";
import { refuseUntaken } from "../../src/domain/plans/check-inputs.ts";
import type { Plan } from "../../src/domain/plans/plan.ts";
import { skills } from "../../src/domain/skills/skills.ts";
import { customInput, customReading } from "../../src/projections/reports/answers/custom.ts";
import { catalogue } from "../support/catalogue.ts";

const countryFields = ["reporter", "reporters", "country", "partner", "region", "origin"];
const productFields = ["hs", "code", "hs2"];

/** The answer looks such a code up; an unknown one is refused where it is answered. */
const lookedUp = new Set(["customs_classifications"]);
/** Countries beyond the 27 are answered by what the 27 trade with them. */
const ofAnyCountry = new Set(["fusion_market_intel"]);

const cases = catalogue
  .filter((operation) => paymentOf(operation) !== undefined && !lookedUp.has(operation.name))
  .flatMap((operation) =>
    Object.keys(operation.input.shape)
      .filter((field) => [...countryFields, ...productFields].includes(field))
      .map((field) => [operation.name, field, operation] as const),
  );

/** The refused fields of an operation's example with another value in one field. */
function refusedBy(operation: (typeof cases)[number][2], field: string, value: string): string[] {
  const { example = {} } = operation;
  const isList = Array.isArray((example as Record<string, unknown>)[field]) || field === "reporters";
  const input = { ...(example as object), [field]: isList ? [value] : value };
  try {
    inputReader(operation.input).fromObject(input, {});
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.errors?.map(({ path, message }) => `${path}: ${message}`) ?? [];
  }
}

test("many priced operations take a country or a product", () => {
  expect(cases.length).toBeGreaterThan(30);
});

test.each(cases)("%s refuses an unknown %s, and names it", (_, field, operation) => {
  const value = countryFields.includes(field) ? "XX" : "0000";
  const refused = refusedBy(operation, field, value);
  expect(refused).not.toEqual([]);
  expect(refused.every((one) => one.startsWith(field) && one.length > field.length + 12)).toBe(true);
});

test.each(cases.filter(([name, field]) => /^reporters?$/.test(field) && !ofAnyCountry.has(name)))(
  "%s refuses the United States as %s: no reporter of the statistics",
  (_, field, operation) => {
    expect(refusedBy(operation, field, "US").join()).toContain(field);
  },
);

test("every priced operation that takes words shows how it reads them before they are paid", () => {
  const reading = catalogue.filter(
    (operation) =>
      paymentOf(operation) !== undefined &&
      Object.keys(operation.input.shape).some((field) => field === "question" || field === "task"),
  );
  expect(reading.length).toBeGreaterThan(5);
  expect(reading.filter(({ understood }) => understood === undefined).map(({ name }) => name)).toEqual([]);
});

const textOf = (error: unknown): string | undefined => {
  if (!(error instanceof Refusal)) throw error;
  return error.errors?.map(({ path, message }) => `${path}: ${message}`).join();
};

const refusalOf = (work: () => void): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return textOf(error);
  }
};

describe("a skill refuses a country that its steps do not take before it is paid", () => {
  const slots = { country: "US", hs: "44", chapter: "44", month: "2024-03" };
  test.each(["tracker", "oracle", "diplomat", "strategist"] as const)("%s", (name) => {
    const skill = skills.find((one) => one.name === name)!;
    const takesTwo = skill.slots.required.includes("partner");
    const given = { ...slots, ...(takesTwo && { partner: "CA" }) };
    const refused = refusalOf(() => checkSlots(skill, given));
    expect(refused).toMatch(new RegExp(`^task: ${name} cannot answer this for US: no such reporter`));
    expect(refusalOf(() => checkSlots(skill, { ...given, country: "LV" }))).toBeUndefined();
  });

  test.each([
    ["spider", { country: "EE", hs: "44" }, "takes no product: leave out 44"],
    ["spider", { country: "EE", partner: "LV" }, "takes one country: leave out LV"],
    ["tracker", { hs: "27", years: "2022" }, "answers for the last months: leave out 2022"],
    ["strategist", { country: "LV", hs: "44", flow: "EXPORT" }, "answers for imports alone: ask about them"],
    ["finansist", { years: "2025" }, "takes a month instead of years: name one"],
  ] as const)("%s refuses %j, which it would leave out", (name, given, why) => {
    const skill = skills.find((one) => one.name === name)!;
    expect(refusalOf(() => refuseUnanswered(skill, given))).toContain(`${name} ${why}`);
  });

  test("an optional step refuses nothing", () => {
    const plan: Plan = {
      name: "made",
      version: 1,
      summary: "A plan",
      keywords: { en: [], lv: [] },
      slots: { required: ["country"], optional: [] },
      steps: [
        { id: "alerts", operation: "trade_alerts", input: { reporter: "$slots.country" }, optional: true },
      ],
      example: "Example",
    };
    expect(refusalOf(() => refuseUntaken(plan, slots, fieldsOf, "task"))).toBeUndefined();
    const [step] = plan.steps;
    const { optional: _optional, ...required } = step!;
    const strict = { ...plan, steps: [required] };
    expect(refusalOf(() => refuseUntaken(strict, slots, fieldsOf, "task"))).toContain("US");
  });
});

describe("a report refuses a country that its steps do not take before it is paid", () => {
  const reference = new ReferenceStore({ data_dir: "", allow_synthetic: false });
  const data = { reference, vintages: { open: () => [] } as never, allow_synthetic: false };
  const checks = { fieldsOf: fieldsOfTrade, covers: async () => undefined };
  const refused = (question: string, more: object = {}) =>
    customReading(data, customInput.parse({ question, ...more }), checks).then(() => undefined, textOf);

  test("What was unusual in the United States?", async () => {
    const question = "What was unusual in the United States?";
    expect(await refused(question)).toMatch(/^question: \w+ cannot answer this for US: no such reporter/);
    expect(await refused(question, { reporters: ["LV"] })).toBeUndefined();
  });

  test.each([
    "Who are the largest partners of the United States?",
    "What does the United States import most?",
  ])("“%s” is not refused, since the 27 report their trade with it", async (question) =>
    expect(await refused(question)).toBeUndefined(),
  );

  test("a report with more steps than it may have is refused by its longest list", async () => {
    const products = Array.from({ length: 20 }, (_, n) => String(n + 30));
    const many = { reporters: ["LV", "EE", "LT", "DE", "FR", "PL"], products };
    expect(await refused("How dependent are they on imports?", many)).toMatch(
      /^products: .*name fewer products$/,
    );
  });
});
