/** What can be paid for, in the two forms that directories of x402 services read. */
import { isOpen, paymentOf, type Usdc } from "../../declare/access/way.ts";
import type { Operation } from "../../declare/operation.ts";
import { methodOf, pathWith } from "../../declare/operation-facts.ts";
import { type PaymentTerms, paymentRequired, type RequirementV2 } from "./required.ts";

type Priced = { operation: Operation; price: Usdc; url: string; offer: RequirementV2 };

/**
 * Every priced operation at its unit price, with the requirement that its 402 carries. Directories ask each address and look for that
 * 402, so what is free for the first calls of an address is not among them, nor what an account pays, whose price is in its input.
 */
function pricedOf(operations: readonly Operation[], terms: PaymentTerms): Priced[] {
  return operations.flatMap((operation) => {
    const price = paymentOf(operation)?.unit_price;
    const isFromAccount = operation.access.some(({ kind }) => kind === "account");
    if (price === undefined || isOpen(operation) || isFromAccount) return [];
    // A directory asks the address itself, so an example stands where the route has a parameter.
    const path = pathWith(operation, operation.example);
    const { v2 } = paymentRequired(operation, path, terms, { price });
    return [{ operation, price, url: terms.public_url + path, offer: v2 }];
  });
}

/**
 * `/.well-known/x402`: `version`, `resources` and `instructions` as x402scan reads them (its DISCOVERY.md), and our price
 * list beside them.
 */
export function priceList(operations: readonly Operation[], terms: PaymentTerms): object {
  const priced = pricedOf(operations, terms);
  return {
    version: 1,
    resources: priced.map(({ url }) => url),
    instructions: `${terms.public_url}/llms.txt says on one page what each resource answers and takes.`,
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

/** A page of the list that facilitators keep, as "Discovery API" in the specification of x402 version 2 has it. */
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
