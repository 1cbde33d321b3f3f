/** Custom reports: the intent of one question over reporters, products and years, in one document. */
import { z } from "zod";
import { refuseWith } from "../../../core/model/refusal.ts";
import type { Data } from "../../../datasets/reading.ts";
import { type ChosenIntent, intentFor } from "../../../domain/fusion/intent-for.ts";
import { intents } from "../../../domain/fusion/intents.ts";
import type { Plan } from "../../../domain/plans/plan.ts";
import type { SlotName, Slots } from "../../../domain/plans/slots.ts";
import { matches } from "../../../domain/questions/match.ts";
import type { Nomenclature } from "../../../domain/questions/read.ts";
import { type ReadingSummary, summaryOf } from "../../../domain/questions/summary.ts";
import { citing } from "../../../domain/reports/cited-text.ts";
import { type AnswerWithOrigin, isAnswerFact } from "../../../domain/reports/fact.ts";
import type { Section } from "../../../domain/reports/report.ts";
import { chapter, reportersField } from "../../../domain/trade/inputs.ts";
import { ownName } from "../../../domain/trade/product-names.ts";
import { partnerName } from "../../../domain/trade/reporters.ts";
import { lastYearOf } from "../../trade/answers/question.ts";
import { type CallOperation, type ReportContent, type ReportDraft, reportDraft } from "../writing.ts";
import { productNames, question, refuseSlots, runPlanSections, type StepChecks } from "./query.ts";

const MOST_STEPS = 100;
export const CUSTOM_MS = 60_000;

const twice = (codes: readonly unknown[]) => new Set(codes).size === codes.length;

export const customInput = z.object({
  question,
  reporters: reportersField
    .optional()
    .describe("1 to 27 reporter codes; omitted = the question's country, else the 27 together"),
  years: z
    .array(z.int("a year is a whole number such as 2024").min(1988).max(2099))
    .min(1, "name at least one year")
    .max(20, "years has at most 20 years")
    .refine(twice, "years has a year twice")
    .optional()
    .describe(
      "1 to 20 calendar years; a series also has the years between; omitted = those of the question, else of the data",
    ),
  products: z
    .array(chapter)
    .min(1, "name at least one chapter")
    .max(20, "products has at most 20 chapters")
    .refine(twice, "products has a chapter twice")
    .optional()
    .describe("1 to 20 HS chapters; omitted = the question's product"),
});

type CustomInput = z.output<typeof customInput>;

/** Plans over trade alone: a report covers the last month of its trade data. */
const overTrade = intents.filter(({ slots }) =>
  [...slots.required, ...slots.optional].some((slot) => slot === "hs" || slot === "year"),
);

/** The slots that a list of the input fills; a plan follows the list if it takes one of them. */
const slotsOfList = {
  reporters: ["country"],
  years: ["years", "year"],
  products: ["hs"],
} as const satisfies Partial<Record<keyof CustomInput, readonly SlotName[]>>;
const listNames = Object.keys(slotsOfList) as (keyof typeof slotsOfList)[];

const fields = { country: "reporters", hs: "products", years: "years", year: "years" } as const;

const noNames: Nomenclature = [];

/** The plan that answers the question and follows every list; refuses by the list that no fitting plan takes. */
function chosenFor(data: Data, input: CustomInput): ChosenIntent {
  const { question, reporters, products } = input;
  const given: Slots = {
    ...(reporters && { country: reporters[0] }),
    ...(products && { hs: products[0], chapter: products[0] }),
    ...spanOf(input.years),
  };
  // The report rests on the table of names only where it looks one up.
  const nomenclature = products ? noNames : productNames(data.reference);
  const chosen = intentFor({ question, slots: given, fields }, overTrade, nomenclature, lastYearOf(data));
  const untakenOf = (plan: Plan) =>
    listNames.filter(
      (name) => input[name] !== undefined && !slotsOfList[name].some((slot) => takesSlot(plan, slot)),
    );
  const [untaken] = untakenOf(chosen.plan);
  if (untaken === undefined) return chosen;
  const following = overTrade.filter((plan) => untakenOf(plan).length === 0);
  const [other] = matches(chosen.understood?.text ?? "", chosen.slots, following).filter(
    ({ score, missing }) => score > 0 && missing.length === 0,
  );
  if (other) return { ...chosen, plan: other.plan };
  return refuseWith(
    untaken,
    `${chosen.plan.name} takes no ${untaken}: leave ${untaken} out, or phrase the question as in “${following[0]?.example}”`,
  );
}

