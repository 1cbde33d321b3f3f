/** Months of demand: their range, their quantities, and months with too little stock. */
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

test("months continue over the end of a year, and the current one is excluded", () => {
  expect([monthAfter("2025-12"), monthAfter("2026-01", -1), monthAfter("2026-06", -17)]).toEqual([
    "2026-01",
    "2025-12",
    "2025-01",
  ]);
  expect(lastMonth(new Date("2026-07-01T00:00:00Z"))).toBe("2026-06");
  expect(lastMonth(new Date("2026-06-30T23:59:59Z"))).toBe("2026-05");
});

describe("demand", () => {
  test("covers the first month with data, or that of the listing, to the last; months between have none", () => {
    expect(of({}).map(({ month, quantity }) => [month, quantity])).toEqual([
      ["2026-03", 0],
      ["2026-04", 0],
      ["2026-05", 0],
      ["2026-06", 0],
    ]);
    expect(of({ "2026-01": 5, "2026-04": 7 }).map(({ quantity }) => quantity)).toEqual([5, 0, 0, 7, 0, 0]);
  });

  test("adds imported sales and orders of one month, and ignores the current month", () => {
    const twice = [
      { month: "2026-05", quantity: 2 },
      { month: "2026-05", quantity: 3 },
      { month: "2026-07", quantity: 9 },
    ];
    expect(of({}, { sold: twice }).at(-2)).toMatchObject({ month: "2026-05", quantity: 5 });
    expect(of({}, { sold: twice }).at(-1)!.month).toBe("2026-06");
  });

  test("of a product listed after the last month is empty", () => {
    expect(of({}, { listed_at: "2026-07-02T00:00:00.000Z" })).toEqual([]);
  });

  test("goes back as far as requested", () => {
    const known = { sold: [{ month: "2010-01", quantity: 1 }], listed_at, outs: [] };
    const months = demandOf(known, { last: "2026-06", most: 60 });
    expect([months.length, months[0]!.month]).toEqual([60, "2021-07"]);
  });

  test("is constrained in months with more than ten days out of stock, and unknown before the listing", () => {
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
