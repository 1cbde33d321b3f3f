/** What trust costs those who deal with themselves: figures of the page, printed by the method itself. */
import { expect, test } from "vitest";
import { computeTrust } from "../../src/domain/trust/score.ts";
import { type Kept, type Task, taskPoints } from "../../src/domain/trust/tasks.ts";
import { DAY, edge, input, ring, seeds } from "./vectors.ts";

const FEE = 10_000;
const total = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0);

/** Wallets that each keep so many micro-USDC of calls, and have one provider do three tasks, all in one day. */
function bought(wallets: number, calls_micro: number) {
  const happened: (Task | Kept)[] = Array.from({ length: wallets }, (_, at) => [
    { kind: "kept" as const, day: DAY, tenant: `w${at}`, micro: calls_micro },
    ...Array.from({ length: 3 }, () => ({
      ...{ kind: "task" as const, day: DAY, requester: `w${at}`, provider: 1, fee_micro: FEE, linked: false },
    })),
  ]).flat();
  const points = total(taskPoints(happened));
  return { points, paid_micro: wallets * (calls_micro + 3 * FEE) };
}

test("60 points cost ten funded wallets and 10.00 USDC that stay here; a cent less buys less", () => {
  expect(bought(10, 970_000)).toEqual({ points: 60_000_000, paid_micro: 10_000_000 });
  expect(bought(10, 969_000).points).toBeLessThan(60_000_000);
  // More money in fewer wallets buys no more: three tasks of a pair in thirty days.
  expect(bought(9, 90_000_000).points).toBe(54_000_000);
});

test("by the bounds no ring pays less than 4.29 USDC for each agent of 60 points", () => {
  // Each USDC kept is at most 6 points of tasks and 1 of calls, and what is attested at most doubles all of that.
  const points_a_usdc = 2 * (6 + 1);
  expect(Math.ceil((60 / points_a_usdc) * 100) / 100).toBe(4.29);
});

test("a thousand that paid for nothing but words give each other and X exactly nothing", () => {
  const members = Array.from({ length: 1_000 }, (_, at) => at + 1);
  // Each says something of thirty others, and of X.
  const edges = members.flatMap((from) => [
    edge(from, 2_000, 10),
    ...Array.from({ length: 30 }, (_, at) => edge(from, ((from + at * 33) % 1_000) + 1, 10)),
  ]);
  expect(computeTrust(input({ edges })).scores.every(({ score }) => score === 0)).toBe(true);
});

test("one turned agent of 50 points in the midst of any number of them gives X no more than 16.67", () => {
  for (const size of [3, 10, 40]) {
    const members = Array.from({ length: size }, (_, at) => at + 10);
    const edges = [...ring(members), ...[1, ...members].map((from) => edge(from, 2, 10)), edge(1, 10, 10)];
    const { scores } = computeTrust(input({ edges, seeds: seeds([1, 50]) }));
    expect(scores.find(({ sx }) => sx === 2)!.score).toBeLessThanOrEqual(16_666_667);
  }
});
