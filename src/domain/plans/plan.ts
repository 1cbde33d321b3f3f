/** A plan: ordered steps, later ones reading earlier answers. Data, and never a caller's code. */
import type { z } from "zod";
import { isReporter } from "../trade/reporters.ts";
import type { Flow } from "../trade/units.ts";
import type { SlotName, Slots } from "./slots.ts";

/**
 * One step. `each` runs it once for each member of an earlier answer's list; its input reads that member as `$each`.
 */
export type Step = {
  id: string;
  /** An operation, or another name that `Ask` can call. */
  operation: string;
  /**
   * Constants; `$slots.country`, left out where the slot is empty; `$steps.top.data[0].product`; `$each.partner`; or
   * a list of these.
   */
  input: Readonly<Record<string, unknown>>;
  /** The step is skipped unless all of these hold. */
  when?: readonly StepCondition[];
  /** The step is skipped if any of these holds: another step of the plan replaces it. */
  unless?: readonly StepCondition[];
  each?: { of: string; most: number };
  /** A refusal, or a path without a value, does not fail the plan. */
  optional?: true;
};

/** A slot holds if it is filled; `non_reporter` if the country is none of the 27, whose statistics these are. */
export type StepCondition = SlotName | "non_reporter";

/** A sign in a question besides keywords: a slot that it fills, or the kind of answer that it wants. */
export type Signal =
  | "country"
  | "partner"
  | "product"
  | "flow"
  | "trade"
  | "who"
  | "what"
  | "amount"
  | "sellers"
  | "buyers";

/** Signals that together imply a plan, as strongly as `weight` keywords that no other plan has. */
export type Implication = { when: readonly (Signal | `!${Signal}`)[]; weight: number };

export type Plan = {
  name: string;
  version: number;
  summary: string;
  /** Stems of words that speak of it, in lower case without accents. */
  keywords: { en: readonly string[]; lv: readonly string[] };
  /** The weight of a keyword that states the topic by itself; default 1. */
  keyword_weight?: number;
  implied_by?: readonly Implication[];
  slots: { required: readonly SlotName[]; optional: readonly SlotName[] };
  /** The direction of trade that it always answers. */
  flow?: Flow;
  steps: readonly Step[];
  /** A question that it answers. */
  example: string;
};

const MOST_STEPS = 12;
const MOST_EACH = 5;

/** A step's request and answer: one of each, or several where the step has `each`. */
export type StepResult = { step: string; operation: string; input: Record<string, unknown>; answer: object };
export type SkippedStep = { step: string; operation: string; why: string };
export type PlanOutcome = { requests: StepResult[]; passed: SkippedStep[] };

/** Calls an operation for a step and returns its answer; throws its refusal. */
export type StepCall = (operation: string, input: Record<string, unknown>, step: string) => Promise<object>;

/** An operation's input: the schema of each field. */
export type Fields = Readonly<Record<string, z.ZodType>>;

/** The faults of a plan, in sentences; none for a good one. `fieldsOf` is undefined for an unknown operation. */
export function faultsOf(plan: Plan, fieldsOf: (operation: string) => Fields | undefined): string[] {
  const faults: string[] = [];
  const earlier = new Set<string>();
  const slots = new Set([...plan.slots.required, ...plan.slots.optional]);
  if (plan.steps.length > MOST_STEPS) faults.push(`has ${plan.steps.length} steps, ${MOST_STEPS} at most`);
  for (const { id, operation, input, when = [], unless = [], each } of plan.steps) {
    const fields = fieldsOf(operation);
    if (!fields) faults.push(`${id} calls ${operation}, which is not a read operation`);
    for (const [field, value] of Object.entries(input)) {
      const schema = fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (fields && !schema) faults.push(`${id} gives ${operation} a ${field}, which it does not take`);
      if (schema && ![value].flat().some(isPath) && !schema.safeParse(value).success)
        faults.push(`${id} gives ${operation} a ${field} that it refuses`);
      for (const one of [value].flat())
        faults.push(...pathFaults(id, one, { earlier, slots, hasEach: each !== undefined }));
    }
    if (each) {
      faults.push(...pathFaults(id, each.of, { earlier, slots, hasEach: false }));
      if (each.most > MOST_EACH) faults.push(`${id} runs ${each.most} times, ${MOST_EACH} at most`);
    }
    for (const condition of [...when, ...unless]) {
      const slot = condition === "non_reporter" ? "country" : condition;
      if (!slots.has(slot)) faults.push(`${id} waits for the slot ${slot}, which the plan lacks`);
    }
    if (earlier.has(id)) faults.push(`${id} occurs twice`);
    earlier.add(id);
  }
  return faults;
}

function pathFaults(
  id: string,
  value: unknown,
  { earlier, slots, hasEach }: { earlier: Set<string>; slots: Set<string>; hasEach: boolean },
): string[] {
  if (typeof value !== "string" || !value.startsWith("$")) return [];
  const [root, name] = partsOf(value) ?? [];
  if (root === "$slots" && slots.has(String(name))) return [];
  if (root === "$steps" && earlier.has(String(name))) return [];
  if (root === "$each" && hasEach) return [];
  return [`${id} reads ${value}, which no earlier step provides`];
}

/** The order of a plan's steps. `at_once`: each as soon as its inputs are answered, else one after the other. */
export type RunOptions = { at_once?: boolean };

