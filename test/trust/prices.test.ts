/**
 * The cost of trust for agents that trade among themselves: the cheapest known ways, priced by the method itself, and
 * their lower bounds.
 */
import { describe, expect, test } from "vitest";
import { TASKS_1 } from "../../src/domain/trust/rules.ts";
import { computeTrust, type Edge, type Evidence } from "../../src/domain/trust/score.ts";
import { type SpentPayment, type Task, taskPoints } from "../../src/domain/trust/tasks.ts";
import { DAY } from "./log-vectors.ts";
import { edge, input, ring, seeds } from "./vectors.ts";

/** Micro-USDC: the fee of a fully counted task, and the price of an attestation. */
const FEE = 10_000;
const WORD = 500_000;
const USDC = 1_000_000;
const POINTS = 1_000_000;

/** Spending of a wallet: calls, and tasks of these providers, each three times at most. */
type Wallet = { of: number; calls: number; tasks: readonly number[] };

/** Agents that pay, work for and attest each other in one day: one agent's score, and the service's total income. */
function dealing(wallets: readonly Wallet[], words: readonly Edge[], rules: typeof TASKS_1 = TASKS_1) {
  const happened = wallets.flatMap(({ calls, tasks }, at): (Task | SpentPayment)[] => [
    { kind: "kept", day: DAY, tenant: `w${at}`, micro: calls },
    ...tasks.map(
      (provider): Task => ({
        ...{ kind: "task", day: DAY, requester: `w${at}`, provider, fee_micro: FEE, linked: false },
      }),
    ),
  ]);
  const points = taskPoints(happened, rules);
  const worked = wallets.flatMap(({ tasks }) => tasks);
  const evidence: Evidence[] = [
    ...worked.map((sx, at): Evidence => ({ kind: "task", sx, points: points[at]!, day: DAY })),
    ...wallets.map(({ of, calls }): Evidence => ({ kind: "spend", sx: of, points: calls, day: DAY })),
  ];
  const kept = wallets.reduce((sum, { calls, tasks }) => sum + calls + tasks.length * FEE, 0);
  const { scores } = computeTrust(input({ evidence, edges: [...words] }));
  const scoreOf = (sx: number) => scores.find((one) => one.sx === sx)?.score ?? 0;
  return { scoreOf, kept, micro: kept + words.length * WORD };
}

const times = <T>(count: number, of: T): T[] => Array.from({ length: count }, () => of);
const cents = (micro: number) => Math.ceil(micro / 10_000) / 100;

describe("60 points for one agent", () => {
  const bought = (wallets: number, calls: number, rules = TASKS_1) => {
    const { scoreOf, kept } = dealing(times(wallets, { of: 9, calls, tasks: [1, 1, 1] }), [], rules);
    return { score: scoreOf(1), kept };
  };

  test("cost ten funded wallets and 10.00 USDC of spending; less money buys less", () => {
    expect(bought(10, 970_000)).toEqual({ score: 60 * POINTS, kept: 10 * USDC });
    expect(bought(10, 969_000).score).toBeLessThan(60 * POINTS);
    // More money in fewer wallets buys no more: three tasks of a pair in thirty days.
    expect(bought(9, 90 * USDC).score).toBe(54 * POINTS);
  });

  test("would cost 0.30 if a USDC could buy points repeatedly, and one wallet if a pair counted without limit", () => {
    const free = { ...TASKS_1, points_a_usdc: 1e9 } as unknown as typeof TASKS_1;
    expect(bought(10, 0, free)).toEqual({ score: 60 * POINTS, kept: 0.3 * USDC });
    const endless = { ...TASKS_1, window_tasks: 1e9 } as unknown as typeof TASKS_1;
    const one = dealing([{ of: 9, calls: 9.7 * USDC, tasks: times(30, 1) }], [], endless);
    expect([one.scoreOf(1), one.kept]).toEqual([60 * POINTS, 10 * USDC]);
  });
});

