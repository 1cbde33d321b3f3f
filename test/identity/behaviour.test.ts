/** Profiles with figures worked out on paper from the formulas in docs/identity.md. */
import { describe, expect, test } from "vitest";
import {
  type Activity,
  characterOf,
  dimensions,
  driftOf,
  profiler,
  returnOf,
  seasonalityOf,
} from "../../src/domain/trust/behaviour.ts";
import { nothingOn } from "../../src/domain/trust/factors.ts";

const TODAY = 20_000;
const activity = (more: Partial<Activity> = {}): Activity => ({
  doings: [],
  paid: [],
  contacts: [],
  work: [],
  ...more,
});
const doing = (operation: string, events: number, day = TODAY) => ({ day, operation, events });

describe("a profile", () => {
  test("has each dimension by its formula", () => {
    const { events, dna } = profiler(
      activity({
        doings: [
          doing("lounge_dice", 5),
          doing("rng_verify", 2),
          doing("trade_balance", 12),
          doing("log_proof", 1),
        ],
        paid: [{ day: TODAY, calls: 20 }],
        contacts: [1, 2, 2, 3, 4, 5].map((other) => ({ day: TODAY, other })),
        work: [{ ...nothingOn(TODAY), kept: 2, speed_ppm: 246_913 }],
      }),
    )(TODAY);
    expect(events).toBe(20);
    expect(dna).toEqual({
      risk: 250_000, // 5 of 20
      curiosity: 100_000, // 4 of 40
      rigor: 750_000, // 5 · 3 of 20
      speed: 123_456,
      social: 200_000, // 5 of 25
      memory: 38_461, // 1 of 26, floored
      creativity: 565_000, // 1 − (25 + 4 + 144 + 1) / 400
    });
  });

  test("needs ten events, and has null for unmeasured dimensions", () => {
    const of = (events: number) => profiler(activity({ doings: [doing("soul_register", events)] }))(TODAY);
    expect(of(9)).toEqual({ events: 9, dna: null });
    expect(of(10).dna).toMatchObject({ rigor: null, speed: null, risk: 0, creativity: 0 });
    expect(profiler(activity())(TODAY)).toEqual({ events: 0, dna: null });
  });

  test("covers ninety days, and twenty-six weeks for memory", () => {
    const doings = [doing("a", 10), doing("b", 10, TODAY - 89), doing("c", 10, TODAY - 90)];
    const profile = profiler(activity({ doings, contacts: [{ day: TODAY - 90, other: 1 }] }));
    expect(profile(TODAY)).toMatchObject({ events: 20, dna: { curiosity: 50_000, social: 0 } });
    expect(profile(TODAY).dna!.memory).toBe(Math.floor(2_000_000 / 26)); // Days 89 and 90 are in one seven-day span.
    expect(profile(TODAY - 1)).toMatchObject({ events: 20 });
    expect(profile(TODAY - 90 + 181).dna).toBeNull();
    const late = profiler(
      activity({ doings: [doing("c", 10, TODAY - 181), doing("c", 10, TODAY - 182), doing("a", 10)] }),
    );
    expect(late(TODAY).dna!.memory).toBe(Math.floor(2_000_000 / 26));
  });

  test("has no dimension above one", () => {
    const doings = Array.from({ length: 60 }, (_, n) => doing(`op${n}_verify`, 1));
    const { dna } = profiler(activity({ doings, paid: [{ day: TODAY, calls: 1 }] }))(TODAY);
    expect(dna).toMatchObject({ curiosity: 1_000_000, rigor: 1_000_000 });
  });
});

describe("a character", () => {
  const none = Object.fromEntries(dimensions.map((name) => [name, null])) as Record<
    (typeof dimensions)[number],
    number | null
  >;
  test("is the largest dimension, the first of equal ones, with traits from 0.6 on", () => {
    expect(
      characterOf({ events: 10, dna: { ...none, memory: 600_000, social: 600_000, risk: 599_999 } }),
    ).toEqual({
      archetype: "social",
      traits: ["social", "memory"],
    });
    expect(characterOf({ events: 10, dna: { ...none, creativity: 0 } })).toEqual({
      archetype: "creativity",
      traits: [],
    });
  });
  test("without a profile is newcomer", () => {
    expect(characterOf({ events: 9, dna: null })).toEqual({ archetype: "newcomer", traits: [] });
  });
});

describe("drift", () => {
  const bets = (events: number, day: number) => doing("lounge_dice", events, day);
  const calls = (events: number, day: number) => doing("trade_balance", events, day);

  test("is the mean difference over all seven dimensions", () => {
    // Before: 50 calls of one operation. Now: 50 bets. Risk goes from 0 to 1; only memory changes otherwise, by one
    // more week.
    const { verdict, deltas, distance_ppm } = driftOf(
      activity({ doings: [bets(50, TODAY), calls(50, TODAY - 30)] }),
      TODAY,
    );
    expect(deltas).toEqual({
      risk: 1_000_000,
      curiosity: 0,
      rigor: null,
      speed: null,
      social: 0,
      memory: 76_923 - 38_461,
      creativity: 0,
    });
    expect(distance_ppm).toBe(Math.floor((1_000_000 + 38_462) / 7));
    expect(verdict).toBe("steady");
  });

  test("starts at 0.15", () => {
    // Half of the calls and a bet: risk 1 → 0.5, creativity 0 → 0.5, one more operation of curiosity, one more week.
    const half = [bets(50, TODAY), calls(50, TODAY)];
    const now = driftOf(activity({ doings: [...half, bets(50, TODAY - 30)] }), TODAY);
    expect(now.distance_ppm).toBe(Math.floor((500_000 + 500_000 + 25_000 + 38_462) / 7));
    expect(now.verdict).toBe("drifted");
  });

  test.each([
    [49, 50],
    [50, 49],
    [0, 0],
  ])("of %i events against %i is not enough", (recent, before) => {
    const doings = [bets(recent, TODAY), calls(before, TODAY - 119)];
    expect(driftOf(activity({ doings }), TODAY)).toMatchObject({
      verdict: "not_enough",
      deltas: null,
      distance_ppm: null,
    });
  });

  test("compares thirty days with ninety, and no other days", () => {
    const doings = [
      bets(50, TODAY - 29),
      calls(50, TODAY - 30),
      calls(50, TODAY - 119),
      calls(7, TODAY - 120),
    ];
    const { recent, before } = driftOf(activity({ doings }), TODAY);
    expect([recent.events, before.events]).toEqual([50, 100]);
  });
});

test("seasonality counts hours by weekday", () => {
  const hours = new Array<number>(24).fill(0).with(23, 4);
  // 2026-11-22 is a Sunday: day 20,779.
  const sunday = Date.parse("2026-11-22") / 86_400_000;
  const week = seasonalityOf([
    { day: sunday, hours },
    { day: sunday - 7, hours },
    { day: sunday + 1, hours },
  ]);
  expect(week.map((day) => day[23])).toEqual([4, 0, 0, 0, 0, 0, 8]);
  expect(week.flat().reduce((a, b) => a + b)).toBe(12);
});

test.each([
  [{ spent_micro: 0, earned_micro: 5 }, null],
  [{ spent_micro: 5, earned_micro: null }, null],
  [{ spent_micro: 2_000_000, earned_micro: 3_000_000 }, 500_000],
  [{ spent_micro: 3, earned_micro: 0 }, -1_000_000],
  [{ spent_micro: 3, earned_micro: 1 }, -666_667],
])("the return of %j is %s", (of, expected) => {
  expect(returnOf(of)).toBe(expected);
});
