/** Measures the forecast on real monthly series, from the same origins as its candidate methods. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Forecast, forecastCatalogue } from "../../src/domain/commerce/forecast.ts";
import { meanOf, meanStep } from "../../src/domain/commerce/smoothing.ts";
import { AHEAD, here, kinds, ORIGINS, realSeries } from "./real-series.ts";

type Judged = { series: number[]; origin: number; forecast: Forecast };

describe.skipIf(!here)("the forecast of 2,154 real series", () => {
  let judged: Judged[] = [];
  beforeAll(async () => {
    const all = await realSeries();
    expect(all).toHaveLength(2_154);
    judged = ORIGINS.flatMap((origin) => {
      const known = all.map((series) => series.slice(0, origin));
      const made = forecastCatalogue(known, { months_ahead: AHEAD, window: 36 });
      return made.map((forecast, at) => ({ series: all[at]!, origin, forecast }));
    });
  });

  const scaledError = ({ series, origin, forecast }: Judged) =>
    meanOf(forecast.months.map(({ ahead, mean }) => Math.abs(series[origin + ahead - 1]! - mean))) /
    meanStep(series.slice(0, origin));

  test.each([
    ["without zeros", 7_968, 0.921],
    ["over a quarter zeros", 292, 1.3],
  ] as const)("for %s makes %i forecasts with a MASE of at most %f", (kind, count, most) => {
    const measured = judged.filter(({ series, origin }) => kinds[kind](series, origin));
    expect(measured).toHaveLength(count);
    expect(meanOf(measured.map(scaledError))).toBeLessThanOrEqual(most);
  });

  test.each([
    [80, 5],
    [95, 3],
  ] as const)("has %i of a hundred months within their interval, give or take %i", (level, margin) => {
    const results = judged.flatMap(({ series, origin, forecast }) =>
      forecast.months.flatMap((month) => {
        const interval = month[level];
        const came = series[origin + month.ahead - 1]!;
        return interval ? [interval.low <= came && came <= interval.high] : [];
      }),
    );
    const share = (100 * results.filter(Boolean).length) / results.length;
    expect(results.length).toBeGreaterThan(25_000);
    expect(Math.abs(share - level)).toBeLessThanOrEqual(margin);
  });

  test("reports a coverage close to the actual one", () => {
    for (const origin of ORIGINS) {
      const results = judged.filter((one) => one.origin === origin).map(({ forecast }) => forecast.coverage);
      const n = results.reduce((sum, one) => sum + one.n, 0);
      const share = (level: 80 | 95) => results.reduce((sum, one) => sum + (one[level] ?? 0) * one.n, 0) / n;
      expect(Math.abs(share(80) - 80)).toBeLessThanOrEqual(5);
      expect(Math.abs(share(95) - 95)).toBeLessThanOrEqual(3);
    }
  });
});
