/** Below the suite's own limit, so that what is missing is told and not only that time ran out. */
export const LIMIT_MS = 110_000;

/** Asks again and again until the answer is not false and nothing is thrown; resolves with it. */
export async function until<Answer>(ask: () => Answer | Promise<Answer>): Promise<Exclude<Answer, false>> {
  let last: unknown = new Error(`this has not come true: ${ask}`);
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await pause()) {
    try {
      const answer = await ask();
      if (answer !== false) return answer as Exclude<Answer, false>;
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

const pause = () => new Promise((wake) => setTimeout(wake, 10));
