/** Below the suite's own limit, so that what is missing is told and not only that time ran out. */
export const LIMIT_MS = 290_000;

/** Between two questions: less at first, for what is about to come, and more where asking would take the processor from it. */
const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 50;

/** Asks again and again until the answer is not false and nothing is thrown; resolves with it. */
export async function until<Answer>(ask: () => Answer | Promise<Answer>): Promise<Exclude<Answer, false>> {
  let last: unknown = new Error(`this has not come true: ${ask}`);
  const end = Date.now() + LIMIT_MS;
  for (let ms = FIRST_PAUSE_MS; Date.now() < end; ms = Math.min(LAST_PAUSE_MS, 1.3 * ms)) {
    try {
      const answer = await ask();
      if (answer !== false) return answer as Exclude<Answer, false>;
    } catch (error) {
      last = error;
    }
    await pause(ms);
  }
  throw last;
}

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));
