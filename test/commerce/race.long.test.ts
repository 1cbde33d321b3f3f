/**
 * Many buyers, few goods, several processes: sales never exceed the stock, whoever is faster or killed. SHOP_CALLERS
 * and SHOP_ROUNDS enlarge the crowd (CONTRIBUTING.md).
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import { entriesOf } from "../../src/domain/commerce/buckets.ts";
import * as orders from "../../src/domain/commerce/order.ts";
import * as stock from "../../src/domain/commerce/stock.ts";
import { listProduct, receiveStock, setPrice } from "../../src/operator/shop.ts";
import { balanceOf } from "../chain/fixture.ts";
import { startProgram } from "../support/compiled.ts";
import { scaled } from "../support/scale.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import {
  type Answer,
  type Credentials,
  openShopSetup,
  pelletOrder,
  type ShopSetup,
  walletTenantOf,
} from "./shop-setup.ts";

const CALLERS = 4 * scaled(12, 2);
const ROUNDS = scaled(1);
/** One of four callers gets the goods. */
const UNITS = CALLERS / 4;

let setup: ShopSetup;
const children: ChildProcess[] = [];
/** URLs of all processes of the service, this one's first. */
const urls: string[] = [];
let callers: { tenant: string; credentials: Credentials }[];

beforeAll(async () => {
  setup = await openShopSetup();
  const { database_url, data_dir, url } = setup.service;
  urls.push(url);
  for (let n = 0; n < 3; n++)
    children.push(
      startProgram("test/commerce/second-process.ts", [], {
        env: { PATH: process.env.PATH, DATABASE: database_url, DATA: data_dir, VAULT: setup.vault_url },
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );
  const tenants = Array.from({ length: CALLERS }, (_, n) => `caller-${n}`);
  callers = await forEach(tenants, async (tenant) => ({ tenant, credentials: await setup.keyOf(tenant) }));
  for (const child of children) {
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    urls.push(line.toString().trim());
  }
  const { credentials } = callers[0]!;
  for (const url of urls)
    await until(
      async () => (await setup.ask(credentials, "prices?currency=USD", undefined, url)).status === 200,
    );
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await setup?.stop();
});

/** A product of this many units at two locations. */
async function rare(slug: string, units: number): Promise<number> {
  const { app } = setup.service;
  const unit = "pallet" as const;
  const product_id = await listProduct(app, "live", {
    ...{ slug, type: "finieris", name: slug, base_unit: unit, units: [{ unit, base: 1 }] },
    ...{ kg_per_base: 500, kwh_per_kg: null, vat_bp: 2_100 },
  });
  const name = String(product_id);
  await setPrice(app, "live", { name, unit, net_cents: 10_000 });
  const first = Math.ceil(units / 2);
  await receiveStock(app, "live", { name, location: "riga", quantity: first, reference: null });
  if (units > first)
    await receiveStock(app, "live", { name, location: "liepaja", quantity: units - first, reference: null });
  await setup.folded();
  return product_id;
}

/** Orders one unit until it is placed or refused: retries a busy process, and replaces a dead one. */
async function insist(
  { credentials }: { credentials: Credentials },
  slug: string,
  at: number,
): Promise<Answer> {
  let tries = 0;
  return until(async () => {
    const url = urls[(at + tries++) % urls.length]!;
    const named = { ...credentials, "Idempotency-Key": slug };
    const answer = await setup.ask(named, "orders", pelletOrder(1, { product_slug: slug }), url);
    return answer.status !== 503 && answer;
  });
}

/** Compares stock and orders: each reservation has its order in the same commit, and vice versa. */
async function expectNoOrphan(product_id: number, units: number): Promise<void> {
  const { app } = setup.service;
  const stream_id = stock.streamOf(String(product_id));
  const goods = await app.store.readStream({ tenant: "operator", stream_id });
  const reserved = goods.filter(({ type }) => type === "StockReserved");
  expect(reserved).toHaveLength(units);
  const placed = await forEach(callers, async ({ tenant }) => {
    const { rows } = await app.pool.query<{ stream_id: string }>(
      "select distinct stream_id from eventstore.events where tenant = $1 and stream_id like 'order-%'",
      [tenant],
    );
    const found = await forEach(rows, ({ stream_id }) => app.store.readStream({ tenant, stream_id }));
    return found.map(([first]) => first!).filter(({ payload }) => payload.product_id === product_id);
  });
  // A commit starts at the position in its first event and continues to the next start.
  const begun = reserved.map(({ meta, position }) => [typeof meta.commit, position + 1]);
  const ended = placed
    .flat()
    .map(({ meta, position }) => [meta.commit === undefined ? "string" : "", position]);
  expect(ended.sort()).toEqual(begun.sort());
  const { shelves, open } = await setup.stockOf(product_id);
  expect(entriesOf(open)).toHaveLength(units);
  expect(shelves.reduce((sum, { reserved }) => sum + reserved, 0)).toBe(units);
  expect(shelves.every(({ on_hand, reserved }) => on_hand === reserved)).toBe(true);
}

const outcomesOf = (answers: readonly Answer[]) => {
  const kinds = answers.map(({ status, body }) =>
    status === 201 ? "placed" : String(body.type).split("#")[1]!,
  );
  return Object.fromEntries(
    [...new Set(kinds)].sort().map((kind) => [kind, kinds.filter((one) => one === kind).length]),
  );
};

describe.each(Array.from({ length: ROUNDS }, (_, n) => n))("round %i", (round) => {
  test(`Medusa #16569, Saleor #543: ${CALLERS} callers at four processes want ${UNITS} units and get exactly that many orders`, async () => {
    const product_id = await rare(`rare-${round}`, UNITS);
    const answers = await Promise.all(callers.map((caller, n) => insist(caller, `rare-${round}`, n)));
    expect(outcomesOf(answers)).toEqual({ "out-of-stock": CALLERS - UNITS, placed: UNITS });
    await expectNoOrphan(product_id, UNITS);
  });
});

test("Medusa #16825: the loser of a race has no order, no goods and no charge", async () => {
  const product_id = await rare("last-one", 1);
  const payers = [wallet(6), wallet(7), wallet(8)];
  const { chain } = setup.service.app;
  const held = () => Promise.all(payers.map((payer) => balanceOf(chain, addressOf(payer))));
  const before = await held();
  const answers = await Promise.all(
    payers.map((payer) => setup.pays(payer, "orders", pelletOrder(1, { product_slug: "last-one" }))),
  );
  expect(outcomesOf(answers)).toEqual({ "out-of-stock": 2, placed: 1 });
  const { open } = await setup.stockOf(product_id);
  const [[, holder]] = entriesOf(open) as [[string, stock.Reservation]];
  await setup.folded();
  for (const [n, { status }] of answers.entries()) {
    const tenant = walletTenantOf(payers[n]!);
    expect(status === 201).toBe(holder.tenant === tenant);
    const { app } = setup.service;
    const { rows } = await app.pool.query("select from read.orders_v1 where tenant = $1", [tenant]);
    expect(rows).toHaveLength(status === 201 ? 1 : 0);
  }
  // A refund of a settled but lost payment is paid within seconds.
  const cost = answers.map(({ status }) => (status === 201 ? 50_000n : 0n));
  await until(async () => (await held()).every((left, n) => left === before[n]! - cost[n]!));
});

// Last, because it kills one of the processes.
test("one of four processes is killed: each caller has one answer, and sales equal the stock", async () => {
  const product_id = await rare("killed", UNITS);
  const answering = callers.map((caller, n) => insist(caller, "killed", n));
  await until(async () => entriesOf((await setup.stockOf(product_id)).open).length > UNITS / 5);
  children[0]!.kill("SIGKILL");
  const answers = await Promise.all(answering);
  expect(outcomesOf(answers)).toEqual({ "out-of-stock": CALLERS - UNITS, placed: UNITS });
  await expectNoOrphan(product_id, UNITS);
  const ids = answers.flatMap(({ status, body }) => (status === 201 ? [body.data.order_id] : []));
  expect(new Set(ids).size).toBe(UNITS);
  for (const { tenant } of callers.slice(0, 5)) {
    const { rows } = await setup.service.app.pool.query<{ order_id: number }>(
      "select order_id from read.orders_v1 where tenant = $1",
      [tenant],
    );
    for (const { order_id } of rows)
      expect(
        orders.existing(await setup.service.app.load(orders, orders.targetOf(tenant, order_id))).status,
      ).toBe("awaiting_payment");
  }
});
