/**
 * Questions over several sources: `query` finds the plan that answers, runs its steps, and reports their answers as
 * facts.
 */
import { z } from "zod";
import { QueryTimeout, Refusal, refuseWith } from "../../../core/model/refusal.ts";
import type { Data } from "../../../datasets/reading.ts";
import { type CnProduct, cnNomenclature } from "../../../datasets/reference/cn-nomenclature.ts";
import type { ReferenceStore } from "../../../datasets/reference/store.ts";
import { perVintage } from "../../../datasets/reference/table.ts";
import { intentFor } from "../../../domain/fusion/intent-for.ts";
import { intents } from "../../../domain/fusion/intents.ts";
import { refuseUntaken } from "../../../domain/plans/check-inputs.ts";
import { type Fields, type Plan, type RunOptions, requestsOf, runPlan } from "../../../domain/plans/plan.ts";
import { type SlotName, type Slots, slotNames } from "../../../domain/plans/slots.ts";
import { type Nomenclature, readQuestion } from "../../../domain/questions/read.ts";
import { type ReadingSummary, summaryOf } from "../../../domain/questions/summary.ts";
import { origin } from "../../../domain/reports/fact.ts";
import { report, type Section } from "../../../domain/reports/report.ts";
import { flow, hs, partner, year, years } from "../../../domain/trade/inputs.ts";
import { ownNames } from "../../../domain/trade/product-names.ts";
import { lastYearOf, type Meta, meta } from "../../trade/answers/question.ts";
import { type CallOperation, type OperationAnswers, type ReportDraft, reportDraft } from "../writing.ts";
import { writeSection } from "./section-writers.ts";

const intentNames = intents.map(({ name }) => name) as [string, ...string[]];

export const question = z
  .string("question is text of 3 to 500 characters")
  .trim()
  .min(3, "question has at least 3 characters")
  .max(500, "question has at most 500 characters")
  .describe("A question in English or Latvian: words of an intent, a country, a product, years");

/** The subjects of a question as separate fields. */
const slotFields = {
  country: partner.optional().describe("The question's country, by its 2-letter code"),
  partner: partner.optional(),
  hs: hs.optional().describe("The product: an HS or CN code"),
  year: year.optional().describe("Calendar year"),
  years: years.optional(),
  flow: flow.optional(),
};

export const queryInput = z.object({
  question: question.optional(),
  intent: z
    .enum(intentNames, `intent is one of ${intentNames.join(", ")}`)
    .optional()
    .describe("An intent of fusion/intents, with or in place of `question`"),
  ...slotFields,
});

const { facts, methods, limits, sections } = report.shape;

export const queryOutput = z.object({
  data: z.object({
    intent: z.string(),
    version: z.int(),
    question: z.string().nullable(),
    slots: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .describe("The subjects that the service read in the question"),
    text: z.string().describe("The findings, one per line; figures cite their facts"),
    sections,
    facts,
    methods,
    limits,
    steps: z
      .array(origin.omit({ path: true }).extend({ step: z.string() }))
      .describe("The requests behind it, each with the vintage and digest of its answer"),
    passed: z.array(z.object({ step: z.string(), operation: z.string(), why: z.string() })),
  }),
  meta: z.object({
    dataset: z.string(),
    vintage: z.string(),
    synthetic: z.boolean().describe("true: at least one step used synthetic figures"),
    source: z.string(),
    real_data: meta.shape.real_data,
  }),
});

/** Answers the question by the plan that fits; every figure is a fact. */
export async function query(
  calls: CallOperation,
  data: Data,
  input: z.output<typeof queryInput>,
): Promise<z.infer<typeof queryOutput>> {
  const { question, intent } = input;
  if (question === undefined && intent === undefined) {
    const message = "send a question or an intent";
    refuseWith("question", message);
  }
  const chosen = intentFor(
    { question, intent, slots: namedSlots(input) },
    intents,
    productNames(data.reference),
    lastYearOf(data),
  );
  const written = reportDraft(calls);
  const ran = await runPlanSections(written, chosen.plan, chosen.slots, {
    field: intent === undefined ? "question" : "intent",
  });
  const { sources, ...parts } = written.parts(ran.sections);
  const [main] = ran.steps;
  const real_data = ran.answers.map(realDataOf).find((found) => found !== undefined);
  return {
    data: {
      intent: chosen.plan.name,
      version: chosen.plan.version,
      question: question ?? null,
      slots: chosen.slots as Record<string, string | number>,
      text: parts.sections.flatMap(({ findings }) => findings.map(({ text }) => text)).join("\n"),
      ...parts,
      steps: ran.steps,
      passed: ran.passed,
    },
    meta: {
      dataset: main?.dataset ?? "none",
      vintage: main?.vintage ?? "none",
      synthetic: ran.steps.some(({ synthetic }) => synthetic),
      source: sources.map(({ text }) => text).join("; "),
      ...(real_data && { real_data }),
    },
  };
}

