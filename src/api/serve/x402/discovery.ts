/** The priced operations in the formats of two x402 directories. */
import { isOpen, paymentOf, type Usdc } from "../../declare/access/way.ts";
import type { Operation } from "../../declare/operation.ts";
import { methodOf, pathWith } from "../../declare/operation-facts.ts";
import { type PaymentTerms, paymentRequired, type RequirementV2 } from "./required.ts";

type PricedOperation = { operation: Operation; price: Usdc; url: string; offer: RequirementV2 };

/**
 * Every priced operation at its unit price, with the requirement of its 402. Directories call each address and expect
 * that 402. So operations with free calls are left out, and so are operations paid from an account, whose price
 * depends on the input.
 */
function pricedOf(operations: readonly Operation[], terms: PaymentTerms): PricedOperation[] {
  return operations.flatMap((operation) => {
    const price = paymentOf(operation)?.unit_price;
    const isFromAccount = operation.access.some(({ kind }) => kind === "account");
    if (price === undefined || isOpen(operation) || isFromAccount) return [];
    // A directory calls the address as it is, so route parameters have the values of the example.
    const path = pathWith(operation, operation.example);
    const { v2 } = paymentRequired(operation, path, terms, { price, is_unit: true });
    return [{ operation, price, url: terms.public_url + path, offer: v2 }];
  });
}

/**
 * `/.well-known/x402`: `version`, `resources` and `instructions` in the format of x402scan (its DISCOVERY.md), and
 * our price list.
 */
export function priceList(operations: readonly Operation[], terms: PaymentTerms): object {
  const priced = pricedOf(operations, terms);
  return {
    version: 1,
    resources: priced.map(({ url }) => url),
    instructions: `${terms.public_url}/llms.txt describes each resource's input and answer on one page.`,
    x402Version: 2,
    prices: priced.map(({ operation, price, offer }) => ({
      ...offer.resource,
      method: methodOf(operation),
      price_usdc: price,
      accepts: offer.accepts,
    })),
  };
}

export type Page = { limit: number; offset: number };

/** A page of operations in the format of "Discovery API" in the specification of x402 version 2. */
export function resources(
  operations: readonly Operation[],
  terms: PaymentTerms,
  updated: Date,
  { limit, offset }: Page,
) {
  const priced = pricedOf(operations, terms);
  return {
    x402Version: 2,
    items: priced.slice(offset, offset + limit).map(({ operation, url, offer }) => ({
      resource: url,
      type: "http",
      x402Version: 2,
      accepts: offer.accepts,
      lastUpdated: Math.floor(updated.getTime() / 1000),
      metadata: {
        provider: "Tallystick",
        category: operation.area,
        name: operation.name,
        method: methodOf(operation),
        description: offer.resource.description,
      },
      extensions: offer.extensions,
    })),
    pagination: { limit, offset, total: priced.length },
  };
}