const spanOf = (years: readonly number[] | undefined): Slots => {
  if (!years) return {};
  const [from, to] = [Math.min(...years), Math.max(...years)];
  return { years: from === to ? `${from}` : `${from}-${to}`, year: to };
};

/** How the question and its lists are read; refuses what the report would refuse after payment. */
export async function customReading(
  data: Data,
  input: CustomInput,
  checks: StepChecks,
): Promise<ReadingSummary | undefined> {
  const { plan, slots, understood, unused } = chosenFor(data, input);
  for (const one of casesOf(plan, input, slots)) await refuseSlots(plan, one, checks, "question");
  return understood && { ...summaryOf(understood, unused), intent: plan.name };
}

/** Runs the question's intent for each reporter, product and year that its plan takes. */
export async function customReport(
  calls: CallOperation,
  data: Data,
  input: CustomInput,
): Promise<ReportContent> {
  const { plan, slots } = chosenFor(data, input);
  const cases = casesOf(plan, input, slots);
  const report = reportDraft(calls);
  const sections: Section[] = [];
  for (const one of cases) {
    const ran = await runPlanSections(report, plan, one);
    const whose = [
      ...(input.reporters && takesSlot(plan, "country") ? [partnerName(one.country!)] : []),
      ...((input.products?.length ?? 0) > 1 ? nameOf(report, one.hs) : []),
    ].join(", ");
    const titled = (title: string) => (whose === "" ? title : `${whose}: ${title}`);
    const written = ran.sections.map((section) => ({ ...section, title: titled(section.title) }));
    sections.push(...(isByYear(plan, input) ? ofYear(report, ran.answers, written) : written));
  }
  return report.finish({ title: "Custom report", question: input.question, of: report.first(), sections });
}

/** Sections that begin with their year: a title has no numbers. */
function ofYear(report: ReportDraft, answers: readonly AnswerWithOrigin[], sections: Section[]): Section[] {
  const sourced = answers.find(({ answer }) => typeof (answer as YearAnswer).meta?.year === "number");
  const [first, ...rest] = sections;
  if (!sourced || !first) return sections;
  const year = report.at(sourced, "/meta/year", "year that is reported", "year");
  return [{ ...first, findings: [report.finding(citing`This is of ${year}.`), ...first.findings] }, ...rest];
}
type YearAnswer = { meta?: { year?: unknown } };

/** The name of a product in answers, unless it has a digit: a title has no numbers but facts. */
function nameOf({ ledger }: ReportDraft, hs: string | undefined): string[] {
  const found = ledger.facts.find(
    (fact) => isAnswerFact(fact) && fact.label === "name of the product" && fact.from.input.hs === hs,
  );
  const name = found ? String(found.value) : (ownName(hs ?? "") ?? undefined);
  return hs === undefined || name === undefined || /\p{Nd}/u.test(name) ? [] : [name];
}

const takesSlot = ({ slots }: Plan, slot: SlotName) => [...slots.required, ...slots.optional].includes(slot);

/** A plan of one year runs once for each. */
const isByYear = (plan: Plan, { years = [] }: CustomInput) =>
  years.length > 1 && takesSlot(plan, "year") && !takesSlot(plan, "years");

/** Combines the reporters, products and years, as far as the plan takes them; refuses more than one report may run. */
function casesOf(plan: Plan, input: CustomInput, rest: Slots): Slots[] {
  const countries = takesSlot(plan, "country") ? (input.reporters ?? [rest.country]) : [undefined];
  const codes = takesSlot(plan, "hs") ? (input.products ?? [rest.hs]) : [undefined];
  const years = isByYear(plan, input) ? input.years!.toSorted((a, b) => a - b) : [rest.year];
  const steps = codes.length * countries.length * years.length * plan.steps.length;
  if (steps > MOST_STEPS) refuseTooManySteps(plan, input, steps);
  return codes.flatMap((hs) =>
    countries.flatMap((country) =>
      years.map((year) => ({ ...rest, country, hs, year, ...(input.products && { chapter: hs }) })),
    ),
  );
}

function refuseTooManySteps(plan: Plan, input: CustomInput, steps: number): never {
  const longest = listNames
    .filter((name) => slotsOfList[name].some((slot) => takesSlot(plan, slot)))
    .toSorted((a, b) => (input[b]?.length ?? 0) - (input[a]?.length ?? 0))[0]!;
  return refuseWith(
    longest,
    `${plan.name} needs ${steps} steps, and a report runs at most ${MOST_STEPS}: name fewer ${longest}`,
  );
}
