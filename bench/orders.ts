/**
 * Orders per second, each reserving goods: of one product, where each depends on the previous one, and of a
 * thousand. Over HTTP with a call's whole cost (key, input, sealing, answer), and in process next to other ways:
 *
 *   row lock           a row per product, locked by SELECT … FOR UPDATE, and an order, in one transaction (as Vendure,
 *                      PR 4930)
 *   emmett-postgresql  a stream per product and per order, appended in sequence: it has no commit over two
 *   roulette           bets on one account over HTTP, which depend on each other like orders of one product
 *   bare route         a bare Express route that appends one event and sends the bytes of an answer about a product
 *   limit              one INSERT … SELECT of the same rows and indexes: Postgres writes no event faster
 *
 *     npx tsx bench/orders.ts [--seconds 5] [--rounds 3] [--connections 64] [--products 1000] [--tenants 1000]
 *
 * Figures are medians over alternating rounds. A tenant may hold a product by three unpaid orders. Over HTTP "one
 * product" is therefore one at a time: the next follows when every tenant has ordered three times.
 */
import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import pg from "pg";
import { forEach } from "../src/core/coordination/concurrency.ts";
import { mailSubject, type Sealed } from "../src/core/model/sealed.ts";
import * as orders from "../src/domain/commerce/order.ts";
import * as product from "../src/domain/commerce/product.ts";
import * as stock from "../src/domain/commerce/stock.ts";
import * as account from "../src/domain/lounge/account.ts";
import { releaseSandboxTables } from "../src/operator/reference.ts";
import { insertSelect } from "./append-contenders.ts";
import { startAppendingExpress } from "./bare-express.ts";
import {
  AT,
  appendRate,
  database,
  type Load,
  listProducts,
  meta,
  orderKey,
  PLENTY,
  type Post,
  posts,
  RICH,
  startDrawingService,
  takeTurns,
  UNIT,
  withDatabase,
  withService,
} from "./load.ts";
import type { Environment } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    products: { type: "string", default: "1000" },
    tenants: { type: "string", default: "1000" },
  },
});
const load: Load = { connections: Number(values.connections), seconds: Number(values.seconds) };
const rounds = Number(values.rounds);
const many = Number(values.products);
const buyers = Number(values.tenants);
/** Unpaid orders of one product that the service accepts. */
const FULL = buyers * stock.MOST_UNPAID;
/** More orders per second than the service answers over HTTP on two cores. */
const CEILING = 4_000;
const most = CEILING * load.seconds * rounds;
if (most > many * FULL)
  throw new RangeError(
    `${buyers} tenants may place ${many * FULL} orders of ${many} products: raise --tenants or --products`,
  );

const UNTIL = "2999-01-01T00:00:00.000Z";
const CUSTOMER = "anna@example.org";

const sealed: Sealed = {
  subject_id: "5".repeat(32),
  seal_id: "6".repeat(32),
  iv: "a".repeat(16),
  ct: "a".repeat(171),
  tag: "b".repeat(22),
};

/** An order's content, of about real length. */
const factsOf = (order_id: number, product_id: number): orders.OrderFacts => ({
  ...{ order_id, product_id, slug: `pellets-${product_id}`, unit: UNIT, quantity: 1, base_quantity: 1 },
  ...{ net_cents: 495, vat_cents: 104, gross_cents: 599, usdc_micro: 6_291_297, eur_usd: "1.0503" },
  ...{
    rate_as_of: "2026-01-01",
    payment: "x402",
    quote_id: null,
    lines: [{ location: "riga", quantity: 1 }],
  },
  ...{ until: UNTIL, customer: sealed, placed_at: AT },
});

const newId = () => randomInt(1, 2 ** 48 - 1);

