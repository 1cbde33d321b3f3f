/** Leads and lags: one that was planted is found, and noise finds none beyond chance. */
import { describe, expect, test } from "vitest";
import {
  correlation,
  correlations,
  deseasonalisedChanges,
  leadsAndLags,
  MOST_LAG,
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
const monthly = (name: string, values: (number | null)[]) => ({ name, from: 1, values });

describe("leads and lags", () => {
  test("the second does three months later what the first did", () => {
    const walk = noise(77, 100);
    const found = leadsAndLags([monthly("first", walk.slice(3)), monthly("second", walk.slice(0, -3))])!;
    expect(found[0]).toMatchObject({ first: "first", second: "second", lag: 3 });
    expect(found[0]!.correlation).toBeGreaterThan(0.8);
  });

  test("of 100 pairs of noise at most one in ten reports any", () => {
    let reported = 0;
    for (let pair = 1; pair <= 100; pair++) {
      const found = leadsAndLags([
        monthly("a", noise(pair * 31, 72)),
        monthly("b", noise(pair * 31 + 7_000_003, 72)),
      ]);
      if (found!.length > 0) reported++;
    }
    expect(reported).toBeLessThanOrEqual(10);
  });

  test("a season that both have is no lead: it is taken out", () => {
    const season = Array.from({ length: 60 }, (_, at) => Math.exp(Math.sin((at * Math.PI) / 6)));
    for (const change of deseasonalisedChanges(monthly("a", season))) expect(change).toBeCloseTo(0, 9);
  });

  test("by hand: 1, 2, 3 against 2, 4, 6 one month on is 1; what does not move is 0", () => {
    expect(correlation([1, 2, 3, null], [9, 2, 4, 6], 1)).toBeCloseTo(1, 12);
    expect(correlation([1, 1, 1], [1, 2, 3], 0)).toBe(0);
  });

  test("of series without gaps, sums kept for all lags come to what each lag comes to by itself", () => {
    const [first, second] = [noise(11, 90), noise(12, 90)].map((values) => values.map(Math.log)) as [
      number[],
      number[],
    ];
    const at = (one: (number | null)[], other: (number | null)[]) =>
      correlations(preparedOf(one), preparedOf(other));
    const found = at(first, second);
    for (let lag = -MOST_LAG; lag <= MOST_LAG; lag++)
      expect(found[lag + MOST_LAG]).toBeCloseTo(correlation(first, second, lag), 10);
    const gap = second.map((value, at) => (at === 40 ? null : value));
    expect(at(first, gap)[MOST_LAG]).toBe(correlation(first, gap, 0));
    expect(at([1, 2], [2, 1])[0]).toBe(0);
  });

  test("below 48 known months, or with one series, there is no answer", () => {
    const short = monthly("short", [...noise(3, 47), null]);
    expect(leadsAndLags([short, monthly("long", noise(4, 60))])).toBeUndefined();
  });
});
