/** The same query on the same data has the same answer, so nested calls are cached. */
import { LRUCache } from "lru-cache";
import type { App } from "../../core/app.ts";
import { type Data, isFoundAgain, type LookUp } from "../../datasets/reading.ts";
import type { AnswerWithOrigin } from "../../domain/reports/fact.ts";

/** Stored as text, so that each caller gets a copy. */
type CachedAnswer = { text: string; origin: AnswerWithOrigin["origin"]; looks: readonly LookUp[] };

const MOST_CHARACTERS = 32 * 1024 * 1024;

type Memory = LRUCache<string, CachedAnswer>;

const memoryOf = ({ once }: Pick<App, "once">): Memory =>
  once(
    "serve: answers within answers",
    () =>
      new LRUCache({
        maxSize: MOST_CHARACTERS,
        sizeCalculation: ({ text }, name) => text.length + name.length,
      }),
  );

/** A cached answer whose data is unchanged. `seen`: the same data, as the caller watches it. */
export function cachedAnswer(
  app: Pick<App, "once">,
  question: string,
  { data, seen }: { data: Data; seen: Data },
): AnswerWithOrigin | undefined {
  const before = memoryOf(app).get(question);
  if (!before || !isFoundAgain(before.looks, data)) return undefined;
  isFoundAgain(before.looks, seen);
  return { answer: JSON.parse(before.text) as object, origin: before.origin };
}

export function storeAnswer(
  app: Pick<App, "once">,
  question: string,
  { answer, origin }: AnswerWithOrigin,
  looks: Iterable<LookUp>,
): void {
  memoryOf(app).set(question, { text: JSON.stringify(answer), origin, looks: [...looks] });
}
