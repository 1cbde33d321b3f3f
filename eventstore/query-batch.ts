/**
 * Queries of one tick, and those that arrive during running queries, travel together. A command mostly reads a row or none, so
 * the round trip is the cost.
 */
import type pg from "pg";

type PendingQuery<Question, Answer> = {
  question: Question;
  resolve: (answer: Answer | PromiseLike<Answer>) => void;
  reject: (error: unknown) => void;
};

/** Further queries are batched meanwhile. */
const MOST_QUERIES = 2;
const MOST_QUESTIONS = 100;

/** Results are in order; a slow one may be a promise. */
export type BatchQuery<Question, Answer> = (
  pool: pg.Pool,
  questions: readonly Question[],
) => Promise<readonly (Answer | PromiseLike<Answer>)[]>;

/** An error rejects the whole batch. */
export function batched<Question, Answer>(
  ask: BatchQuery<Question, Answer>,
): (pool: pg.Pool, question: Question) => Promise<Answer> {
  const lines = new WeakMap<pg.Pool, QueryQueue<Question, Answer>>();
  return (pool, question) => {
    const line = lines.get(pool) ?? new QueryQueue((questions: readonly Question[]) => ask(pool, questions));
    lines.set(pool, line);
    return line.answer(question);
  };
}

/** Equal simultaneous queries share one result. */
export const queriedOnce = <Question, Answer>(
  ask: (pool: pg.Pool, question: Question) => Promise<Answer>,
): ((pool: pg.Pool, question: Question) => Promise<Answer>) =>
  batched(async (pool, questions) => {
    const answers = new Map<string, Promise<Answer>>();
    const requests = questions.map((question) => {
      const name = JSON.stringify(question);
      const answer = answers.get(name) ?? ask(pool, question);
      answers.set(name, answer);
      return answer;
    });
    return Promise.all(requests);
  });

class QueryQueue<Question, Answer> {
  readonly #ask: (questions: readonly Question[]) => ReturnType<BatchQuery<Question, Answer>>;
  #queue: PendingQuery<Question, Answer>[] = [];
  #underWay = 0;
  #isDue = false;

  constructor(ask: (questions: readonly Question[]) => ReturnType<BatchQuery<Question, Answer>>) {
    this.#ask = ask;
  }

  answer(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ question, resolve, reject });
      this.#soon();
    });
  }

  /** One append answers many commands, which send their next query in the same tick. */
  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#next();
    });
  }

  #next(): void {
    while (this.#underWay < MOST_QUERIES && this.#queue.length > 0) {
      const taken = this.#queue.slice(0, MOST_QUESTIONS);
      this.#queue = this.#queue.slice(MOST_QUESTIONS);
      this.#underWay++;
      void this.#settle(taken).finally(() => {
        this.#underWay--;
        if (this.#queue.length > 0) this.#soon();
      });
    }
  }

  async #settle(taken: readonly PendingQuery<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#ask(taken.map(({ question }) => question));
      taken.forEach(({ resolve }, at) => {
        resolve(answers[at] as Answer);
      });
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
  }
}
