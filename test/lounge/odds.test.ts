/** The odds of every bet, against counting that shares nothing with them. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Bytes } from "../../src/domain/games/bytes.ts";
import { dice, winningFaces } from "../../src/domain/games/dice.ts";
import { keno, PAYS } from "../../src/domain/games/keno.ts";
import { loungeNames } from "../../src/domain/games/lounge-games.ts";
import { edgeOf, fractionNumber, fractionText, type Outcome } from "../../src/domain/games/odds.ts";
import { BET_TYPES, colorOf, POCKETS, pocketsOf, roulette } from "../../src/domain/games/roulette.ts";
import { MOST_PAYOUT, MOST_STAKE, mostStake, payoutOf } from "../../src/domain/lounge/stakes.ts";
import { ATTO, attoOf, decimalTokens } from "../../src/domain/lounge/token.ts";

/** The stream whose next number is this one, in a single byte. */
const next = (value: number): Bytes => ({ number: () => value });
const sum = (outcomes: Outcome[]) => outcomes.reduce((all, { ways }) => all + ways, 0n);

const dieBets = (["under", "over"] as const).flatMap((direction) =>
  Array.from({ length: 97 }, (_, at) => ({ direction, target: at + 2 })),
);
const picks = Array.from({ length: 10 }, (_, at) => ({
  numbers: Array.from({ length: at + 1 }, (_, n) => n + 1),
}));

describe("roulette", () => {
  test("has 39 pockets, each drawn equally often", () =>
    expect(POCKETS.map((_, at) => roulette.play({ bet_type: "red" }, next(at)).pocket)).toEqual(POCKETS));

  test.each(BET_TYPES)("%s pays over all pockets 36 of 39 stakes", (bet_type) => {
    let paid = 0n;
    for (let at = 0; at < 39; at++)
      paid += roulette.multiplier({ bet_type }, roulette.play({ bet_type }, next(at)));
    expect(paid).toBe(36n * 10_000n);
    expect(fractionText(edgeOf(roulette.outcomes({ bet_type })))).toBe("1/13");
    expect(sum(roulette.outcomes({ bet_type }))).toBe(39n);
  });

  test("has the usual names of bets", () => {
    expect(["red", "black", "green"].map((bet) => pocketsOf(bet).length)).toEqual([18, 18, 3]);
    for (const color of ["red", "black", "green"])
      expect(pocketsOf(color).every((pocket) => colorOf(pocket) === color)).toBe(true);
    expect(pocketsOf("green")).toEqual(["0", "00", "000"]);
    expect(pocketsOf("2nd12")).toEqual("13 14 15 16 17 18 19 20 21 22 23 24".split(" "));
    expect([...pocketsOf("odd"), ...pocketsOf("even")].map(Number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 36 }, (_, at) => at + 1),
    );
    expect(pocketsOf("low")).toEqual(POCKETS.slice(1, 19));
    expect(pocketsOf("high")).toEqual(POCKETS.slice(19, 37));
    expect(pocketsOf("00")).toEqual(["00"]);
  });
});

describe("dice", () => {
  test("wins at the stated rate, over all numbers, and leaves 1 % and less than 0.01 % more", () => {
    for (const params of dieBets) {
      let [won, paid] = [0, 0n];
      for (let at = 0; at < 100; at++) {
        const multiplier = dice.multiplier(params, dice.play(params, next(at)));
        if (multiplier > 0n) won++;
        paid += multiplier;
      }
      expect(won).toBe(winningFaces(params));
      const edge = 1 - Number(paid) / 1_000_000;
      expect(fractionNumber(edgeOf(dice.outcomes(params)))).toBeCloseTo(edge, 12);
      expect(edge).toBeGreaterThanOrEqual(0.01 - 1e-12);
      expect(edge).toBeLessThan(0.0101);
    }
  });

  test("loses on the target itself", () => {
    for (const direction of ["under", "over"] as const)
      expect(dice.multiplier({ direction, target: 50 }, { number: 50 })).toBe(0n);
    expect(dice.multiplier({ direction: "under", target: 2 }, { number: 1 })).toBe(990_000n);
    expect(dice.multiplier({ direction: "over", target: 2 }, { number: 3 })).toBe(10_102n);
  });
});

