/** Below the suite's own limit, so that a timeout names what is missing. */
export const LIMIT_MS = 290_000;

/** The polling interval: short at first, then longer to spare the CPU. */
const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 50;

/** Polls until the result is not false and nothing is thrown; resolves with it. */
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

const DAY_MS = 86_400_000;

/** Resolves in a UTC day of which at least `ms` remain: scores, quotas and limits change with the day. */
export async function dayWith(ms: number): Promise<void> {
  const left_ms = DAY_MS - (Date.now() % DAY_MS);
  if (left_ms < ms) await pause(left_ms);
}

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));
