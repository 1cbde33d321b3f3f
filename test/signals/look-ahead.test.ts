/** No strategy sees what comes after it bets, and none beats the line where there is nothing to see. */
import { describe, expect, test } from "vitest";
import { betsOn, openingAt } from "../../src/domain/signals/openings.ts";
import { nextIndex, outcomeAt, periodAt, type Series, seriesAsOf } from "../../src/domain/signals/series.ts";
import { lineAt, type Strategy, strategies } from "../../src/domain/signals/strategies.ts";
import { scaled } from "../support/scale.ts";
import { monthly, numbers } from "./series.ts";

const MONTHS = 84;

/** Growth that comes in waves, a season, and noise: something for every strategy to bet on. */
function lively(seed: number): Series {
  const next = numbers(seed);
  const values = Array.from({ length: MONTHS }, (_, at) =>
    Math.exp(Math.sin(at / 9) + Math.cos((at * Math.PI) / 6) / 2 + next()),
  );
  const mirror = values.map((value) => value * Math.exp(next() - 0.5));
  const series = monthly(values, { mirror });
  return { ...series, policies: new Set(values.map((_, at) => periodAt(series, at))) };
}

/** Everything from a month on replaced; of the mirror, what comes after it: partners have delivered the month itself. */
function poisoned(series: Series, at: number, seed: number): Series {
  const next = numbers(seed);
  const noise = (values: readonly (number | null)[], from: number) =>
    values.map((value, place) => (place < from ? value : 1_000 * next()));
  return { ...series, values: noise(series.values, at), mirror: noise(series.mirror ?? [], at + 1) };
}

/** The bets by which a series with another future differs from its own past. */
function differing(strategy: Strategy, seeds: readonly number[]): { bets: number; differ: number } {
  let [bets, differ] = [0, 0];
  for (const seed of seeds) {
    const series = lively(seed);
    for (let at = 0; at < MONTHS; at++) {
      const opened = JSON.stringify(openingAt(strategy, series, at));
      if (opened !== undefined) bets++;
      if (opened !== JSON.stringify(openingAt(strategy, poisoned(series, at, seed + 1_000), at))) differ++;
    }
  }
  return { bets, differ };
}

describe("changed future values", () => {
  const seeds = Array.from({ length: 10 }, (_, seed) => seed);

  test.each(strategies.map((strategy) => [strategy.name, strategy] as const))(
    "leave every bet of %s identical to the byte",
    (_, strategy) => {
      const { bets, differ } = differing(strategy, seeds);
      expect(bets).toBeGreaterThan(10);
      expect(differ).toBe(0);
    },
  );

  test("are absent from a series as of an earlier month, and change no bet on its next month", () => {
    let bets = 0;
    for (const seed of seeds)
      for (let earlier = 1; earlier <= 24; earlier++) {
        const delivered = lively(seed);
        // Its partners have delivered a month more.
        const late = { ...delivered, values: delivered.values.slice(0, -1) };
        const was = seriesAsOf(late, earlier);
        const at = nextIndex(was);
        expect([was.values.length, was.mirror?.length]).toEqual([MONTHS - 1 - earlier, MONTHS - earlier]);
        const other = seriesAsOf(poisoned(late, at, seed + 1_000), earlier);
        expect(other).toEqual(was);
        for (const strategy of strategies) {
          const opened = openingAt(strategy, was, at);
          expect(opened).toEqual(openingAt(strategy, late, at));
          if (opened) bets++;
        }
      }
    expect(bets).toBeGreaterThan(100);
  });

  test("expose a strategy that reads one future month", () => {
    const leaky: Strategy = {
      ...strategies.find(({ name }) => name === "momentum")!,
      feature: ({ values }, at) => (at < 15 ? undefined : Math.log(values[at]! / values[at - 12]!)),
    };
    const { bets, differ } = differing(leaky, seeds.slice(0, 3));
    expect(bets).toBeGreaterThan(50);
    expect(differ).toBeGreaterThan(50);
  });
});

/** Each month exceeds its year before with exactly the line's probability: nothing beyond the line can be learnt. */
function fair(seed: number): Series {
  const next = numbers(seed);
  const series = monthly(Array.from({ length: 12 }, () => 50 + 100 * next()));
  const values = [...series.values] as number[];
  for (let at = 12; at < MONTHS; at++) {
    const isUp = next() < lineAt({ ...series, values }, at);
    values.push(values[at - 12]! * (isUp ? 1 + next() / 10 : 1 / (1 + next() / 10)));
  }
  const mirror = values.map(() => 50 + 100 * next());
  const every = new Set(values.map((_, at) => periodAt(series, at)));
  return { ...series, values, mirror, policies: every };
}

const SEEDS = scaled(100, 100);

describe(`on noise of ${SEEDS} seeds`, () => {
  const all = Array.from({ length: SEEDS }, (_, seed) => fair(seed));

  test.each(strategies.map((strategy) => [strategy.name, strategy] as const))(
    "%s wins no more than chance gives, and its chances are no better than the line's",
    (_, strategy) => {
      const gains: number[] = [];
      const scores: number[] = [];
      let bets = 0;
      for (const series of all) {
        const found = betsOn(strategy, series);
        bets += found.length;
        gains.push(found.reduce((sum, { pnl }) => sum + pnl, 0));
        const error = (p: number, outcome: boolean) => (p - (outcome ? 1 : 0)) ** 2;
        scores.push(
          found.reduce(
            (sum, { opening, outcome }) => sum + error(opening.line, outcome) - error(opening.p, outcome),
            0,
          ),
        );
      }
      expect(bets).toBeGreaterThan(SEEDS);
      // One of two sides, at four deviations: one run in thirty thousand fails by chance, and these numbers are
      // fixed.
      expect(deviations(gains)).toBeLessThan(4);
      expect(deviations(scores)).toBeLessThan(4);
    },
  );

  test("a strategy that sees a month too many is exposed by its gains", () => {
    const leaky: Strategy = {
      ...strategies.find(({ name }) => name === "seasonal")!,
      feature: (series, at) => {
        const outcome = at < 36 ? undefined : outcomeAt(series, at);
        return outcome === undefined ? undefined : Number(outcome);
      },
    };
    const gains = all.map((series) => betsOn(leaky, series).reduce((sum, { pnl }) => sum + pnl, 0));
    expect(deviations(gains)).toBeGreaterThan(4);
  });
});

/** The number of standard errors by which the mean exceeds 0. */
function deviations(of: readonly number[]): number {
  const mean = of.reduce((sum, one) => sum + one, 0) / of.length;
  const variance = of.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (of.length - 1);
  return mean / Math.sqrt(variance / of.length);
}
