/** Months of demand: which there are, what is in them, and when too little was in stock to say. */
import { describe, expect, test } from "vitest";
import { daysOut, demandOf, lastMonth, monthAfter } from "../../src/domain/commerce/demand.ts";

const listed_at = "2026-03-20T08:00:00.000Z";
const of = (sold: Record<string, number>, more: object = {}) =>
  demandOf(
    {
      sold: Object.entries(sold).map(([month, quantity]) => ({ month, quantity })),
      listed_at,
      outs: [],
      ...more,
    },
    { last: "2026-06", most: 60 },
  );

test("months follow each other over the year's end, and the running one is left out", () => {
  expect([monthAfter("2025-12"), monthAfter("2026-01", -1), monthAfter("2026-06", -17)]).toEqual([
    "2026-01",
    "2025-12",
    "2025-01",
  ]);
  expect(lastMonth(new Date("2026-07-01T00:00:00Z"))).toBe("2026-06");
  expect(lastMonth(new Date("2026-06-30T23:59:59Z"))).toBe("2026-05");
});

describe("demand", () => {
  test("goes from the first month told of, or that of the listing, to the last; between them is none", () => {
    expect(of({}).map(({ month, quantity }) => [month, quantity])).toEqual([
      ["2026-03", 0],
      ["2026-04", 0],
      ["2026-05", 0],
      ["2026-06", 0],
    ]);
    expect(of({ "2026-01": 5, "2026-04": 7 }).map(({ quantity }) => quantity)).toEqual([5, 0, 0, 7, 0, 0]);
  });

  test("adds what was imported and what was ordered in one month, and reads none that is not over", () => {
    const twice = [
      { month: "2026-05", quantity: 2 },
      { month: "2026-05", quantity: 3 },
      { month: "2026-07", quantity: 9 },
    ];
    expect(of({}, { sold: twice }).at(-2)).toMatchObject({ month: "2026-05", quantity: 5 });
    expect(of({}, { sold: twice }).at(-1)!.month).toBe("2026-06");
  });

  test("of a product that was listed after the last month is none", () => {
    expect(of({}, { listed_at: "2026-07-02T00:00:00.000Z" })).toEqual([]);
  });

  test("reaches back as far as is asked for", () => {
    const known = { sold: [{ month: "2010-01", quantity: 1 }], listed_at, outs: [] };
    const months = demandOf(known, { last: "2026-06", most: 60 });
    expect([months.length, months[0]!.month]).toEqual([60, "2021-07"]);
  });

  test("is constrained in months without stock for more than ten days, and not known before the listing", () => {
    const outs = [
      { from: "2026-04-05T00:00:00.000Z", to: "2026-04-10T00:00:00.000Z" },
      { from: "2026-04-20T12:00:00.000Z", to: "2026-05-11T00:00:00.000Z" },
      { from: "2026-06-20T00:00:00.000Z", to: null },
    ];
    expect([daysOut(outs, "2026-04"), daysOut(outs, "2026-05"), daysOut(outs, "2026-06")]).toEqual([
      15.5, 10, 11,
    ]);
    expect(of({ "2026-02": 1 }, { outs }).map(({ constrained }) => constrained)).toEqual([
      null,
      false,
      true,
      false,
      true,
    ]);
  });
});
