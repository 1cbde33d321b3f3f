/** Operations found by words about their effect. */
import { expect, test } from "vitest";
import { operationFinder } from "../../src/api/describe/find-operations.ts";
import { SEARCH_WORDS } from "../../src/api/describe/search-words.ts";
import { catalogue } from "../support/catalogue.ts";

const find = operationFinder(catalogue);
const first = (text: string) => find(text)[0]?.name;

test.each([
  ["seasons of a product", "trade_seasonality"],
  ["import duty on furniture", "customs_tariff_lookup"],
  ["wages in Latvia", "salary_lv_wages"],
  ["send tokens to many wallets", "wallet_airdrop"],
  ["webhook when figures change", "alerts_subscribe"],
  ["how expensive is AI for jobs", "salary_ai_risk"],
  ["steel imports", "trade_timeline"],
])("the words %j find %s first", (text, name) => {
  expect(first(text)).toBe(name);
});

test.each([
  ["pay another agent", "checks_create"],
  ["who sells most cars to France", "trade_top_partners"],
  ["run python code", "compute_submit"],
  ["make money with my GPU", "compute_node_register"],
  ["am I a high-risk AI system", "compliance_check"],
  ["export everything about me", "log_events"],
  ["open a payment channel", "channel_status"],
  ["get a refund", "payment_status"],
  ["oil price today", "trade_macro_context"],
  ["post a bounty", "soul_bounty_open"],
  ["rate another agent", "soul_attest"],
  ["timestamp a hash", "log_proof"],
  ["place a bet", "lounge_menu"],
  ["shipping cost", "fuel_calculator"],
  ["is my counterparty on the OFAC list", "fusion_sanctions_check"],
  ["buy firewood", "orders_create"],
  ["how do I pay", "x402_supported"],
  ["verify a receipt", "resources"],
  ["top buyers of latvian wood", "trade_wood_products"],
])("the words %j find %s among the first three", (text, name) => {
  expect(
    find(text)
      .slice(0, 3)
      .map((one) => one.name),
  ).toContain(name);
});

test("the further words are of operations that exist", () => {
  const names = new Set(catalogue.map(({ name }) => name));
  expect(Object.keys(SEARCH_WORDS).filter((name) => !names.has(name))).toEqual([]);
});

test("every operation is found first by its own summary and name", () => {
  for (const { name, summary } of catalogue)
    expect([name, first(`${name} ${summary}`)]).toEqual([name, name]);
});

test("unknown words find nothing, and neither do texts without words", () => {
  expect(find("xylophone zeppelin")).toEqual([]);
  expect(find("… ?!")).toEqual([]);
});