/** Runs the steps; results are in the plan's order. A refusal of a step that is not optional ends the plan with it. */
export async function runPlan(
  plan: Plan,
  slots: Slots,
  ask: StepCall,
  isRefusal: (error: unknown) => error is Error,
  { at_once = false }: RunOptions = {},
): Promise<PlanOutcome> {
  const begun: { id: string; ran: Promise<PlanOutcome> }[] = [];
  for (const step of plan.steps) {
    const read = readsOf(step);
    const awaited = begun.filter((one) => !at_once || read.has(one.id));
    const earlier = Promise.all(awaited.map(({ ran }) => ran));
    const ran = earlier.then((all) => runStep(step, { slots, steps: answersOf(all) }, ask, isRefusal));
    begun.push({ id: step.id, ran });
  }
  // No step is still running when this ends, because the caller then releases the data.
  const ended = await Promise.allSettled(begun.map(({ ran }) => ran));
  const all = ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  return {
    requests: all.flatMap(({ requests: results }) => results),
    passed: all.flatMap(({ passed }) => passed),
  };
}

/** The steps whose answers a step reads. */
function readsOf({ input, each }: Step): Set<string> {
  const paths = [each?.of, ...Object.values(input).flat()].filter(isPath).map(partsOf);
  return new Set(paths.flatMap((parts) => (parts?.[0] === "$steps" ? [String(parts[1])] : [])));
}

const answersOf = (all: readonly PlanOutcome[]): Record<string, object> =>
  Object.fromEntries(
    all.flatMap(({ requests: results }) => results.map(({ step, answer }) => [step, answer])),
  );

/** Asks one step, or passes over it. */
async function runStep(
  step: Step,
  known: Pick<PathScope, "slots" | "steps">,
  ask: StepCall,
  isRefusal: (error: unknown) => error is Error,
): Promise<PlanOutcome> {
  const { id, operation, when = [], unless = [], each, optional } = step;
  const results: StepResult[] = [];
  const passed: SkippedStep[] = [];
  const pass = (why: string) => passed.push({ step: id, operation, why });
  const isFor = (condition: StepCondition) => holds(condition, known.slots);
  const missing = when.find((condition) => !isFor(condition));
  if (unless.some(isFor) || missing === "non_reporter") return { requests: results, passed };
  const members = each ? read(each.of, known) : [undefined];
  if (missing !== undefined) pass(`no ${missing} was named`);
  else if (!Array.isArray(members) || members.length === 0)
    pass("an earlier answer lists nothing that this could be requested for");
  else
    for (const [at, member] of members.slice(0, each?.most ?? 1).entries()) {
      const input = inputOf(step, { ...known, each: member });
      try {
        const name = each ? `${id}.${at}` : id;
        if (input === undefined) pass("an earlier answer lacks a value that this request needs");
        else results.push({ step: name, operation, input, answer: await ask(operation, input, name) });
      } catch (error) {
        if (!optional || !isRefusal(error)) throw error;
        pass(error.message);
      }
    }
  return { requests: results, passed };
}

/** The requests of a plan that its slots alone decide: of each step that must run and reads no earlier answer. */
export const requestsOf = (
  plan: Plan,
  slots: Slots,
): { operation: string; input: Record<string, unknown> }[] =>
  plan.steps
    .filter((step) => mustRun(step, slots) && step.each === undefined)
    .flatMap((step) => {
      const input = inputOf(step, { slots, steps: {} });
      return input === undefined ? [] : [{ operation: step.operation, input }];
    });

/** True for a step that runs with these slots, and whose refusal fails the plan. */
export const mustRun = ({ when = [], unless = [], optional }: Step, slots: Slots): boolean =>
  optional === undefined &&
  when.every((condition) => holds(condition, slots)) &&
  !unless.some((condition) => holds(condition, slots));

const holds = (condition: StepCondition, slots: Slots): boolean =>
  condition === "non_reporter"
    ? slots.country !== undefined && !isReporter(slots.country)
    : slots[condition] !== undefined;

type PathScope = { slots: Slots; steps: Record<string, object>; each?: unknown };

/** The step's input with its paths read: without those of empty slots; undefined where an answer lacks what it should have. */
function inputOf({ input }: Step, known: PathScope): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(input)) {
    const given = [value].flat().map((one) => (isPath(one) ? read(one, known) : one));
    const there = given.filter((one) => one !== undefined && one !== null);
    if (there.length > 0) values[field] = Array.isArray(value) ? there : there[0];
    else if (isPath(value) && !value.startsWith("$slots.")) return undefined;
  }
  return values;
}

const isPath = (value: unknown): value is string => typeof value === "string" && value.startsWith("$");

/** `$steps.top.data[0].product` in parts: the root, names and indices. undefined for what is not a path. */
function partsOf(path: string): (string | number)[] | undefined {
  if (!/^\$(slots|steps|each)((\.\w+)|(\[\d{1,3}\]))*$/.test(path)) return undefined;
  return [...path.matchAll(/\$?\w+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** The value at a path; inherited members are left out, so that no path leaves the answers. */
function read(path: string, { slots, steps, each }: PathScope): unknown {
  const [root, ...rest] = partsOf(path) ?? [];
  const roots: Record<string, unknown> = { $slots: slots, $steps: steps, $each: each };
  return rest.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, part)
        ? (value as Record<string | number, unknown>)[part]
        : undefined,
    roots[String(root)],
  );
}
