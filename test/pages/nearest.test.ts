/** The near pages of a missing address. */
import { expect, test } from "vitest";
import { nearestTo } from "../../src/api/describe/pages/nearest.ts";

const operations = [{ name: "trade_balance", summary: "Trade balance by year" }];
const near = async (path: string) => (await nearestTo(path, operations)).map((page) => page.path);

test.each([
  ["/docs/auditer", "/docs/auditor"],
  ["/guides/payments", "/docs/payments"],
  ["/docs/trust_score.html", "/docs/trust-score"],
  ["/docs/trade/balance", "/docs/operations/trade_balance"],
  ["/markets", "/soul/market"],
])("near %s is %s", async (path, page) => {
  expect(await near(path)).toContain(page);
});

test("an address that shares no word with a page has none near", async () => {
  expect(await near("/xmlrpc.aspx")).toEqual([]);
});
