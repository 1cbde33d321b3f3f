/** Stakes, gains and scores of paper trades, each against figures that were worked out by hand. */
import { describe, expect, test } from "vitest";
import * as evaluation from "../../src/domain/signals/evaluation.ts";
import * as trades from "../../src/domain/signals/paper-trade.ts";
import {
  brier,
  gainAt,
  gainOf,
  isAgainst,
  sideOf,
  stakeOf,
  winRate,
} from "../../src/domain/signals/score.ts";
import { decided, type Statement } from "../../src/domain/signals/series.ts";
import { chanceAt, lineAt } from "../../src/domain/signals/strategies.ts";
import { monthly } from "./series.ts";

describe("stakes", () => {
  test("a bet opens at a difference of 0.10, and not below", () => {
    expect(sideOf(0.6, 0.5)).toBe("yes");
    expect(sideOf(0.4, 0.5)).toBe("no");
    expect(sideOf(0.599999, 0.5)).toBeUndefined();
    // 0.35 − 0.25 is a little less than 0.1 as floats.
    expect(sideOf(0.35, 0.25)).toBe("yes");
  });

  test("a stake is a quarter of Kelly's share of 1,000 points, 10 at most", () => {
    // (0.5009 − 0.5) / 0.5 = 0.0018; a quarter of it, of 1,000 points, is 0.45.
    expect(stakeOf("yes", 0.5009, 0.5)).toBeCloseTo(0.45, 6);
    // The other side of 0.2 costs 0.8: (0.802 − 0.8) / 0.2 = 0.01, so 2.5.
    expect(stakeOf("no", 0.198, 0.2)).toBeCloseTo(2.5, 6);
    expect(stakeOf("yes", 0.9, 0.5)).toBe(10);
    expect(stakeOf("yes", 0.4, 0.5)).toBe(0);
  });

  test("a gain at a line of 0.25 is three points for one", () => {
    expect(gainOf("yes", { line: 0.25, stake: 10 }, true)).toBe(30);
    expect(gainOf("yes", { line: 0.25, stake: 10 }, false)).toBe(-10);
    expect(gainOf("no", { line: 0.25, stake: 9 }, false)).toBe(3);
    expect(gainOf("no", { line: 0.25, stake: 9 }, true)).toBe(-9);
  });

  test("a line that moves 0.20 against a bet ends it, and returns its value", () => {
    expect(isAgainst("yes", 0.5, 0.3)).toBe(true);
    expect(isAgainst("yes", 0.5, 0.300001)).toBe(false);
    expect(isAgainst("no", 0.5, 0.7)).toBe(true);
    expect(isAgainst("no", 0.5, 0.3)).toBe(false);
    expect(gainAt("yes", { line: 0.5, stake: 10 }, 0.3)).toBe(-4);
    expect(gainAt("no", { line: 0.5, stake: 10 }, 0.7)).toBe(-4);
  });
});

describe("scores", () => {
  test("Brier: (0.2² + 0.6² + 0.5²) / 3", () => {
    const of = [
      { p: 0.8, outcome: true },
      { p: 0.6, outcome: false },
      { p: 0.5, outcome: true },
    ];
    expect(brier(of)).toBe(0.216667);
    expect(brier([])).toBeNull();
  });

  test("Wilson's interval: 8 of 10 is 0.490 to 0.943, as in his tables' examples; without bets there is no interval", () => {
    const rate = winRate(8, 10)!;
    expect(rate.share).toBe(0.8);
    expect(rate.low).toBeCloseTo(0.4902, 4);
    expect(rate.high).toBeCloseTo(0.9433, 4);
    // With n of n the upper end is 1, the lower n / (n + z²).
    expect(winRate(10, 10)!.low).toBeCloseTo(10 / (10 + 3.8415), 4);
    expect(winRate(0, 10)!.low).toBe(0);
    expect(winRate(0, 0)).toBeNull();
  });

  test("the line: 7 of the last 10 give 7.5 / 11, and 10 of 10 give 0.95 at most", () => {
    // From the thirteenth month on each is compared with its year before: ups and downs by hand.
    const ups = [0, 0, 0, 1, 1, 1, 1, 1, 1, 1];
    const values = [...Array<number>(12).fill(100), ...ups.map((up) => (up ? 120 : 80))];
    expect(lineAt(monthly(values), values.length)).toBe(0.681818);
    const always = [...Array<number>(12).fill(100), ...Array<number>(10).fill(120)];
    expect(lineAt(monthly(always), always.length)).toBe(0.95);
    expect(lineAt(monthly([]), 0)).toBe(0.5);
  });

  test("a month of 0 is an outcome, and an undelivered month is not", () => {
    const lastYear = Array<number>(12).fill(100);
    const series = monthly([...lastYear, 0, null, 120]);
    const said = (month: string) => ({ ...series.subject, month }) as Statement;
    expect(["2011-01", "2011-02", "2011-03", "2011-04"].map((month) => decided(series, said(month)))).toEqual(
      [false, undefined, true, undefined],
    );
    // Nothing traded last year either: no more than nothing.
    const silent = monthly([0, ...lastYear.slice(1), 0]);
    expect(decided(silent, said("2011-01"))).toBe(false);
    // One zero of four outcomes counts in the line.
    expect(lineAt(monthly([...lastYear, 120, 120, 120, 0]), 16)).toBe(0.7);
  });

  test("the regression: equal halves give one half, order gives more above than below, and separated points a finite probability", () => {
    const points = (y: (x: number) => boolean) =>
      Array.from({ length: 40 }, (_, at) => ({ x: at - 19.5, y: y(at) }));
    const mixed = points((at) => at % 2 === 0);
    expect(chanceAt(mixed, 0)).toBeCloseTo(0.5, 2);
    const separated = points((at) => at >= 20);
    expect(chanceAt(separated, 15)).toBeGreaterThan(0.9);
    expect(chanceAt(separated, -15)).toBeCloseTo(1 - chanceAt(separated, 15)!, 5);
    expect(chanceAt(points(() => true).slice(0, 23), 1)).toBeUndefined();
    expect(
      chanceAt(
        mixed.map(({ y }) => ({ x: 1, y })),
        1,
      ),
    ).toBeUndefined();
  });

  test("the regression maximises its penalised likelihood: the gradient there is 0", () => {
    const points = Array.from({ length: 30 }, (_, at) => ({ x: Math.sin(at), y: Math.sin(at * 1.3) > 0.2 }));
    const n = points.length;
    const centre = points.reduce((sum, { x }) => sum + x, 0) / n;
    const spread = Math.sqrt(points.reduce((sum, { x }) => sum + (x - centre) ** 2, 0) / n);
    const logit = (p: number) => Math.log(p / (1 - p));
    const a = logit(chanceAt(points, centre)!);
    const b = logit(chanceAt(points, centre + spread)!) - a;
    const off = ({ x, y }: { x: number; y: boolean }) =>
      (y ? 1 : 0) - 1 / (1 + Math.exp(-a - (b * (x - centre)) / spread));
    expect(points.reduce((sum, point) => sum + off(point), -a)).toBeCloseTo(0, 3);
    const slope = points.reduce((sum, point) => sum + (off(point) * (point.x - centre)) / spread, -b);
    expect(slope).toBeCloseTo(0, 3);
  });
});