/** The rate of this many workers. */
async function rateOf({ connections, seconds }: Load, order: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let done = 0;
  const worker = async () => {
    for (; performance.now() < end; done++) await order();
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return done / seconds;
}

/** Ours without HTTP: the two decisions in one commit. */
const inProcess = (env: Environment, productOf: () => number) =>
  withService(env, (app) =>
    rateOf(load, () => {
      const [order_id, product_id] = [newId(), productOf()];
      const tenant = `buyer-${order_id}`;
      const wanted = { order_id, tenant, unit: UNIT, base: 1, quantity: 1, until: UNTIL };
      return app.commit(
        async ({ decide, watch }) => {
          await watch(orders, orders.targetOf(tenant, order_id));
          await decide(stock, product.targetOf(tenant, product_id), stock.reserve(wanted, AT));
          await decide(
            orders,
            orders.targetOf(tenant, order_id),
            orders.place(factsOf(order_id, product_id)),
          );
        },
        { meta },
      );
    }),
  );

/** A way of ordering: its rate for these products. */
type OrderContender = { measure(productOf: () => number): Promise<number>; close(): Promise<unknown> };

async function rowLock(url: string): Promise<OrderContender> {
  const pool = new pg.Pool({ connectionString: url, max: Math.min(load.connections, 24) });
  await pool.query(`create table stock_level (product_id bigint primary key, on_hand bigint not null, allocated bigint not null);
    create table shop_order (order_id bigint primary key, tenant text not null, facts jsonb not null);
    insert into stock_level select n, ${PLENTY}, 0 from generate_series(1, ${many + rounds}) n`);
  const order = async (product_id: number) => {
    const client = await pool.connect();
    try {
      await client.query("begin");
      const sql = "select on_hand - allocated as available from stock_level where product_id = $1 for update";
      const { rows } = await client.query<{ available: string }>(sql, [product_id]);
      if (Number(rows[0]!.available) < 1) throw new Error("out of stock");
      await client.query("update stock_level set allocated = allocated + 1 where product_id = $1", [
        product_id,
      ]);
      const order_id = newId();
      const facts = JSON.stringify(factsOf(order_id, product_id));
      await client.query("insert into shop_order values ($1, $2, $3)", [
        order_id,
        `buyer-${order_id}`,
        facts,
      ]);
      await client.query("commit");
    } finally {
      client.release();
    }
  };
  return { measure: (productOf) => rateOf(load, () => order(productOf())), close: () => pool.end() };
}

/** With cached versions and queued writers, like ours: it need not read streams. */
async function emmett(url: string): Promise<OrderContender> {
  const store = getPostgreSQLEventStore(url);
  await store.schema.migrate();
  const versions = new Map<number, bigint>();
  const lines = new Map<number, Promise<unknown>>();
  const order = async (product_id: number) => {
    const order_id = newId();
    const data = {
      order_id,
      tenant: `buyer-${order_id}`,
      lines: [{ location: "riga", quantity: 1 }],
      until: UNTIL,
    };
    const before = versions.get(product_id);
    const { nextExpectedStreamVersion } = await store.appendToStream(
      `stock-${product_id}`,
      [{ type: "StockReserved", data }],
      { expectedStreamVersion: before ?? "STREAM_DOES_NOT_EXIST" },
    );
    versions.set(product_id, nextExpectedStreamVersion);
    await store.appendToStream(
      `order-${order_id}`,
      [{ type: "OrderPlaced", data: factsOf(order_id, product_id) }],
      {
        expectedStreamVersion: "STREAM_DOES_NOT_EXIST",
      },
    );
  };
  const inLine = (product_id: number) => {
    const mine = (lines.get(product_id) ?? Promise.resolve()).then(() => order(product_id));
    lines.set(product_id, mine);
    return mine;
  };
  return { measure: (productOf) => rateOf(load, () => inLine(productOf())), close: () => store.close() };
}

const APPENDS = "the log: appends of one event";
const APPENDING = "a bare Express route that appends";
const LIMIT = "limit: events by one INSERT … SELECT";
const LIMIT_ROWS = 20_000;
/** Events of an order: of its product's stock and its own. */
const EVENTS = 2;

/**
 * A line per contender: its rate, the ratios to appends, to the bare route and to both peers with the same products, and its events
 * relative to the limit.
 */
function tellOrders(rates: Map<string, number>): void {
  console.table(
    [...rates].map(([what, rate]) => {
      const [goods] = what.split(": ");
      const isOrder = rates.has(`${goods}: row lock`);
      const times = (other: string, events = 1) => ((events * rate) / rates.get(other)!).toFixed(2);
      return {
        what,
        "a second": Math.round(rate),
        "÷ appends": times(APPENDS),
        "÷ bare route": times(APPENDING),
        "× row lock": isOrder ? times(`${goods}: row lock`) : "",
        "× emmett": isOrder ? times(`${goods}: emmett-postgresql`) : "",
        "events ÷ limit": times(LIMIT, isOrder ? EVENTS : 1),
      };
    }),
  );
}

await withDatabase(async (bare) => {
  const ownerUrl = bare.DATABASE_URL!;
  const env: Environment = { ...bare, SUBJECT_KEYS_URL: await database(ownerUrl, "vault") };
  // After the thousand come the products that are ordered alone: in process one per round, over HTTP another whenever
  // one is full.
  const firstOverHttp = many + rounds + 1;
  const last = many + 2 * rounds + Math.ceil(most / FULL);
  const keys = await withService(env, async (app) => {
    await releaseSandboxTables(app, env.DATA_DIR!);
    await listProducts(app, 1, last);
    const tenants = Array.from({ length: buyers }, (_, n) => `buyer-${n}`);
    // Customers with earlier orders, because a first order also creates a key in the vault.
    const place = { tenant: "bench", stream_id: "bench", type: "Bench" };
    const value = { mail: CUSTOMER };
    await app.subjects.seal(
      tenants.map((tenant) => ({ subject: mailSubject(tenant, CUSTOMER), place, value })),
    );
    const rich = account.followDeposits([RICH], [], AT);
    await app.decide(account, account.targetOf(tenants[0]!), rich, { meta });
    return forEach(tenants, (tenant) => orderKey(app, tenant));
  });
  const [locked, emmettStore] = [
    await rowLock(await database(ownerUrl, "locked")),
    await emmett(await database(ownerUrl, "emmett")),
  ];
  const service = await startDrawingService(env, keys[0]!);
  const newest = `${service.url}/v1/agent/availability?product_id=${last}`;
  while ((await fetch(newest, { headers: keys[0]! })).status !== 200) await pause(200);

  let ordersPlaced = 0;
  const answer = await fetch(newest, { headers: keys[0]! }).then((order) => order.text());
  const appending = await startAppendingExpress(env, answer);
  const bodyOf = (product_id: number) =>
    JSON.stringify({
      product_slug: `pellets-${product_id}`,
      quantity: 1,
      customer_email: CUSTOMER,
      delivery_address: "Brīvības iela 1, Rīga",
    });
  const ordered = (productOf: (order: number) => number): Promise<number> => {
    const next = (): Post => {
      const order = ordersPlaced++;
      return {
        headers: { ...keys[order % buyers]!, "Idempotency-Key": `order-${order}` },
        body: bodyOf(productOf(order)),
      };
    };
    return posts(`${service.url}/v1/agent/orders`, next, load);
  };
  let productAlone = firstOverHttp - 1;
  const orderedAlone = () => {
    let placed = 0;
    return ordered(() => {
      if (placed++ % FULL === 0) productAlone++;
      return productAlone;
    });
  };
  /** Each tenant orders every product once before repeating, and no two tenants in the same order. */
  const orderedOfMany = () =>
    ordered((order) => 1 + (((order % buyers) * 7_919 + Math.floor(order / buyers)) % many));
  const bet = (): Post => ({ headers: keys[0]!, body: JSON.stringify({ bet_type: "red" }) });
  const anyOf = () => randomInt(1, many + 1);
  /** One product, which nobody has ordered in an earlier round. */
  const oneOf = (measure: (productOf: () => number) => Promise<number>) => {
    let round = 0;
    return () => {
      const product_id = many + 1 + round++;
      return measure(() => product_id);
    };
  };
  try {
    const rates = await takeTurns(
      [
        [APPENDS, () => appendRate(env, load)],
        [LIMIT, () => insertSelect(ownerUrl, LIMIT_ROWS)],
        [APPENDING, () => posts(appending.url, () => ({ headers: keys[0]!, body: bodyOf(1) }), load)],
        ["one product: ours over HTTP", orderedAlone],
        [
          "one account: roulette over HTTP",
          () => posts(`${service.url}/v1/agent/lounge/roulette`, bet, load),
        ],
        ["one product: ours", oneOf((productOf) => inProcess(env, productOf))],
        ["one product: row lock", oneOf(locked.measure)],
        ["one product: emmett-postgresql", oneOf(emmettStore.measure)],
        [`${many} products: ours over HTTP`, orderedOfMany],
        [`${many} products: ours`, () => inProcess(env, anyOf)],
        [`${many} products: row lock`, () => locked.measure(anyOf)],
        [`${many} products: emmett-postgresql`, () => emmettStore.measure(anyOf)],
      ],
      rounds,
    );
    tellOrders(rates);
  } finally {
    appending.stop();
    await Promise.all([service.stop(), locked.close(), emmettStore.close()]);
  }
});
