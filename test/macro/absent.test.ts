/** The macroeconomic context while its tables are not there: it is refused as its neighbours are, and costs nothing. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { hicp } from "../../src/datasets/reference/hicp.ts";
import { tradeProblems } from "../../src/domain/trade/problems.ts";
import { macroContext } from "../../src/projections/macro/answers/context.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { made, storeOf } from "../reference/store-of.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  service = await startService({
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
  });
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

test("a call without its table is 503 with a Retry-After, and its payment is not taken", async () => {
  const url = `${service.url}/v1/agent/trade/macro-context?indicators=eur_usd`;
  const payment = await signPayment(wallet(0), await quoteOf(url));
  const answer = await present(url, payment);
  expect([answer.status, Number(answer.headers.get("retry-after"))]).toEqual([503, expect.any(Number)]);
  expect(await answer.json()).toMatchObject({ type: expect.stringMatching(/#dataset-missing$/) });
  const { rows } = await service.app.pool.query("select from eventstore.events where type like 'Payment%'");
  expect(rows).toEqual([]);
});

test("one of the requested tables suffices; another table does not help", async () => {
  const store = await storeOf(made(hicp, [{ geo: "EA20", month: "2025-05", yoy_pct: 1.9, index: 100 }]));
  const { data, meta } = macroContext(store, { indicators: ["hicp_yoy", "eur_usd"] });
  expect(data.map(({ value }) => value)).toEqual([1.9, null]);
  expect(meta.missing).toEqual(["eur_usd"]);
  expect(() => macroContext(store, { indicators: ["eur_usd"] })).toThrow(
    expect.objectContaining({ type: tradeProblems["dataset-missing"] }),
  );
});
