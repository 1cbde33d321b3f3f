/** The forecast over real HTTP: its inputs, its repeats, its forms, and the operator's import. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Folding } from "../../src/core/read-models/folding.ts";
import { lastMonth, monthAfter } from "../../src/domain/commerce/demand.ts";
import * as orders from "../../src/domain/commerce/order.ts";
import * as product from "../../src/domain/commerce/product.ts";
import * as stock from "../../src/domain/commerce/stock.ts";
import { listProduct } from "../../src/operator/shop.ts";
import { importSales } from "../../src/operator/shop-sales.ts";
import { catalogueProjection } from "../../src/projections/commerce/catalogue.ts";
import { demandProjection } from "../../src/projections/commerce/demand.ts";
import { opened } from "../support/sandbox.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { facts as ordered, pellets } from "./facts.ts";
import { type Credentials, openShopSetup, pelletOrder, type ShopSetup } from "./shop-setup.ts";

let setup: ShopSetup;
let mine: Credentials;
let last: string;
beforeAll(async () => {
  setup = await openShopSetup();
  mine = await setup.keyOf("buyer");
  last = lastMonth(setup.service.app.clock.now());
});
afterAll(async () => {
  const broken = setup?.service.logged.filter(({ msg }) => msg === "an operation breaks its own declaration");
  await setup?.stop();
  expect(broken).toEqual([]);
});

const meta = { actor: "test", operation: "test" };

async function folded() {
  const { app } = setup.service;
  const { position } = await app.store.head();
  for (const list of [demandProjection, catalogueProjection])
    await until(() => app.runner.reached(list, position, LIMIT_MS));
}
const ask = (body: object, credentials = mine) => setup.ask(credentials, "forecast", body);
async function forecastOf(product_slug: string, more: object = {}, credentials = mine) {
  await folded();
  const { status, body } = await ask({ product_slug, ...more }, credentials);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.data).toHaveLength(1);
  return { ...body.data[0], meta: body.meta };
}
type Month = { month: string; quantity: number; constrained: boolean | null };
const quantityIn = ({ history }: { history: Month[] }, month: string) =>
  history.find((one) => one.month === month)?.quantity;

describe("a forecast", () => {
  test("has its months, the method, intervals, and its past accuracy", async () => {
    const made = await forecastOf("granulas-premium", { months_ahead: 4, months_history: 36 });
    expect(made.history).toHaveLength(36);
    expect(made.history.at(-1).month).toBe(last);
    expect(made).toMatchObject({ method: "seasonal_tsb", synthetic: true, base_unit: "bag", notes: [] });
    expect(made.forecast.map(({ month }: Month) => month)).toEqual(
      [1, 2, 3, 4].map((at) => monthAfter(last, at)),
    );
    for (const { mean, lo80, hi80, lo95, hi95, kg } of made.forecast) {
      expect([0, lo95, lo80, mean, hi80, hi95]).toEqual(
        [0, lo95, lo80, mean, hi80, hi95].sort((a, b) => a - b),
      );
      expect(kg).toBeCloseTo(mean * 15, 0);
    }
    expect(made.tests.origins).toBeGreaterThan(30);
    expect(made.tests.mae).toBeLessThan(made.tests.against.mae);
    expect(made.tests.preferred_history).toBeGreaterThanOrEqual(24);
    expect(made.coverage.n).toBeGreaterThan(100);
    expect(made.meta).toMatchObject({
      dataset: "sandbox-shop-sales",
      synthetic: true,
      last_month: last,
      count: 1,
      rests_on: made.meta.vintage,
    });
    expect(made.meta.as_of_position).toBeGreaterThan(0);
  });

  test("of all products covers the last year and three months ahead, and lists further options", async () => {
    const { body } = await ask({});
    expect(body.data.map(({ slug, method }: { slug: string; method: string }) => [slug, method])).toEqual([
      ["granulas-premium", "tsb"],
      ["briketes-ozols", "tsb"],
      ["saplaksnis-berzs", "tsb"],
      ["finieris-ozols", "tsb"],
    ]);
    type TestedIntervals = { coverage: { "80": number; "95": number; n: number } };
    const n = body.data.reduce((sum: number, { coverage }: TestedIntervals) => sum + coverage.n, 0);
    const within = body.data.reduce(
      (sum: number, { coverage }: TestedIntervals) => sum + (coverage.n * coverage["80"]) / 100,
      0,
    );
    expect(within / n).toBeGreaterThan(0.799);
    for (const { history, forecast, notes } of body.data) {
      expect([history.length, forecast.length]).toEqual([12, 3]);
      expect(notes).toEqual(["Seasons are looked for where months_history is at least 24."]);
    }
  });

  test.each([3, 4, 5])("of %i months has intervals", async (months_history) => {
    const made = await forecastOf("granulas-premium", { months_history });
    expect(made.method).toBe("mean");
    for (const { mean, lo80, hi80, lo95, hi95 } of made.forecast)
      expect([0, lo95, lo80, mean, hi80, hi95]).toEqual(
        [0, lo95, lo80, mean, hi80, hi95].sort((a, b) => a - b),
      );
    expect(made.forecast[0].hi80).toBeGreaterThan(made.forecast[0].mean);
  });

  test("names invalid input", async () => {
    const many = await ask({ months_ahead: 13, months_history: 2, product_slug: "No Slug" });
    expect(many.status).toBe(400);
    expect(many.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      "months_ahead",
      "months_history",
      "product_slug",
    ]);
    const unknown = await ask({ product_slug: "coal" });
    expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining("products_list")]);
  });

  test("costs 0.10", async () => {
    const paid = await setup.pays(wallet(3), "forecast", { product_slug: "briketes-ozols" });
    expect([paid.status, paid.body.data[0].slug]).toEqual([200, "briketes-ozols"]);
    expect((await ask({}, {})).status).toBe(402);
  });

  test("of a product listed this month is empty", async () => {
    await listProduct(setup.service.app, "live", { ...pellets, product_id: undefined, slug: "new-pellets" });
    expect(await forecastOf("new-pellets")).toMatchObject({
      history: [],
      method: "none",
      forecast: [],
      tests: null,
      synthetic: false,
      notes: ["No month of this product is over yet: there is nothing to forecast from."],
    });
  });
});

describe("the forms of a forecast", () => {
  const inForm = async (accept: string, body: object) => {
    const response = await fetch(`${setup.service.url}/v1/agent/forecast`, {
      method: "POST",
      headers: { ...mine, "Content-Type": "application/json", Accept: accept },
      body: JSON.stringify(body),
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining(accept),
    ]);
    return Buffer.from(await response.arrayBuffer());
  };

  test("include rows: past orders, then the forecast", async () => {
    const [header, ...lines] = (await inForm("text/csv", { product_slug: "granulas-premium" }))
      .toString()
      .trimEnd()
      .split("\r\n");
    expect(header).toBe(
      "product_id,slug,month,kind,quantity,base_unit,lo80,hi80,lo95,hi95,kg,constrained,method,synthetic,dataset,vintage",
    );
    expect(lines).toHaveLength(15);
    expect(lines[0]).toContain(`1,granulas-premium,${monthAfter(last, -11)},history,`);
    expect(lines.at(-1)).toContain(`${monthAfter(last, 3)},forecast,`);
  });

  test("include an image with both bands for one product, and indices for several", async () => {
    const one = (
      await inForm("image/svg+xml", { product_slug: "granulas-premium", months_history: 36 })
    ).toString();
    for (const text of ["Dashed: forecast.", "Dark band: 80 of 100", "SYNTHETIC sandbox figures", "bags"])
      expect(one).toContain(text);
    expect(one.match(/fill-opacity="0.18"/g)).toHaveLength(2);
    const all = (await inForm("image/svg+xml", {})).toString();
    expect(all).toContain("mean month = 100");
    expect(all).not.toContain('fill-opacity="0.18"');
    expect((await inForm("image/png", {})).subarray(1, 4).toString()).toBe("PNG");
  });
});

/** Nothing expires during the test. */
const FAR = "2099-01-01T00:00:00.000Z";