/** Looks a step's operation up: its fields, and whether the data cover an input of it. */
export type StepChecks = {
  fieldsOf: (operation: string) => Fields | undefined;
  covers: (operation: string, input: Record<string, unknown>) => Promise<void>;
};

/** Refuses slots that a step of the plan does not take or the data do not cover, as the steps would; reads no figure. */
export async function refuseSlots(
  plan: Plan,
  slots: Slots,
  { fieldsOf, covers }: StepChecks,
  field: Field,
): Promise<void> {
  refuseUntaken(plan, slots, fieldsOf, field);
  for (const { operation, input } of requestsOf(plan, slots))
    await covers(operation, input).catch((error: unknown) => refusedOf(plan, field, error));
}

/** How fusion_query reads its question; refuses what it would refuse after payment. */
export async function queryReading(
  data: Data,
  input: z.output<typeof queryInput>,
  checks: StepChecks,
): Promise<ReadingSummary | undefined> {
  const { question, intent } = input;
  const { plan, slots, understood, unused } = intentFor(
    { question, intent, slots: namedSlots(input) },
    intents,
    productNames(data.reference),
    lastYearOf(data),
  );
  await refuseSlots(plan, slots, checks, intent === undefined ? "question" : "intent");
  return understood && { ...summaryOf(understood, unused), intent: plan.name };
}

/** Reads a question or task; `plans` are the intents among which it chooses. */
export const readingOf = (
  reference: ReferenceStore,
  question: string,
  plans: readonly Plan[] = [],
): ReadingSummary => summaryOf(readQuestion(question, { nomenclature: productNames(reference), plans }));

const namedSlots = (input: { [name in SlotName]?: unknown }): Slots =>
  Object.fromEntries(slotNames.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));

type PlanResult = Awaited<ReturnType<CallOperation>>;

/** The real datasets that a step left to the sandbox. */
const realDataOf = ({ answer }: PlanResult) => (answer as { meta: Partial<Meta> }).meta.real_data;

/**
 * Options of a plan's run: `begins` is called before each step; `noted` with its answer, before dependent steps run.
 */
export type PlanRun = RunOptions & {
  field?: Field;
  teller?: (writing: ReportDraft, operation: string, sourced: object) => Section[];
  begins?: (step: string) => void;
  noted?: (step: string, result: PlanResult) => Promise<void>;
};
type Field = "question" | "intent" | "task";

/** Runs a plan and reports each answer; a step's refusal becomes one of the field that needed the step. */
export async function runPlanSections(
  written: ReportDraft,
  plan: Plan,
  slots: Slots,
  { field = "question", teller = writeSection, begins, noted, ...course }: PlanRun = {},
) {
  const resultsByAnswer = new Map<object, PlanResult>();
  const sections: Section[] = [];
  const ran = await runPlan(
    plan,
    slots,
    async (operation, input, step) => {
      begins?.(step);
      const one = await written.request(operation as keyof OperationAnswers, input);
      resultsByAnswer.set(one.answer, one);
      await noted?.(step, one);
      return one.answer;
    },
    // A step that was only slow runs again with the whole: the same question has the same answer.
    (error): error is Refusal => error instanceof Refusal && !(error instanceof QueryTimeout),
    course,
  ).catch((error: unknown) => refusedOf(plan, field, error));
  // In the plan's order, whichever answer came first.
  const results = ran.requests.map(({ answer }) => resultsByAnswer.get(answer)!);
  for (const one of results) written.addSource(one);
  const steps = ran.requests.map(({ step, operation }, at) => {
    sections.push(...teller(written, operation, results[at]!));
    return { step, ...results[at]!.origin };
  });
  return { sections, steps, answers: results, passed: ran.passed };
}

function refusedOf(plan: Plan, field: Field, error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== "invalid") throw error;
  const why = error.errors?.map(({ message }) => message).join("; ") ?? error.message;
  const message = `${plan.name} cannot answer this: ${why}`;
  return refuseWith(field, message);
}

const ownProductNames: Nomenclature = Object.entries(ownNames).map(([code, name]) => ({ code, name }));
const productNamesOf = perVintage(
  (rows: readonly CnProduct[]): Nomenclature => [...ownProductNames, ...rows],
);

/** The names that a question may call products by. */
export function productNames(reference: ReferenceStore): Nomenclature {
  const table = reference.find(cnNomenclature);
  return table ? productNamesOf(table) : ownProductNames;
}
