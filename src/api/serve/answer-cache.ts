/** Caches the answers of nested calls: the same query on the same data has the same answer. */
import { LRUCache } from "lru-cache";
import type { App } from "../../core/app.ts";
import { type Data, isFoundAgain, type LookUp } from "../../datasets/reading.ts";
import type { AnswerWithOrigin } from "../../domain/reports/fact.ts";

/** The answer is stored as text, so that each caller gets its own copy. */
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

/** A cached answer whose data has not changed. `seen`: the same data, wrapped to note what the caller reads. */
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