describe("85 points for one agent", () => {
  /**
   * X and two helpers all attest each other, the best use of attestations (6/5 of its own, 2/5 of the others'). The
   * helpers' wallets buy X its 60 points of tasks, and themselves 10 points of calls; X's wallets buy the helpers
   * tasks, and itself points of calls.
   */
  const [X, A, B] = [1, 2, 3];
  const helped = (last_calls: number) =>
    dealing(
      [
        ...times(5, { of: A, calls: 970_000, tasks: [X, X, X] }),
        ...times(5, { of: B, calls: 970_000, tasks: [X, X, X] }),
        { of: X, calls: 970_000, tasks: [A, A, A] },
        { of: X, calls: 970_000, tasks: [B, B, B] },
        { of: X, calls: last_calls, tasks: [A, A] },
      ],
      ring([X, A, B], 10),
    );
  /** The cheapest sufficient amount, in micro-USDC. */
  function least() {
    let [low, high] = [0, USDC];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (helped(middle).scoreOf(X) >= 85 * POINTS) high = middle;
      else low = middle;
    }
    return high;
  }

  test("cost 15.57 USDC, of which 3.00 are attestations", () => {
    const calls = least();
    expect(cents(helped(calls).micro)).toBe(15.57);
    expect(helped(calls - 1).scoreOf(X)).toBeLessThan(85 * POINTS);
  });

  test("cost at least 12.50 apart from attestations, by the bounds", () => {
    // Of u spent USDC at least 10 buy X its tasks and are not its own wallets'; each gives 6 points of tasks, once, and
    // one of calls.
    const most = (u: number) => {
      const own_calls = Math.min(10, Math.max(0, u - 10));
      const own = Math.min(60, 6 * u) + own_calls;
      const others = 6 * u + u - Math.min(60, 6 * u) - own_calls;
      return (6 * own + 2 * others) / 5;
    };
    expect(most(12.5)).toBeCloseTo(85, 9);
    expect(most(12.49)).toBeLessThan(85);
    expect(cents(helped(least()).kept)).toBe(12.57);
  });
});

describe("a circle that pays, works for and attests each other", () => {
  const MEMBERS = 12;
  /** Each member spends this much on tasks of its neighbours, and attests the next two. */
  function circle(each: number) {
    const tasks = Math.ceil((3 * each) / USDC);
    const next = (of: number, by: number) => ((of - 1 + by) % MEMBERS) + 1;
    const members = Array.from({ length: MEMBERS }, (_, at) => at + 1);
    const { scoreOf, micro } = dealing(
      members.map((of) => ({
        ...{ of, calls: each - tasks * FEE },
        tasks: Array.from({ length: tasks }, (_, at) => next(of, 1 + Math.floor(at / 3))),
      })),
      members.flatMap((of) => [edge(of, next(of, 1), 10), edge(of, next(of, 2), 10)]),
    );
    return { least: Math.min(...members.map(scoreOf)), each: micro / MEMBERS };
  }
  /** Cost of each member of the cheapest circle, in whole cents. */
  function price(points: number) {
    for (let each = USDC; ; each += 10_000) {
      const of = circle(each);
      if (of.least >= points * POINTS) return of.each / USDC;
    }
  }

  test("pays 5.31 USDC each for 60 points of every member, and 7.10 for 85, of which 1.00 are attestations", () => {
    expect(price(60)).toBe(5.31);
    expect(price(85)).toBe(7.1);
  });

  test("pays at least 4.29 for each agent of 60, by the bounds", () => {
    // Each spent USDC gives at most 6 points of tasks and 1 of calls, and attestations at most double that.
    const points_a_usdc = 2 * (TASKS_1.points_a_usdc + 1);
    expect(Math.ceil((60 / points_a_usdc) * 100) / 100).toBe(4.29);
  });
});

describe("sybils", () => {
  test("give each other and X exactly nothing if a thousand of them only pay for attestations", () => {
    const members = Array.from({ length: 1_000 }, (_, at) => at + 1);
    // Each attests thirty others, and X.
    const edges = members.flatMap((from) => [
      edge(from, 2_000, 10),
      ...Array.from({ length: 30 }, (_, at) => edge(from, ((from + at * 33) % 1_000) + 1, 10)),
    ]);
    expect(computeTrust(input({ edges })).scores.every(({ score }) => score === 0)).toBe(true);
  });

  test("give X at most 16.67 around one corrupted agent of 50 points", () => {
    for (const size of [3, 10, 40]) {
      const members = Array.from({ length: size }, (_, at) => at + 10);
      const edges = [...ring(members), ...[1, ...members].map((from) => edge(from, 2, 10)), edge(1, 10, 10)];
      const { scores } = computeTrust(input({ edges, seeds: seeds([1, 50]) }));
      expect(scores.find(({ sx }) => sx === 2)!.score).toBeLessThanOrEqual(16_666_667);
    }
  });

  test("give X 19.99, never more than 20, if X attests the corrupted agent with one between them", () => {
    const { scores } = computeTrust(input({ edges: ring([1, 2, 3]), seeds: seeds([1, 50]) }));
    const score = scores.find(({ sx }) => sx === 2)!.score;
    expect(score).toBeGreaterThan(19.99 * POINTS);
    expect(score).toBeLessThanOrEqual(20 * POINTS);
  });
});
