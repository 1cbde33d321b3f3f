/** Leads and lags: a planted one is found, and noise has none beyond chance. */
import { describe, expect, test } from "vitest";
import {
  correlations,
  deseasonalisedChanges,
  leadsAndLags as inTurns,
  type LeadLag,
  MOST_LAG,
  type Monthly,
  preparedOf,
} from "../../src/domain/fusion/lead-lag.ts";

function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const noise = (seed: number, length: number) => {
  const draw = numbers(seed);
  let level = 100;
  return Array.from({ length }, () => {
    level *= Math.exp(0.1 * (draw() + draw() + draw() - 1.5));
    return level;
  });
};
/** Also returns the number of pauses. */
async function leadsAndLags(given: readonly Monthly[], count = () => {}): Promise<LeadLag[] | undefined> {
  return inTurns(given, async () => count());
}
const monthly = (name: string, values: (number | null)[]) => ({ name, from: 1, values });

describe("leads and lags", () => {
  test("a second series that follows the first by three months is found", async () => {
    const walk = noise(77, 100);
    const found = (await leadsAndLags([
      monthly("first", walk.slice(3)),
      monthly("second", walk.slice(0, -3)),
    ]))!;
    expect(found[0]).toMatchObject({ first: "first", second: "second", lag: 3 });
    expect(found[0]!.correlation).toBeGreaterThan(0.8);
  });

  test("at most one in ten of 100 pairs of noise has a lead", async () => {
    let reported = 0;
    for (let pair = 1; pair <= 100; pair++) {
      const found = await leadsAndLags([
        monthly("a", noise(pair * 31, 72)),
        monthly("b", noise(pair * 31 + 7_000_003, 72)),
      ]);
      if (found!.length > 0) reported++;
    }
    expect(reported).toBeLessThanOrEqual(10);
  });

  test("a shared season is removed, and is not a lead", () => {
    const season = Array.from({ length: 60 }, (_, at) => Math.exp(Math.sin((at * Math.PI) / 6)));
    for (const change of deseasonalisedChanges(monthly("a", season))) expect(change).toBeCloseTo(0, 9);
  });

  /** Pearson's correlation of first[t] with second[t + lag], by the textbook formula. */
  function correlation(first: (number | null)[], second: (number | null)[], lag: number): number {
    const pairs = first.flatMap((x, t) => {
      const y = second[t + lag];
      return x === null || y === null || y === undefined ? [] : [[x, y] as const];
    });
    const mean = (of: number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
    const [mx, my] = [mean(pairs.map(([x]) => x)), mean(pairs.map(([, y]) => y))];
    const sum = (of: (x: number, y: number) => number) =>
      pairs.reduce((total, [x, y]) => total + of(x - mx, y - my), 0);
    const spread = Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y));
    return spread > 1e-12 ? sum((x, y) => x * y) / spread : 0;
  }
  const at = (first: (number | null)[], second: (number | null)[]) =>
    correlations(preparedOf(first), preparedOf(second));

  test("by hand: 1, 2, 3 against 2, 4, 6 one month later is 1; a constant series gives 0", () => {
    expect(at([1, 2, 3, null], [9, 2, 4, 6])[MOST_LAG + 1]).toBeCloseTo(1, 12);
    expect(at([1, 1, 1], [1, 2, 3])[MOST_LAG]).toBe(0);
    expect(at([1, 2], [2, 1])[0]).toBe(0);
  });

  test("shared sums for all lags equal those of each lag, with gaps and without", () => {
    const logs = (seed: number) => noise(seed, 90).map(Math.log);
    const gaps = (values: number[], ...months: number[]) =>
      values.map((value, at) => (months.includes(at) ? null : value));
    const [first, second] = [logs(11), logs(12)];
    for (const [one, other] of [
      [first, second],
      [first, gaps(second, 40)],
      [gaps(first, 0, 88), gaps(second, 41, 42)],
    ] as const) {
      const found = at([...one], [...other]);
      for (let lag = -MOST_LAG; lag <= MOST_LAG; lag++)
        expect(found[lag + MOST_LAG]).toBeCloseTo(correlation([...one], [...other], lag), 9);
    }
  });

  test("below 48 known months, or with one series, there is no answer", async () => {
    const short = monthly("short", [...noise(3, 47), null]);
    expect(await leadsAndLags([short, monthly("long", noise(4, 60))])).toBeUndefined();
  });

  test("other work proceeds during the search, with twenty pauses for each series after the first", async () => {
    let turns = 0;
    await leadsAndLags([monthly("a", noise(5, 60)), monthly("b", noise(6, 60))], () => void turns++);
    expect(turns).toBe(20);
  });
});
