/** Gravity over worlds with known coefficients, and compared with an independent estimate. */
import { describe, expect, test } from "vitest";
import { gravity, LEAST_CELLS, type Pair } from "../../src/domain/fusion/gravity.ts";

/** Numbers from 0 to 1: Park and Miller's minimal standard. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const BETA = -0.9;
const GAMMA = 0.6;

/** 15 countries and 20 partners on a plane; values are gamma-distributed about the expected, and one in ten is zero. */
function world(seed: number): Pair[] {
  const draw = numbers(seed + 1);
  const place = () => ({ x: draw() * 4000, y: draw() * 4000, size: Math.exp(3 * draw()) });
  const [reporters, partners] = [Array.from({ length: 15 }, place), Array.from({ length: 20 }, place)];
  return reporters.flatMap((a, i) =>
    partners.map((b, j) => {
      const distance_km = 100 + Math.hypot(a.x - b.x, a.y - b.y);
      const contiguous = distance_km < 700;
      const expected = a.size * b.size * distance_km ** BETA * (contiguous ? Math.exp(GAMMA) : 1) * 1e6;
      const noise = draw() < 0.1 ? 0 : (-Math.log(draw()) - Math.log(draw())) / 1.8;
      return { reporter: `R${i}`, partner: `P${j}`, value: expected * noise, distance_km, contiguous };
    }),
  );
}

describe("gravity", () => {
  test("recovers the distance and border coefficients of 20 worlds, within two standard errors in 90 %", () => {
    let within = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const { distance, contiguity } = gravity(world(seed * 7919))!;
      if (Math.abs(distance.estimate - BETA) <= 2 * distance.standard_error) within++;
      if (Math.abs(contiguity!.estimate - GAMMA) <= 2 * contiguity!.standard_error) within++;
    }
    expect(within).toBeGreaterThanOrEqual(36);
  });

  test("has a zero score of the likelihood, and equals coordinate ascent to 1e-6", () => {
    const pairs = world(4242);
    const found = gravity(pairs)!;
    const apart = ascended(pairs);
    expect(found.distance.estimate).toBeCloseTo(apart.beta, 6);
    expect(found.contiguity!.estimate).toBeCloseTo(apart.gamma, 6);
    for (const [at, { value }] of pairs.entries()) {
      expect(Math.abs(found.expected[at]! / apart.mu[at]! - 1)).toBeLessThan(1e-5);
      expect(value).toBeGreaterThanOrEqual(0);
    }
  });

  test("expects each country's actual total trade, and nothing for one without trade", () => {
    const pairs = world(99).map((pair) => (pair.partner === "P3" ? { ...pair, value: 0 } : pair));
    const { expected } = gravity(pairs)!;
    const sum = (of: (at: number) => number) =>
      pairs.reduce((total, { reporter }, at) => total + (reporter === "R2" ? of(at) : 0), 0);
    expect(sum((at) => expected[at] ?? 0) / sum((at) => pairs[at]!.value)).toBeCloseTo(1, 8);
    expect(pairs.flatMap(({ partner }, at) => (partner === "P3" ? expected[at] : []))).toEqual(
      Array(15).fill(null),
    );
  });

  test("is absent below 200 cells, and where distance is the same everywhere", () => {
    expect(gravity(world(5).slice(0, LEAST_CELLS - 1))).toBeUndefined();
    expect(gravity(world(5).map((pair) => ({ ...pair, distance_km: 1000 })))).toBeUndefined();
  });
});

/**
 * The same likelihood, maximised one variable after the other: effects in closed form, the two slopes by Newton's
 * steps.
 */
function ascended(pairs: readonly Pair[]) {
  let [beta, gamma] = [0, 0];
  const reporterEffect = new Map(pairs.map(({ reporter }) => [reporter, 1]));
  const partnerEffect = new Map(pairs.map(({ partner }) => [partner, 1]));
  const muOf = ({ reporter, partner, distance_km, contiguous }: Pair) =>
    reporterEffect.get(reporter)! *
    partnerEffect.get(partner)! *
    Math.exp(beta * Math.log(distance_km / 1000) + (contiguous ? gamma : 0));
  const balance = (effects: Map<string, number>, of: (pair: Pair) => string) => {
    const [actual, fitted] = [new Map<string, number>(), new Map<string, number>()];
    for (const pair of pairs) {
      actual.set(of(pair), (actual.get(of(pair)) ?? 0) + pair.value);
      fitted.set(of(pair), (fitted.get(of(pair)) ?? 0) + muOf(pair));
    }
    for (const [name, effect] of effects) effects.set(name, (effect * actual.get(name)!) / fitted.get(name)!);
  };
  const step = (x: (pair: Pair) => number) => {
    let [score, information] = [0, 0];
    for (const pair of pairs) {
      score += (pair.value - muOf(pair)) * x(pair);
      information += muOf(pair) * x(pair) ** 2;
    }
    return score / information;
  };
  for (let round = 0; round < 4000; round++) {
    balance(reporterEffect, ({ reporter }) => reporter);
    balance(partnerEffect, ({ partner }) => partner);
    beta += step(({ distance_km }) => Math.log(distance_km / 1000));
    gamma += step(({ contiguous }) => (contiguous ? 1 : 0));
  }
  return { beta, gamma, mu: pairs.map(muOf) };
}
