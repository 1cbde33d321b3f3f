/** Operations asked from within another, as its own caller and uncharged: all on one state of the data, and each answer named. */
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { type Data, held, watched } from "../datasets/reading.ts";
import type { Told } from "../domain/reports/fact.ts";
import { handled, sha256, withRestsOn } from "./call.ts";
import type { Marked } from "./forms/table.ts";
import type { Context } from "./operation.ts";

/** An answer as HTTP gives it, without its envelope, and what it is cited by. */
export type AnswerTold = Told & { answer: { data: unknown; meta: Marked["meta"] & { rests_on: string } } };

export type Asking = {
  /** Refuses what the operation refuses. */
  ask(operation: string, input: Record<string, unknown>): Promise<AnswerTold>;
  /** What all answers so far rest on. */
  restsOn(): string;
};

/** RFC 8785. */
export const canonical = (value: object): string => canonicalText(value as JsonObject, "value");

/** Runs `work` on data that stay as they are until it is done. */
export async function asking<T>(context: Context<never>, work: (asking: Asking) => Promise<T>): Promise<T> {
  const { app } = context;
  const { data, release } = held({ vintages: app.vintages, reference: app.reference });
  const all = watched(data);
  try {
    return await work({ ask: (name, input) => asked(context, all.data, name, input), restsOn: all.restsOn });
  } finally {
    release();
  }
}

async function asked(
  context: Context<never>,
  data: Data,
  name: string,
  input: Record<string, unknown>,
): Promise<AnswerTold> {
  const operation = context.catalogue.operations.find((one) => one.name === name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  const reading = watched(data);
  const { answer } = await handled(operation, {
    ...context,
    input: operation.input.parse(input) as never,
    app: { ...context.app, ...reading.data },
  });
  const rests_on = reading.restsOn();
  // As it is sent: what JSON leaves out is no part of it.
  const told = JSON.parse(JSON.stringify(withRestsOn(answer as Marked, rests_on))) as AnswerTold["answer"];
  const { dataset, synthetic } = told.meta;
  return {
    answer: told,
    origin: {
      operation: name,
      input,
      answer_sha256: sha256(canonical(told)),
      dataset,
      vintage: rests_on,
      synthetic,
    },
  };
}
