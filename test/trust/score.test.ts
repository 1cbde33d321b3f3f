import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DECAY } from "../../src/domain/trust/decay.ts";
import { type Attestor, explain, outOf } from "../../src/domain/trust/explain.ts";
import { TS_TRUST_1 } from "../../src/domain/trust/rules.ts";
import {
  computeTrust,
  type Edge,
  type Input,
  levelOf,
  type Result,
  resultLines,
  resultSha256,
} from "../../src/domain/trust/score.ts";
import { DAY } from "./log-vectors.ts";
import { edge, input, penalty, ring, seeds, spend, task } from "./vectors.ts";

const scoreOf = ({ scores }: Result, sx: number) => scores.find((one) => one.sx === sx)?.score ?? 0;
const total = (numbers: Iterable<number>) => [...numbers].reduce((sum, one) => sum + one, 0);

/** Random evidence and attestations of a dozen agents. */
const sx = fc.integer({ min: 1, max: 12 });
const age = fc.integer({ min: -2, max: 185 });
const graph: fc.Arbitrary<Input> = fc
  .record({
    edges: fc.array(fc.tuple(sx, sx, fc.integer({ min: 1, max: 10_000_000 }), age), { maxLength: 80 }),
    tasks: fc.array(fc.tuple(sx, fc.integer({ min: 1, max: 2_000_000 }), age), { maxLength: 30 }),
    spends: fc.array(fc.tuple(sx, fc.integer({ min: 1, max: 200_000_000 }), age), { maxLength: 20 }),
    penalties: fc.array(fc.tuple(sx, age), { maxLength: 4 }),
    seeds: fc.array(fc.tuple(sx, fc.integer({ min: 0, max: 100_000_000 })), { maxLength: 4 }),
    silent: fc.array(sx, { maxLength: 3 }),
  })
  .map((of) =>
    input({
      edges: of.edges.map(([from, to, weight_micro, old]) => ({ from, to, weight_micro, day: DAY - old })),
      evidence: [
        ...of.tasks.map(([who, points, old]) => ({ ...task(who, 0, old), points })),
        ...of.spends.map(([who, points, old]) => ({ ...spend(who, 0, old), points })),
        ...of.penalties.map(([who, old]) => penalty(who, old)),
      ],
      seeds: new Map(of.seeds),
      silent: new Set(of.silent),
    }),
  );

/** The documented formula in big integers: every round computes every agent anew. */
function byTheLetter({ day, edges, evidence, seeds, silent }: Input) {
  const min = (a: bigint, b: bigint) => (a < b ? a : b);
  const left = (amount: bigint, of: number) =>
    (amount * BigInt(DECAY[Math.max(0, day - of)] ?? 0)) / 100_000_000n;
  const agents = Array.from({ length: 12 }, (_, at) => at + 1);
  const sum = (kind: string, who: number) =>
    evidence
      .filter((one) => one.kind === kind && one.sx === who)
      .reduce(
        (all, one) =>
          all + left(kind === "spend" ? min(90_000_000n, BigInt(one.points)) : BigInt(one.points), one.day),
        0n,
      );
  const base = agents.map(
    (who) =>
      min(60_000_000n, sum("task", who)) + min(10_000_000n, sum("spend", who)) + BigInt(seeds.get(who) ?? 0),
  );
  const pair = agents.map((b) =>
    agents.map((a) =>
      a === b || silent.has(b)
        ? 0n
        : min(
            10_000_000n,
            edges
              .filter(({ from, to }) => from === b && to === a)
              .reduce((all, one) => all + left(BigInt(one.weight_micro), one.day), 0n),
          ),
    ),
  );
  const c = pair.map((row) => {
    const out = row.reduce((all, one) => all + one, 0n);
    return row.map((one) => (out > 20_000_000n ? (one * 20_000_000n) / out : one));
  });
  const bounded = (value: bigint, at: number) => {
    const kept = min(100_000_000n, value) - sum("penalty", agents[at]!);
    return kept > 0n ? kept : 0n;
  };
  let scores = base.map(bounded);
  let rounds = 0;
  for (let still = false; !still && rounds < 64; rounds++) {
    const next = agents.map((_, a) =>
      bounded(base[a]! + agents.reduce((all, __, b) => all + (c[b]![a]! * scores[b]!) / 40_000_000n, 0n), a),
    );
    still = next.every((value, at) => value === scores[at]);
    scores = next;
  }
  return { scores: scores.map(Number), rounds };
}

test("the score equals the formula for every graph", () => {
  fc.assert(
    fc.property(graph, (of) => {
      const result = computeTrust(of);
      const wanted = byTheLetter(of);
      expect(Array.from({ length: 12 }, (_, at) => scoreOf(result, at + 1))).toEqual(wanted.scores);
      expect(result.rounds).toBe(wanted.rounds);
    }),
  );
});

describe("bounds of scores", () => {
  test("all scores sum to at most twice the earned points, and one is at most 6/5 of its own and 2/5 of the others'", () => {
    fc.assert(
      fc.property(graph, (of) => {
        const { scores } = computeTrust(of);
        const earned = total(scores.map(({ base }) => base));
        expect(total(scores.map(({ score }) => score))).toBeLessThanOrEqual(2 * earned);
        for (const { score, base } of scores)
          expect(5 * score).toBeLessThanOrEqual(6 * base + 2 * (earned - base));
      }),
    );
  });

  test("need the budget: without it forty agents with only attestations climb to the top", () => {
    const of = input({ edges: ring(range(1, 42), 1), evidence: [{ ...spend(1, 0), points: 1_000_000 }] });
    expect(scoreOf(computeTrust(of), 2)).toBeLessThan(100_000);
    const loose = { ...TS_TRUST_1, budget: Number.MAX_SAFE_INTEGER, rounds: 1_000 };
    expect(scoreOf(computeTrust(of, loose), 2)).toBe(100_000_000);
  });

  test("hold exactly for the largest product", () => {
    expect(90_000_000 * 100_000_000).toBeLessThan(Number.MAX_SAFE_INTEGER);
    const of = input({ evidence: [{ ...spend(1, 0), points: 90_000_000 }] });
    const loose = { ...TS_TRUST_1, spend_most: Number.MAX_SAFE_INTEGER };
    expect(scoreOf(computeTrust(of, loose), 1)).toBe(90_000_000);
  });
});

