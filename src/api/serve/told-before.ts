/** Answers that operations have given within others: the same question on the same data has the same answer, which need not be computed again. */
import { LRUCache } from "lru-cache";
import type { App } from "../../core/app.ts";
import { type Data, isFoundAgain, type Look } from "../../datasets/reading.ts";
import type { Told } from "../../domain/reports/fact.ts";

/** `text`: the answer as it is sent; each who is told it again has one of its own. */
type Before = { text: string; origin: Told["origin"]; looks: readonly Look[] };

const MOST_CHARACTERS = 32 * 1024 * 1024;

type Memory = LRUCache<string, Before>;

const memoryOf = ({ once }: Pick<App, "once">): Memory =>
  once(
    "serve: answers within answers",
    () =>
      new LRUCache({
        maxSize: MOST_CHARACTERS,
        sizeCalculation: ({ text }, name) => text.length + name.length,
      }),
  );

/** What was told of a question, where all that it rests on is in these data as it was. `seen`: the same data, watched by who asks. */
export function toldBefore(
  app: Pick<App, "once">,
  question: string,
  { data, seen }: { data: Data; seen: Data },
): Told | undefined {
  const before = memoryOf(app).get(question);
  if (!before || !isFoundAgain(before.looks, data)) return undefined;
  isFoundAgain(before.looks, seen);
  return { answer: JSON.parse(before.text) as object, origin: before.origin };
}

export function keepTold(
  app: Pick<App, "once">,
  question: string,
  { answer, origin }: Told,
  looks: Iterable<Look>,
): void {
  memoryOf(app).set(question, { text: JSON.stringify(answer), origin, looks: [...looks] });
}
