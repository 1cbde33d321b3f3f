/** Custom reports: the intent of one question over reporters, products and years, in one document. */
import { z } from "zod";
import { refuse } from "../../../core/model/refusal.ts";
import { intentFor } from "../../../domain/fusion/intent-for.ts";
import { intents } from "../../../domain/fusion/intents.ts";
import type { Plan } from "../../../domain/plans/plan.ts";
import type { SlotName, Slots } from "../../../domain/plans/slots.ts";
import type { Nomenclature } from "../../../domain/questions/read.ts";
import { isAnswerFact } from "../../../domain/reports/fact.ts";
import type { Section } from "../../../domain/reports/report.ts";
import { chapter, reportersField } from "../../../domain/trade/inputs.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { type CallOperation, type ReportContent, type ReportDraft, reportDraft } from "../writing.ts";
import { question, runPlanSections } from "./query.ts";

const MOST_STEPS = 100;
export const CUSTOM_MS = 60_000;

const twice = (codes: readonly unknown[]) => new Set(codes).size === codes.length;

export const customInput = z.object({
  question,
  reporters: reportersField.describe("1 to 27 reporter codes"),
  years: z
    .array(z.int("a year is a whole number such as 2024").min(1988).max(2099))
    .min(1, "name at least one year")
    .max(20, "years has at most 20 years")
    .refine(twice, "years has a year twice")
    .describe("1 to 20 calendar years; those between first and last are included"),
  products: z
    .array(chapter)
    .min(1, "name at least one chapter")
    .max(20, "products has at most 20 chapters")
    .refine(twice, "products has a chapter twice")
    .describe("1 to 20 HS chapters"),
});

/** Plans over trade alone: a report covers the last month of its trade data. */
const overTrade = intents.filter(({ slots }) =>
  [...slots.required, ...slots.optional].some((slot) => slot === "hs" || slot === "year"),
);

const noNames: Nomenclature = [];

/** Runs the question's intent for each reporter and product that its plan takes. */
export async function customReport(
  calls: CallOperation,
  input: z.output<typeof customInput>,
): Promise<ReportContent> {
  const { reporters, products } = input;
  const years = input.years.toSorted((a, b) => a - b);
  const [from, to] = [years[0]!, years.at(-1)!];
  const span: Slots = { years: from === to ? `${from}` : `${from}-${to}`, year: to };
  const any: Slots = { country: reporters[0]!, hs: products[0]!, ...span };
  // Its products are given, so that no names are looked up.
  const { plan, slots } = intentFor({ question: input.question, slots: any }, overTrade, noNames);
  const cases = casesOf(plan, input, { ...slots, ...span });
  const steps = cases.length * plan.steps.length;
  if (steps > MOST_STEPS) {
    const message = `${plan.name} needs ${steps} steps here, at most ${MOST_STEPS}: name fewer reporters or products`;
    refuse("invalid", message, {
      errors: [{ path: takesSlot(plan, "country") ? "reporters" : "products", message }],
    });
  }
  const report = reportDraft(calls);
  const sections: Section[] = [];
  for (const one of cases) {
    const told = await runPlanSections(report, plan, one);
    const whose = [
      ...(takesSlot(plan, "country") ? [partnerName(one.country!)] : []),
      ...(products.length > 1 ? nameOf(report, one.hs) : []),
    ].join(", ");
    const titled = (title: string) => (whose === "" ? title : `${whose}: ${title}`);
    sections.push(...told.sections.map((section) => ({ ...section, title: titled(section.title) })));
  }
  return report.finish({ title: "Custom report", question: input.question, of: report.first(), sections });
}

/** The name of a product in answers, unless it has a digit: a title has no numbers but facts. */
function nameOf({ ledger }: ReportDraft, hs: string | undefined): string[] {
  const found = ledger.facts.find(
    (fact) => isAnswerFact(fact) && fact.label === "name of the product" && fact.from.input.hs === hs,
  );
  const name = found && String(found.value);
  return hs === undefined || name === undefined || /\p{Nd}/u.test(name) ? [] : [name];
}

const takesSlot = ({ slots }: Plan, slot: SlotName) => [...slots.required, ...slots.optional].includes(slot);

/** Combines each reporter with each product, as far as the plan takes them; equal questions run once. */
function casesOf(plan: Plan, { reporters, products }: z.output<typeof customInput>, rest: Slots): Slots[] {
  const countries = takesSlot(plan, "country") ? reporters : [undefined];
  const codes = takesSlot(plan, "hs") ? products : [undefined];
  return codes.flatMap((hs) => countries.map((country) => ({ ...rest, country, hs })));
}
