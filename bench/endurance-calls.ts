/** The calls of a mixed load: reads of a shop, and commands of each recorded kind, some paid on the chain. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { demoAccount, demoAddresses } from "../src/domain/wallet/demo-accounts.ts";
import { headerV1, quoteOf, type RequirementV1, signPayment } from "../test/support/buyer.ts";
import { UNIT } from "./load.ts";

export type Headers = Record<string, string>;
/** `type`: of the event that proves that it was done, once. */
export type Command = { path: string; body: object; headers: Headers; type: string };
type Kind = { share: number; make: () => Command | Promise<Command> };

/** A tenant may hold a product by three unpaid orders, so orders come from many. */
export const TENANTS = 3_000;
/** After this many orders, quotes are requested instead. */
export const MOST_ORDERS = 2 * TENANTS;

const email = "anna@example.org";
export const ROLL = "/v1/agent/rng/roll";
const CHECK = {
  from: "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  to: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  amount: "12.50",
};
const SUBMIT = "/soul/compute/submit";
const taskOf = (n: number) => ({
  ...{ task_type: "js", max_price_usd: 0.001, limit_s: 10 },
  input_data: { code: "return args.map((x) => x * x)", args: [n, 2] },
});
const wallets = demoAddresses.map((_, n) => demoAccount(n));

export type Prices = { roll: RequirementV1; task: RequirementV1 };

/** The requests without a key. */
export async function pricesAt(url: string): Promise<Prices> {
  const of = async (path: string, body: object) => {
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    };
    for (;;) {
      // Nothing is sold before the service has seen the chain.
      const price = await quoteOf(url + path, init).catch(() => undefined);
      if (price) return price;
      await pause(200);
    }
  };
  return { roll: await of(ROLL, { client_seed: "price" }), task: await of(SUBMIT, taskOf(0)) };
}

/**
 * Produces commands at random, by the shares of their kinds. `keys`: of the tenants, the first of which has money
 * here. `most_orders`: none if only synthetic exchange rates exist and the chain is no development chain.
 */
export function commandsOf(
  keys: readonly Headers[],
  prices: Prices,
  most_orders: number,
): () => Promise<Command> {
  const headers = keys[0]!;
  let orders = 0;
  let tasks = 0;
  let paid = 0;
  const pay = async (price: RequirementV1) =>
    headerV1(await signPayment(wallets[paid++ % wallets.length]!, price));
  const quote = (): Command => ({
    ...{ path: "/v1/agent/quotes", type: "QuoteDrafted", headers },
    body: { client_name: "Anna", client_email: email, items: [{ product_id: 1, quantity: 2, unit: UNIT }] },
  });
  const kinds: Kind[] = [
    {
      share: 0.1,
      make: () =>
        orders >= most_orders
          ? quote()
          : {
              ...{ path: "/v1/agent/orders", type: "OrderPlaced", headers: keys[orders++ % TENANTS]! },
              body: { product_slug: "pellets-1", quantity: 1, customer_email: email },
            },
    },
    { share: 0.1, make: quote },
    {
      share: 0.25,
      make: () => ({ path: ROLL, type: "Rolled", headers, body: { client_seed: randomUUID() } }),
    },
    {
      share: 0.05,
      make: async () => ({
        ...{ path: ROLL, type: "Rolled", body: { client_seed: randomUUID() } },
        headers: await pay(prices.roll),
      }),
    },
    {
      share: 0.1,
      make: () => ({ path: "/v1/agent/checks/create", type: "CheckCreated", headers, body: CHECK }),
    },
    {
      share: 0.05,
      make: async () => ({
        ...{ path: SUBMIT, type: "TaskSubmitted", body: taskOf(tasks++) },
        headers: await pay(prices.task),
      }),
    },
  ];
  const bet = (): Command => ({
    ...{ path: "/v1/agent/lounge/roulette", type: "BetPlayed", headers },
    body: { bet_type: "red" },
  });
  return async () => {
    let any = Math.random();
    const kind = kinds.find(({ share }) => {
      any -= share;
      return any < 0;
    });
    return kind ? kind.make() : bet();
  };
}

/** The reads: a shop's stock, its orders, or the changes of the last second. */
export function anyReading(): string {
  const any = Math.random();
  if (any < 0.45) return "/v1/agent/availability?product_id=1";
  if (any < 0.95) return "/v1/agent/orders?limit=5";
  return `/v1/agent/replay/wal-since?since=${new Date(Date.now() - 1_000).toISOString()}`;
}
