/** Operations found by words about their effect. */
import { expect, test } from "vitest";
import { operationFinder } from "../../src/api/describe/find-operations.ts";
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
])("the words %j find %s first", (text, name) => {
  expect(first(text)).toBe(name);
});

test("every operation is found first by its own summary and name", () => {
  for (const { name, summary } of catalogue)
    expect([name, first(`${name} ${summary}`)]).toEqual([name, name]);
});

test("unknown words find nothing, and neither do texts without words", () => {
  expect(find("xylophone zeppelin")).toEqual([]);
  expect(find("… ?!")).toEqual([]);
});
