/** Repeats the questions of a report at their vintages and compares the answers with its facts. */

import { digestOf } from "../../core/model/objects.ts";
import type { Fault } from "./check.ts";
import { isAsked, type Origin, valueAt } from "./fact.ts";
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
    if (!isAsked(fact)) continue;
    const { operation, input, vintage, path, answer_sha256, dataset, synthetic } = fact.from;
    const is = (says: string) => faults.push({ at: fact.id, says });
    const name = canonical({ operation, input, vintage });
    let told = answers.get(name);
    if (!told) {
      told = await ask({ operation, input, vintage });
      if ("answer" in told) told.sha256 = digestOf(canonical(told.answer));
      answers.set(name, told);
    }
    if ("none" in told) {
      is(`is not provable by asking: ${told.none}`);
      continue;
    }
    if (told.sha256 !== answer_sha256)
      is(`was drawn from an answer ${answer_sha256}, and the answer now is ${told.sha256}`);
    const value = valueAt(told.answer, path);
    if (value !== fact.value)
      is(
        `is ${fact.value}, and ${operation} has ${value === undefined ? "nothing" : JSON.stringify(value)} at ${path}`,
      );
    if (
      valueAt(told.answer, "/meta/dataset") !== dataset ||
      valueAt(told.answer, "/meta/synthetic") !== synthetic
    )
      is("is of another dataset than it says");
  }
  return { questions: answers.size, faults };
}
