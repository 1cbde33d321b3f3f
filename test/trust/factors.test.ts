import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { badgesOf } from "../../src/domain/trust/badges.ts";
import {
  factorsOf,
  type Measured,
  nothingOn,
  speedPpm,
  type WorkDay,
  wilson,
} from "../../src/domain/trust/factors.ts";
import { skillsOf } from "../../src/domain/trust/skills.ts";

const DAY = 20_000;
const nothing: Measured = { day: DAY, work: [], attested: { points: 0, attestors: 0 } };
const on = (day: number, did: Partial<WorkDay>): WorkDay => ({ ...nothingOn(day), ...did });

test("a factor without a sample is null", () => {
  for (const factor of Object.values(factorsOf(nothing))) expect(factor).toEqual({ value: null, n: 0 });
});

describe("the lower bound of Wilson's interval", () => {
  // By the closed formula in 60 digits: (p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n), z² = 3.8416.
  test.each([
    [0, 1, 0],
    [1, 1, 206_543],
    [9, 10, 595_843],
    [10, 10, 722_459],
    [50, 100, 403_829],
    [999_999, 1_000_000, 999_994],
  ])("%i of %i is %i millionths", (k, n, value) => expect(wilson(k, n)).toBe(value));

  test("is the largest whole number of millionths within the bound", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, part) => {
          const k = Math.floor(n * part);
          // w is below the bound as long as n(k − nw)² · 10⁴ ≥ 38416 · n · w(1 − w) · n, and w ≤ k/n.
          const holds = (micro: bigint) => {
            const [K, N, one] = [BigInt(k), BigInt(n), 1_000_000n];
            const gap = K * one - N * micro;
            return gap >= 0n && 10_000n * gap * gap >= 38_416n * N * micro * (one - micro);
          };
          const w = BigInt(wilson(k, n));
          expect(holds(w)).toBe(true);
          if (k > 0) expect(holds(w + 1n)).toBe(false);
        },
      ),
    );
  });
});

test("reliability and accuracy count 180 days with their own samples, and no later work", () => {
  const { reliability, accuracy } = factorsOf({
    ...nothing,
    work: [
      on(DAY - 180, { kept: 9, lost: 1 }),
      on(DAY - 181, { kept: 50, lost: 50 }),
      on(DAY, { agreed: 1 }),
      on(DAY + 1, { kept: 1, differed: 1 }),
    ],
  });
  expect(reliability).toEqual({ value: wilson(9, 10), n: 10 });
  expect(accuracy).toEqual({ value: wilson(1, 1), n: 1 });
});

test("speed is the mean unused time, 0 for none", () => {
  const speeds = [speedPpm(3, 1), speedPpm(10, 25), speedPpm(10, -1)];
  expect(speeds).toEqual([666_666, 0, 1_000_000]);
  const work = [on(DAY, { kept: 1, speed_ppm: speeds[0]! }), on(DAY - 1, { kept: 1, speed_ppm: speeds[1]! })];
  expect(factorsOf({ ...nothing, work }).speed).toEqual({ value: 333_333, n: 2 });
});

test("consistency counts twelve seven-day spans; a span with a missed lease does not count", () => {
  const work = [
    on(DAY, { kept: 1 }),
    on(DAY - 7, { kept: 1 }),
    on(DAY - 20, { kept: 5, lost: 1 }),
    on(DAY - 83, { kept: 1 }),
    on(DAY - 30, { agreed: 1 }),
  ];
  expect(factorsOf({ ...nothing, work }).consistency).toEqual({ value: 250_000, n: 4 });
  expect(factorsOf({ ...nothing, work: [on(DAY - 84, { kept: 1 })] }).consistency).toEqual({
    value: null,
    n: 0,
  });
});

test("collaboration grows with attested points, to one at most", () => {
  const of = (points: number) => factorsOf({ ...nothing, attested: { points, attestors: 2 } }).collaboration;
  expect(of(12_345_678)).toEqual({ value: 123_456, n: 2 });
  expect(of(250_000_000)).toEqual({ value: 1_000_000, n: 2 });
});

describe("badges", () => {
  const merit = (count: number) => ({
    passport_number: { count, event_id: "e", at: "2026-01-01T00:00:00Z" },
  });
  test.each([
    [1, ["Genesis"]],
    [1_000, ["Genesis"]],
    [1_001, []],
  ])("passport %i earns %j", (count, kinds) =>
    expect(badgesOf(merit(count)).map(({ kind }) => kind)).toEqual(kinds),
  );
  test.each([
    ["agreed_validations", 24, []],
    ["agreed_validations", 25, ["Validator"]],
    ["bounties_won", 1, ["Creator"]],
    ["buyers", 2, []],
    ["buyers", 3, ["Creator"]],
  ] as const)("%s %i earn %j", (what, count, kinds) =>
    expect(badgesOf({ [what]: { count, event_id: "e", at: "2026-01-01T00:00:00Z" } })).toMatchObject(
      kinds.map((kind) => ({ kind, event_id: "e" })),
    ),
  );
  test("name the event that earned them first", () => {
    const bounties_won = { count: 1, event_id: "later", at: "2026-02-01T00:00:00Z" };
    const buyers = { count: 9, event_id: "first", at: "2026-01-01T00:00:00Z" };
    expect(badgesOf({ bounties_won, buyers })).toMatchObject([{ kind: "Creator", event_id: "first" }]);
  });
  test("need more than zero", () => expect(badgesOf({})).toEqual([]));
});

test("an attestor's points are split over skills by remaining weight", () => {
  const word = (from: number, skill: string, weight_micro: number, made_at = "2026-01-01T00:00:00Z") => ({
    ...{ from, skill, weight_micro, day: DAY, made_at },
  });
  const words = [
    word(1, "law", 3_000_000),
    word(1, "art", 1_000_000),
    word(2, "art", 5, "2026-02-01T00:00:00Z"),
  ];
  expect(skillsOf(words, [{ from: 1, points: 401 }], DAY)).toEqual([
    { skill: "law", points: 300, attestors: 1, newest: "2026-01-01T00:00:00Z" },
    { skill: "art", points: 100, attestors: 2, newest: "2026-02-01T00:00:00Z" },
  ]);
});
