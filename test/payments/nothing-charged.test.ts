/** A payment is not taken for an answer without content, and the refusal says what to ask instead. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { listProduct, setPrice } from "../../src/operator/shop.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { buy, present, quoteOf, signPayment } from "../support/buyer.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  service = await startService({
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
  });
  await openSandbox(service);
  await listProduct(service.app, "live", {
    slug: "pellets",
    type: "granulas",
    name: "Pellets",
    base_unit: "bag",
    units: [{ unit: "bag", base: 1 }],
    kg_per_base: 15,
    kwh_per_kg: 4.8,
    vat_bp: 2_100,
  });
  await setPrice(service.app, "live", { name: "pellets", unit: "bag", net_cents: 495 });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

async function paid(path: string) {
  const url = `${service.url}/v1/agent/${path}`;
  const answer = await present(url, await signPayment(wallet(0), await quoteOf(url)));
  return { status: answer.status, body: (await answer.json()) as { detail: string } };
}

const payments = async () => {
  const sql = "select count(*)::int as n from eventstore.events where type = 'PaymentSettled'";
  return (await service.app.pool.query<{ n: number }>(sql)).rows[0]!.n;
};

test.each([
  ["trade/seasonality?reporter=LV&hs2=44&years=2024", 400, "name more years"],
  ["customs/tariff-lookup?code=77", 400, "customs/classifications finds codes"],
  ["prices/history?months=12", 404, "nothing is charged"],
])("%s is %i, and its payment is not taken", async (path, status, remedy) => {
  expect(await paid(path)).toMatchObject({ status, body: { detail: expect.stringContaining(remedy) } });
  expect(await payments()).toBe(0);
});

test("a forecast of a product without a month is not charged", async () => {
  const url = `${service.url}/v1/agent/forecast`;
  const body = JSON.stringify({ product_slug: "pellets" });
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
  const { answer } = await buy(wallet(0), url, init);
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("nothing is charged")]);
  expect(await payments()).toBe(0);
});

test("a price history with a change is charged", async () => {
  await setPrice(service.app, "live", { name: "pellets", unit: "bag", net_cents: 515 });
  expect((await paid("prices/history?months=12")).status).toBe(200);
  expect(await payments()).toBe(1);
});
