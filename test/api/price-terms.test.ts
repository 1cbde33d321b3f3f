/** A computed price says what it is of: the total of this call, or what makes one up while the input is unknown. */
import { expect, test } from "vitest";
import { paymentOf, priceText } from "../../src/api/declare/access/way.ts";
import { priceList } from "../../src/api/serve/x402/discovery.ts";
import { paymentRequired } from "../../src/api/serve/x402/required.ts";
import { catalogue } from "../support/catalogue.ts";

const terms = {
  pay_to: "0x0000000000000000000000000000000000000000",
  public_url: "https://tally.example.org",
  embedded_chain: false,
} as const;
const named = (name: string) => catalogue.find((operation) => operation.name === name)!;
const termsOf = (name: string, quote: Parameters<typeof paymentRequired>[3]) => {
  const { body } = paymentRequired(named(name), "/path", terms, quote);
  return { detail: body.detail, description: body.accepts[0]!.description };
};

test("a fixed price is stated for one call", () => {
  const { detail, description } = termsOf("trade_balance", { price: "0.05" });
  expect(detail).toContain("costs 0.05 USDC: pay one entry of accepts");
  expect(description).toContain(". 0.05 USDC a call.");
});

test("a computed price names its total with an input, and its unit without one", () => {
  const total = termsOf("mirror_reconstruct", { price: "12" });
  expect(total.detail).toContain("costs 12 USDC: pay one entry of accepts");
  expect(total.description).toContain(". 12 USDC in all: 1.00 USDC a country-month.");
  const unit = termsOf("mirror_reconstruct", { price: "1.00", is_unit: true });
  expect(unit.detail).toContain("costs 1.00 USDC a country-month: pay one entry of accepts");
  expect(unit.description).toContain(". 1.00 USDC a country-month.");
});

test("every computed price states its parts", () => {
  const computed = catalogue.filter((operation) => typeof paymentOf(operation)?.price === "function");
  expect(computed.length).toBeGreaterThan(5);
  for (const operation of computed) {
    expect([operation.name, paymentOf(operation)!.terms]).toEqual([
      operation.name,
      expect.stringContaining("USDC"),
    ]);
    expect(priceText(operation)).not.toContain("a unit");
  }
});

test("the price list names the unit of a computed price, and no total", () => {
  const { prices } = priceList(catalogue, terms) as { prices: { url: string; description: string }[] };
  const described = (path: string) => prices.find(({ url }) => url.includes(path))!.description;
  expect(described("/mirror/reconstruct")).toContain(". 1.00 USDC a country-month.");
  expect(described("/trade/balance")).toContain(". 0.05 USDC a call.");
  expect(prices.filter(({ description }) => description.includes("in all:"))).toEqual([]);
});