const range = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

describe("sybils", () => {
  test("give each other and X exactly nothing if three hundred of them pay for nothing", () => {
    const X = 1_000;
    const of = input({ edges: ring([...range(1, 300), X], 10) });
    expect(computeTrust(of).scores.every(({ score }) => score === 0)).toBe(true);
  });

  test("give X 12.5 from a corrupted agent of 50 points alone", () => {
    const of = input({ seeds: seeds([1, 50]), edges: [edge(1, 2, 10)] });
    expect(scoreOf(computeTrust(of), 2)).toBe(12_500_000);
  });

  const words = fc.array(fc.tuple(sx, sx, fc.integer({ min: 1, max: 10_000_000 })), { maxLength: 100 });
  const edgesOf = (of: [number, number, number][]): Edge[] =>
    of.map(([from, to, weight_micro]) => ({ from, to, weight_micro, day: DAY }));
  const X = 12;

  test("give X at most 16.67 through any graph, and 20 if X attests back", () => {
    fc.assert(
      fc.property(words, (of) => {
        const edges = [...edgesOf(of), edge(1, X, 10)];
        const silentX = edges.filter(({ from }) => from !== X);
        const turned = seeds([1, 50]);
        expect(scoreOf(computeTrust(input({ seeds: turned, edges: silentX })), X)).toBeLessThanOrEqual(
          16_666_667,
        );
        expect(scoreOf(computeTrust(input({ seeds: turned, edges })), X)).toBeLessThanOrEqual(20_000_000);
      }),
    );
  });

  test("cannot lower others' scores by attestations", () => {
    fc.assert(
      fc.property(graph, words, (of, more) => {
        const before = computeTrust(of);
        // A new attestor: one with attestations would spread its budget thinner.
        const voice = 13;
        const edges = [
          ...of.edges,
          ...more.map(([, to, weight_micro]) => ({ from: voice, to, weight_micro, day: DAY })),
        ];
        const seeds = new Map([...of.seeds, [voice, 50_000_000]]);
        const after = computeTrust({ ...of, edges, seeds });
        // Rounds stop at 64, with differences of micro-points.
        if (before.rounds < 64 && after.rounds < 64)
          for (const { sx, score } of before.scores) expect(scoreOf(after, sx)).toBeGreaterThanOrEqual(score);
      }),
    );
  });
});

test("the order of rows does not matter", () => {
  fc.assert(
    fc.property(graph, fc.integer(), (of, salt) => {
      const shuffled = <T>(rows: readonly T[]) =>
        rows
          .map((row, at) => ({ row, key: (at * 7_919 + salt) % 31 }))
          .sort((a, b) => a.key - b.key)
          .map(({ row }) => row);
      const again = computeTrust({ ...of, edges: shuffled(of.edges), evidence: shuffled(of.evidence) });
      expect(resultSha256(again)).toBe(resultSha256(computeTrust(of)));
    }),
  );
});

test("the explanation adds up to the score for every graph", () => {
  fc.assert(
    fc.property(graph, (of) => {
      const result = computeTrust(of);
      for (const { sx, score } of result.scores) {
        const explained = explain(questionOf(of, result, sx));
        const lines = [explained.base, explained.attestations, explained.penalties, explained.cuts].flat();
        expect(explained.score).toBe(score);
        expect(explained.seeded + total(lines.map(({ points }) => points))).toBe(score);
      }
    }),
  );
});

/** The input of one agent's explanation. */
function questionOf({ day, edges, evidence, seeds, silent }: Input, { scores }: Result, sx: number) {
  const said = [
    ...new Set(edges.flatMap(({ from, to }) => (to === sx && from !== sx && !silent.has(from) ? from : []))),
  ];
  const attestors = said.map((from): Attestor => {
    const all = edges.filter((one) => one.from === from && one.to !== from);
    const before = scores.find((one) => one.sx === from)!.before;
    const of_agent = all
      .filter(({ to }) => to === sx)
      .map((one, at) => ({ ...one, event_id: `${from}-${at}` }));
    return { from, before, out: outOf(all, day), of_agent };
  });
  const own = evidence.filter((one) => one.sx === sx).map((one, at) => ({ ...one, event_id: `${at}` }));
  return { day, seeded: seeds.get(sx) ?? 0, evidence: own, attestors };
}

test("the digest covers the numbers and non-zero micro-points, ascending by number", () => {
  const result = computeTrust(input({ seeds: seeds([42, 12.5], [7, 0], [9, 1], [100, 2]) }));
  expect(resultLines(result)).toBe("9 1000000\n42 12500000\n100 2000000\n");
});

test.each([
  [0, "none"],
  [9_999_999, "none"],
  [10_000_000, "low"],
  [29_999_999, "low"],
  [30_000_000, "medium"],
  [60_000_000, "high"],
  [84_999_999, "high"],
  [85_000_000, "very_high"],
  [100_000_000, "very_high"],
])("%i micro-points are %s", (score, level) => expect(levelOf(score, "registered")).toBe(level));

test.each(["suspended", "revoked"] as const)(
  "a passport that is %s has no level, whatever its points",
  (status) => expect(levelOf(90_000_000, status)).toBe("none"),
);