describe("keno", () => {
  /** Chances by drawing one pick after the other: the number of hits after each, in parts of 62 · 61 · 60 … */
  const byDrawing = (count: number) => {
    let hits = [1n];
    for (let drawn = 0; drawn < count; drawn++) {
      const after = Array<bigint>(drawn + 2).fill(0n);
      hits.forEach((ways, hit) => {
        after[hit + 1]! += ways * BigInt(20 - hit);
        after[hit]! += ways * BigInt(42 - (drawn - hit));
      });
      hits = after;
    }
    return hits;
  };

  test.each(picks)(
    "of $numbers.length picks has the chances of drawing one after the other",
    ({ numbers }) => {
      const outcomes = keno.outcomes({ numbers });
      const drawn = byDrawing(numbers.length);
      const all = drawn.reduce((a, b) => a + b);
      for (const [hits, { ways, of }] of outcomes.entries()) expect(ways * all).toBe(drawn[hits]! * of);
      expect(sum(outcomes)).toBe(outcomes[0]!.of);
    },
  );

  test.each([1, 2, 3, 4])("of %d picks has the stated edge over every possible set of picks", (count) => {
    const drawn = [1, 2, 3, 5, 8, 13, 21, 34, 55, 4, 7, 11, 18, 29, 47, 6, 9, 15, 24, 62];
    let [sets, paid] = [0, 0n];
    const choose = (numbers: number[], from: number) => {
      if (numbers.length === count) {
        sets++;
        paid += keno.multiplier({ numbers }, { drawn });
        return;
      }
      for (let number = from; number <= 62; number++) choose([...numbers, number], number + 1);
    };
    choose([], 1);
    const edge = edgeOf(keno.outcomes({ numbers: picks[count - 1]!.numbers }));
    expect(sets * 10_000 - Number(paid)).toBe(Number((edge.over * BigInt(sets) * 10_000n) / edge.under));
  });

  test("draws twenty numbers from 1 to 62, the first of a shuffle", () => {
    // Every place swapped with itself leaves the list as it was.
    let left = 62;
    const { drawn } = keno.play(picks[0]!, { number: () => --left });
    expect(drawn).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  test("pays more for more hits", () => {
    for (const table of Object.values(PAYS)) {
      const multiples = Object.values(table);
      expect(multiples).toEqual([...multiples].sort((a, b) => Number(a - b)));
    }
  });

  test.each([[[1, 1]], [[0]], [[63]], [[1.5]], [[]], [Array.from({ length: 11 }, (_, at) => at + 1)]])(
    "refuses %j",
    (numbers) => expect(keno.params.safeParse({ numbers }).success).toBe(false),
  );
});

describe("every bet", () => {
  const bets = [
    ...picks.map((params) => ["keno", params, keno.outcomes(params)] as const),
    ...BET_TYPES.map((bet_type) => ["roulette", { bet_type }, roulette.outcomes({ bet_type })] as const),
    ...dieBets.map((params) => ["lounge-dice", params, dice.outcomes(params)] as const),
  ];

  test("leaves the house from 1 to 8 % of the stake", () => {
    expect(new Set(bets.map(([name]) => name))).toEqual(new Set(loungeNames));
    for (const [, , outcomes] of bets) {
      const edge = fractionNumber(edgeOf(outcomes));
      expect(edge).toBeGreaterThanOrEqual(0.01);
      expect(edge).toBeLessThan(0.08);
    }
  });

  test("pays at most the house's limit, at its highest stake exactly", () => {
    for (const [name, params, outcomes] of bets) {
      const stake = mostStake(name, params);
      expect(stake).toBeGreaterThanOrEqual(ATTO);
      expect(stake).toBeLessThanOrEqual(MOST_STAKE);
      for (const { multiplier } of outcomes) {
        expect(stake * multiplier).toBeLessThanOrEqual(MOST_PAYOUT * 10_000n);
        expect((stake * multiplier) % 10_000n).toBe(0n);
      }
    }
    expect(decimalTokens(mostStake("keno", picks[9]!))).toBe("10");
    expect(decimalTokens(mostStake("roulette", { bet_type: "red" }))).toBe("1000");
  });
});

test("docs/lounge.md has the pay table of keno", () => {
  const text = readFileSync(new URL("../../docs/lounge.md", import.meta.url), "utf8");
  const edges = picks.map((params) => 100 * fractionNumber(edgeOf(keno.outcomes(params))));
  for (const [picked, table] of Object.entries(PAYS)) {
    const pays = Object.entries(table).map(([hits, multiple]) => `${hits}: ${multiple.toLocaleString("en")}`);
    expect(text).toContain(`| ${picked} | ${pays.join(", ")} | ${edges[Number(picked) - 1]!.toFixed(2)} % |`);
  }
  expect(text).toContain(`| ${Math.min(...edges).toFixed(2)} % to ${Math.max(...edges).toFixed(2)} % |`);
});

test("a payout is the stake times the multiplier", () => {
  const stake = attoOf(2.5)!;
  expect(decimalTokens(payoutOf("roulette", { bet_type: "7" }, { pocket: "7" }, stake))).toBe("90");
  expect(decimalTokens(payoutOf("roulette", { bet_type: "7" }, { pocket: "8" }, stake))).toBe("0");
  const die = { direction: "under", target: 8 };
  expect(decimalTokens(payoutOf("lounge-dice", die, { number: 7 }, attoOf(0.000001)!))).toBe("0.0000141428");
});

test.each([
  [1, "1"],
  [1.5, "1.5"],
  [0.000001, "0.000001"],
  [0.0000001, undefined],
  [999.999999, "999.999999"],
  [1.0000001, undefined],
  [1e21, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  ["2.50", "2.5"],
  ["1000", "1000"],
  ["1.0000000", undefined],
  ["1e2", undefined],
  ["+1", undefined],
  [" 1", undefined],
  ["", undefined],
])("%s tokens are %s", (tokens, text) => {
  const atto = attoOf(tokens);
  expect(atto === undefined ? undefined : decimalTokens(atto)).toBe(text);
});
