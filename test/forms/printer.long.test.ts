/** The printing thread in hard times: too many orders at once, one that cannot be drawn, one that ends the thread. */
import { afterAll, describe, expect, test } from "vitest";
import { createPrinter } from "../../src/adapters/printing/printer.ts";
import type { Chart } from "../../src/core/model/chart.ts";
import type { Refusal } from "../../src/core/model/refusal.ts";

const printer = createPrinter();
afterAll(() => printer.close());

const provenance = { dataset: "d", vintage: "3fa9c0b1d2e4f5a6", synthetic: false, source: "Eurostat Comext" };
const chart: Chart = {
  kind: "line",
  title: "Monthly trade",
  x: ["2020-01", "2020-02"],
  series: [{ name: "imports", values: [1, 2] }],
  unit: "EUR",
  notes: [],
};
const draw = (drawn: Chart) =>
  printer.print({ form: "image/svg+xml", chart: drawn, provenance }).then((svg) => svg.toString());

describe("the printer", () => {
  const orders = (count: number, from: ReturnType<typeof createPrinter>) =>
    Promise.allSettled(
      Array.from({ length: count }, () => from.print({ form: "image/svg+xml", chart, provenance })),
    );

  test("refuses orders beyond fifty waiting ones, and draws the others", async () => {
    const results = await orders(60, printer);
    const refused = results.filter((one): one is PromiseRejectedResult => one.status === "rejected");
    expect(refused.length).toBe(9);
    for (const { reason } of refused) expect((reason as Refusal).type.slug).toBe("busy");
  });

  test("continues after an order that cannot be drawn, and after one that ends its thread", async () => {
    const broken = { ...chart, series: 7 } as unknown as Chart;
    await expect(draw(broken)).rejects.toThrow("could not be printed");
    expect(await draw(chart)).toContain("Monthly trade");
    const endless = {
      x: [],
      columns: [],
      rows: Array.from({ length: 250_000 }, () => Array(30).fill("x".repeat(20))),
    };
    await expect(printer.print({ form: "text/csv", sheet: endless })).rejects.toThrow("could not be printed");
    expect(await draw(chart)).toContain("Monthly trade");
  });

  test("that is closed prints nothing more", async () => {
    const own = createPrinter();
    const answer = orders(3, own);
    await own.close();
    expect((await answer).every(({ status }) => status === "rejected")).toBe(true);
    expect((await orders(1, own))[0]!.status).toBe("rejected");
  });
});
