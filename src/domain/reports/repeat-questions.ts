/** Repeats the questions of a report at their vintages and compares the answers with its facts. */

import { digestOf } from "../../core/model/objects.ts";
import type { Fault } from "./check.ts";
import { isAnswerFact, type Origin, valueAt } from "./fact.ts";
import type { DetachedFacts } from "./report.ts";

/** An answer without its envelope, or the reason why there is none. */
export type RepeatedAnswer = { answer: { data?: unknown; meta?: unknown } } | { none: string };
export type RepeatQuestion = (
  question: Pick<Origin, "operation" | "input" | "vintage">,
) => Promise<RepeatedAnswer>;

/** Repeats each question once, and names each fact that its answer does not contain. `canonical` is RFC 8785. */
export async function repeatQuestions(
  { facts }: Pick<DetachedFacts, "facts">,
  canonical: (value: object) => string,
  ask: RepeatQuestion,
): Promise<{ questions: number; faults: Fault[] }> {
  const answers = new Map<string, RepeatedAnswer & { sha256?: string }>();
  const faults: Fault[] = [];
  for (const fact of facts) {
    if (!isAnswerFact(fact)) continue;
    const { operation, input, vintage, path, answer_sha256, dataset, synthetic } = fact.from;
    const is = (says: string) => faults.push({ at: fact.id, says });
    const name = canonical({ operation, input, vintage });
    let repeated = answers.get(name);
    if (!repeated) {
      repeated = await ask({ operation, input, vintage });
      if ("answer" in repeated) repeated.sha256 = digestOf(canonical(repeated.answer));
      answers.set(name, repeated);
    }
    if ("none" in repeated) {
      is(`cannot be proven by repeating its call: ${repeated.none}`);
      continue;
    }
    if (repeated.sha256 !== answer_sha256)
      is(`was drawn from an answer ${answer_sha256}, and the answer now is ${repeated.sha256}`);
    const value = valueAt(repeated.answer, path);
    if (value !== fact.value)
      is(
        `is ${fact.value}, and ${operation} has ${value === undefined ? "nothing" : JSON.stringify(value)} at ${path}`,
      );
    if (
      valueAt(repeated.answer, "/meta/dataset") !== dataset ||
      valueAt(repeated.answer, "/meta/synthetic") !== synthetic
    )
      is("is of another dataset than the fact says");
  }
  return { questions: answers.size, faults };
}