describe("orders", () => {
  const place = (order_id: number, more: Partial<orders.OrderFacts>) =>
    setup.service.app.decide(
      orders,
      orders.targetOf("buyer", order_id),
      orders.place({ ...ordered, order_id, slug: "granulas-premium", until: FAR, ...more }),
      { meta },
    );
  const inMonth = (month: string, day: number) => `${month}-${String(day).padStart(2, "0")}T08:00:00.000Z`;

  test("count in their month until they expire or are cancelled; the current month does not count", async () => {
    const { app } = setup.service;
    const month = monthAfter(last, -1);
    const before = quantityIn(await forecastOf("granulas-premium"), month)!;
    await place(11, { placed_at: inMonth(month, 3), base_quantity: 65 });
    await place(12, { placed_at: inMonth(month, 28), base_quantity: 10 });
    await place(13, { placed_at: inMonth(month, 28), base_quantity: 1 });
    expect(quantityIn(await forecastOf("granulas-premium"), month)).toBe(before + 76);
    const now = app.clock.now().toISOString();
    const over = orders.expire("2099-01-02T00:00:00.000Z");
    await app.decide(orders, orders.targetOf("buyer", 12), over, { meta });
    const cancelled = { by: "buyer" as const, reason: "other", cancelled_at: now };
    await app.decide(orders, orders.targetOf("buyer", 13), orders.cancel(cancelled), { meta });
    const after = await forecastOf("granulas-premium");
    expect(quantityIn(after, month)).toBe(before + 65);
    const bought = await setup.ask({ ...mine, "Idempotency-Key": "now" }, "orders", pelletOrder(7));
    expect(bought.status).toBe(201);
    const { meta: _, ...same } = await forecastOf("granulas-premium");
    const { meta: __, ...known } = after;
    expect(same).toEqual(known);
  });

  test("of test keys count only in the test keys' shop", async () => {
    const tester = await setup.keyOf("buyer", "test");
    const before = await forecastOf("saplaksnis-berzs");
    const target = orders.targetOf("test:buyer", 21);
    const facts = {
      ...ordered,
      order_id: 21,
      product_id: 3,
      until: FAR,
      placed_at: inMonth(last, 2),
      base_quantity: 5,
    };
    await setup.service.app.decide(orders, target, orders.place(facts), { meta });
    const test = await forecastOf("saplaksnis-berzs", {}, tester);
    expect(quantityIn(test, last)).toBe(quantityIn(before, last)! + 5);
    expect(quantityIn(await forecastOf("saplaksnis-berzs"), last)).toBe(quantityIn(before, last));
  });

  test("understate months in which the product was out of stock", async () => {
    const { app } = setup.service;
    const [first, second, third] = [-2, -1, 0].map((at) => monthAfter(last, at)) as [string, string, string];
    const listed_at = inMonth(first, 1);
    const facts = { ...pellets, product_id: 77, slug: "scarce-pellets", listed_at };
    const target = product.targetOf("buyer", 77);
    const move = (decision: (state: stock.StockState) => stock.StockEvent[]) =>
      app.decide(stock, target, decision, { meta });
    const receive = (at: string) =>
      move(stock.receive({ location: "riga", quantity: 10, reference: null, received_at: at }));
    await app.decide(product, target, product.list(facts), { meta });
    await receive(listed_at);
    // Reserved on the 5th, freed on the 20th of the next month, reserved again for the last 5 days, then a delivery.
    const hold = (order_id: number, at: string) =>
      move(
        stock.reserve(
          { order_id, tenant: "buyer", unit: "bag", base: 1, quantity: 10, until: inMonth(third, 28) },
          at,
        ),
      );
    await hold(31, inMonth(first, 5));
    await move(stock.release(31, "expired", inMonth(second, 20)));
    await hold(32, inMonth(second, 24));
    await move(stock.confirm(32, inMonth(second, 25)));
    await move(stock.ship(32, inMonth(third, 4)));
    await receive(inMonth(third, 5));
    const { history, notes, method } = await forecastOf("scarce-pellets", { months_history: 3 });
    expect(history).toEqual([
      { month: first, quantity: 0, constrained: true },
      { month: second, quantity: 0, constrained: true },
      { month: third, quantity: 0, constrained: false },
    ]);
    expect([method, notes]).toEqual([
      "mean",
      [
        "Fewer than 6 months are looked at: their mean, with the interval of all products.",
        "Months without stock on more than 10 days: 2; demand was likely more.",
      ],
    ]);
  });

  test("fold one by one to the same as together", async () => {
    await folded();
    const { app } = setup.service;
    const events = await app.store.readLog({ after: 0, limit: 100_000 });
    const tables = ["demand", "demand_orders", "demand_stock", "demand_held", "stock_outs"];
    const client = await app.pool.connect();
    const read = async () => {
      const found: object[][] = [];
      for (const table of tables)
        found.push((await client.query(`select t::text from read.${table}_v1 t order by 1`)).rows);
      return found;
    };
    try {
      await client.query("begin");
      const kept = await read();
      expect(kept.map((rows) => rows.length > 0)).toEqual([true, true, true, true, true]);
      for (const page of [events.map((event) => [event]), [events]]) {
        for (const table of tables) await client.query(`delete from read.${table}_v1`);
        const folding = new Folding(app.unit.schemas);
        for (const some of page) await folding.of(demandProjection, some)?.(client);
        expect(await read()).toEqual(kept);
      }
    } finally {
      await client.query("rollback");
      client.release();
    }
  });
});