const facts: trades.Opened = {
  trade_id: "ab".repeat(16),
  statement: { kind: "above_last_year", reporter: "LV", flow: "IMPORT", hs: "44", month: "2026-01" },
  side: "yes",
  line: 0.5,
  p: 0.7,
  confidence: 0.7,
  stake: 10,
  strategy: "momentum",
  version: 1,
  reasoning: "because",
  dataset: "sandbox",
  synthetic: true,
  as_of_month: null,
  as_of_position: 7,
  vintages: ["v"],
  opened_at: "2026-02-20T00:00:00.000Z",
  decides_by: "2026-06-20",
};
const opened: trades.TradeState = { status: "open", facts };
const at = "2026-03-22T00:00:00.000Z";

test("a bet is opened once and ends once, and nothing follows its end", () => {
  expect(trades.open(facts)(undefined)).toHaveLength(1);
  expect(trades.open(facts)(opened)).toEqual([]);
  expect(trades.decidesBy(facts.opened_at)).toBe(facts.decides_by);
  expect(trades.close({ outcome: true, vintage: "w", at })(opened)).toEqual([
    { type: "PaperTradeClosed", data: { outcome: true, pnl: 10, vintage: "w", closed_at: at } },
  ]);
  expect(trades.follow({ line: 0.4, vintage: "w", at })(opened)).toEqual([]);
  const [stopped] = trades.follow({ line: 0.3, vintage: "w", at })(opened);
  expect(stopped).toEqual({
    type: "PaperTradeStopped",
    data: { line: 0.3, pnl: -4, vintage: "w", stopped_at: at },
  });
  expect(trades.expire("2026-06-20T23:59:59.000Z")(opened)).toEqual([]);
  expect(trades.expire("2026-06-21T00:00:00.000Z")(opened)).toHaveLength(1);
  const ended = trades.evolve(opened, stopped!);
  expect(trades.close({ outcome: true, vintage: "w", at })(ended)).toEqual([]);
  expect(trades.expire("2027-01-01T00:00:00.000Z")(ended)).toEqual([]);
});

test("evaluations take the months in order before the first release, then the releases in order, each once", () => {
  const due = (state: evaluation.EvaluationState, release_position: number, as_of_month: string | null) =>
    evaluation.isDue(state, { release_position, as_of_month });
  expect([due(undefined, 7, "2025-03"), due(undefined, 7, null)]).toEqual([true, true]);
  const begun = { as_of_month: "2025-03" };
  expect([due(begun, 7, "2025-03"), due(begun, 7, "2025-04"), due(begun, 7, null)]).toEqual([
    false,
    true,
    true,
  ]);
  // A release that arrives meanwhile is continued with.
  expect(due(begun, 9, "2025-04")).toBe(true);
  const whole = { release_position: 7 };
  expect([due(whole, 7, null), due(whole, 9, null), due(whole, 9, "2025-04")]).toEqual([false, true, false]);
});
