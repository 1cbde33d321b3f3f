/**
 * Calls operations inside another operation: in the caller's name, free of charge, on one state of the data. Each
 * answer can be cited.
 */
import { canonicalText } from "../../../eventstore/canonical.ts";
import type { JsonObject } from "../../../eventstore/types.ts";
import { QueryTimeout } from "../../core/model/refusal.ts";
import { type Data, pinned, watched } from "../../datasets/reading.ts";
import type { AnswerWithOrigin } from "../../domain/reports/fact.ts";
import type { SourcedAnswer } from "../declare/forms/table.ts";
import { inputReader } from "../declare/input.ts";
import { type Context, restsOnDataAlone } from "../declare/operation.ts";
import { effectOf } from "../declare/operation-facts.ts";
import { handled, withRestsOn } from "./answer.ts";
import { cachedAnswer, storeAnswer } from "./answer-cache.ts";
import { sha256 } from "./call.ts";

/** The answer that a caller would get over HTTP, without the envelope, and with its citation. */
export type CitedAnswer = AnswerWithOrigin & {
  answer: { data: unknown; meta: SourcedAnswer["meta"] & { rests_on: string } };
};

export type NestedCalls = {
  ask(operation: string, input: Record<string, unknown>): Promise<CitedAnswer>;
  restsOn(): string;
  data: Data;
};

export type TimeLimits = { step_ms?: number; whole_ms?: number };

export const canonical = (value: object): string => canonicalText(value as JsonObject, "value");

export async function withNestedCalls<T>(
  called: Context<never>,
  work: (withNestedCalls: NestedCalls) => Promise<T>,
  { step_ms, whole_ms }: TimeLimits = {},
): Promise<T> {
  // Read once, because each read of `signal` adds a listener.
  const context = { ...called };
  const { data, release } = pinned(context.data);
  const all = watched(data);
  const after = (ms: number | undefined) => (ms === undefined ? [] : [AbortSignal.timeout(ms)]);
  const whole = after(whole_ms);
  const ask: NestedCalls["ask"] = async (name, input) => {
    const limits = [...after(step_ms), ...whole];
    const signal = AbortSignal.any([context.signal, ...limits]);
    try {
      const answer = await callOperation({ ...context, signal }, { data, seen: all.data }, name, input);
      signal.throwIfAborted();
      return answer;
    } catch (error) {
      if (context.signal.aborted || !limits.some(({ aborted }) => aborted)) throw error;
      throw new QueryTimeout(name);
    }
  };
  try {
    return await work({ ask, restsOn: all.restsOn, data: all.data });
  } finally {
    release();
  }
}

export const STEP_MS = 10_000;

async function callOperation(
  context: Context<never>,
  { data, seen }: { data: Data; seen: Data },
  name: string,
  input: Record<string, unknown>,
): Promise<CitedAnswer> {
  const operation = context.catalogue.operations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  const valid = inputReader(operation.input).fromObject(input, {}) as never;
  const isKept = restsOnDataAlone(operation) && effectOf(operation).changes === "nothing";
  const question = `${name} ${JSON.stringify(input)}`;
  const before = isKept ? cachedAnswer(context.app, question, { data, seen }) : undefined;
  if (before) return before as CitedAnswer;
  const reading = watched(seen);
  const answer = await handled(operation, {
    ...context,
    input: valid,
    data: reading.data,
  });
  const rests_on = reading.restsOn();
  // Removes the members that JSON omits, so that the object equals the answer over HTTP.
  const sent = JSON.parse(
    JSON.stringify(withRestsOn(answer as SourcedAnswer, rests_on)),
  ) as CitedAnswer["answer"];
  const { dataset, synthetic } = sent.meta;
  const made = {
    answer: sent,
    origin: {
      operation: name,
      input,
      answer_sha256: sha256(canonical(sent)),
      dataset,
      vintage: rests_on,
      synthetic,
    },
  };
  if (isKept) storeAnswer(context.app, question, made, reading.looks.values());
  return made;
}