describe("imported sales", () => {
  const sales = async (...lines: string[]) => {
    const path = join(setup.service.data_dir, "sales.csv");
    await writeFile(path, `${lines.join("\n")}\n`);
    return importSales(setup.service.app, setup.service.data_dir, path);
  };
  const HEADER = "product_slug,month,quantity";

  test.each([
    ["another header", ["slug,month,quantity", "a,2024-01,1"], /header product_slug,month,quantity/],
    ["a table of another kind", ["DATE,RATE", "1,2"], /header product_slug,month,quantity/],
    ["a slug that is none", [HEADER, "A b,2024-01,1"], /product_slug "A b" is not a slug/],
    ["a month that is none", [HEADER, "a,2024-13,1"], /month "2024-13" is not a month/],
    ["a part of a bag", [HEADER, "a,2024-01,1.5"], /quantity "1.5" is not a whole number/],
    ["less than nothing", [HEADER, "a,2024-01,-1"], /quantity "-1" is not/],
    ["a month twice", [HEADER, "a,2024-01,1", "a,2024-01,2"], /a 2024-01 occurs twice/],
    ["nothing", [HEADER], /has only a header/],
  ])("are refused for %s", async (_, lines, why) => {
    await expect(sales(...lines)).rejects.toThrow(why);
  });

  test("replace invented ones, and earlier answers can be repeated", async () => {
    const before = await forecastOf("briketes-ozols");
    const months = Array.from({ length: 8 }, (_, at) => monthAfter(last, at - 8));
    const imported = await sales(
      HEADER,
      ...months.map((month, at) => `briketes-ozols,${month},${40 + at}`),
      `briketes-ozols,${monthAfter(last, 5)},9999`,
      `lignite,${last},5`,
    );
    expect(imported).toMatchObject({ unlisted: ["lignite"], facts: { dataset: "shop-sales", rows: 10 } });
    await opened(setup.service, [imported.facts.vintage]);
    const after = await forecastOf("briketes-ozols");
    expect(after).toMatchObject({ synthetic: false, method: "tsb" });
    expect(after.history.map(({ quantity }: Month) => quantity)).toEqual([40, 41, 42, 43, 44, 45, 46, 47, 0]);
    expect(after.meta).toMatchObject({
      dataset: "shop-sales",
      synthetic: false,
      rests_on: imported.facts.vintage,
    });
    const again = await forecastOf("briketes-ozols", { vintage: before.meta.rests_on });
    const { as_of_position: _, ...earlier } = before.meta;
    expect(again).toEqual({ ...before, meta: { ...earlier, as_of_position: again.meta.as_of_position } });
    const tester = await setup.keyOf("buyer", "test");
    expect((await forecastOf("briketes-ozols", {}, tester)).synthetic).toBe(true);
    const unknown = await ask({ vintage: "0".repeat(64) });
    expect(unknown.status).toBe(404);
  });
});
