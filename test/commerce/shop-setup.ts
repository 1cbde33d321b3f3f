/** A service with the sandbox's shop and exchange rates, and its callers. */

import type { HDAccount } from "viem/accounts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import * as orders from "../../src/domain/commerce/order.ts";
import * as stock from "../../src/domain/commerce/stock.ts";
import { releaseSandboxTables } from "../../src/operator/reference.ts";
import { openSandboxShop } from "../../src/operator/sandbox-shop.ts";
import { catalogueProjection } from "../../src/projections/commerce/catalogue.ts";
import { ordersProjection } from "../../src/projections/commerce/orders.ts";
import { paymentsProjection } from "../../src/projections/payments/payments.ts";
import { buy, settlementOf } from "../support/buyer.ts";
import { freshDatabase } from "../support/database.ts";
import { replace } from "../support/replace.ts";
import { opened } from "../support/sandbox.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { addressOf } from "../support/wallets.ts";

// biome-ignore lint/suspicious/noExplicitAny: what answers hold is what is tested
export type Answer = { status: number; body: any; headers: Headers };
export type Credentials = Record<string, string>;

export type ShopSetup = {
  service: Service & { database_url: string };
  /** The vault of its customers' keys. */
  vault_url: string;
  /** Headers of a new key of this tenant. */
  keyOf(tenant: string, space?: "live" | "test"): Promise<Credentials>;
  /** Calls this service, or another process of it. */
  ask(credentials: Credentials, path: string, body?: object, url?: string): Promise<Answer>;
  /** Calls, and pays the price of the 402. */
  pays(
    wallet: HDAccount,
    path: string,
    body?: object,
    credentials?: Credentials,
  ): Promise<Answer & { transaction: string }>;
  /** Types of an order's events. */
  storyOf(tenant: string, order_id: number): Promise<string[]>;
  eventsOf(tenant: string, stream_id: string): Promise<RecordedEvent[]>;
  stockOf(product_id: number, tenant?: string): Promise<stock.StockState>;
  /** Waits until all lists of the shop have the whole log. */
  folded(): Promise<void>;
  stop(): Promise<void>;
};

export const walletTenantOf = (wallet: HDAccount) => `wallet:${addressOf(wallet)}`;

/** A body that orders bags of the sandbox's pellets. */
export const pelletOrder = (quantity: number, more: object = {}) => ({
  product_slug: "granulas-premium",
  quantity,
  customer_email: "anna@example.org",
  ...more,
});

let distinctOrders = 0;

/** Differs from every other order: an equal one without a name, soon after it, would be the same order. */
export const distinctOrder = (quantity: number, more: object = {}) =>
  pelletOrder(quantity, { notes: `order ${distinctOrders++}`, ...more });

export async function openShopSetup(options: ServiceOptions = {}): Promise<ShopSetup> {
  const vault = options.vault === undefined ? await freshDatabase() : undefined;
  const vault_url = vault?.url ?? String(options.vault);
  const service = await startService({ chain: "embedded", reactors: true, vault: vault_url, ...options });
  const { app, data_dir } = service;
  const tables = await releaseSandboxTables(app, data_dir);
  // Since yesterday, so tests can call as of earlier times.
  const { clock } = app;
  replace(app, { clock: { now: () => new Date(Date.now() - 86_400_000) } });
  await openSandboxShop(app);
  replace(app, { clock });
  await opened(
    service,
    tables.map(({ facts }) => facts.vintage),
  );
  const init = (credentials: Credentials, body?: object): RequestInit => ({
    headers: { ...credentials, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  const answered = async (response: Response): Promise<Answer> => ({
    status: response.status,
    body: await response.json(),
    headers: response.headers,
  });
  const setup: ShopSetup = {
    service,
    keyOf: async (tenant, space = "live") => (await service.issue({ tenant, space })).headers,
    ask: async (credentials, path, body, url = service.url) =>
      answered(await fetch(`${url}/v1/agent/${path}`, init(credentials, body))),
    pays: async (wallet, path, body, credentials = {}) => {
      const { answer } = await buy(wallet, `${service.url}/v1/agent/${path}`, init(credentials, body));
      const transaction = answer.ok ? settlementOf(answer).transaction : "";
      return { ...(await answered(answer)), transaction };
    },
    storyOf: async (tenant, order_id) =>
      (await setup.eventsOf(tenant, orders.streamOf(String(order_id)))).map(({ type }) => type),
    eventsOf: (tenant, stream_id) => app.store.readStream({ tenant, stream_id }),
    stockOf: (product_id, tenant = "operator") => app.load(stock, { tenant, id: String(product_id) }),
    folded: async () => {
      const { position } = await app.store.head();
      for (const list of [catalogueProjection, ordersProjection, paymentsProjection])
        await until(() => app.runner.reached(list, position, LIMIT_MS));
    },
    vault_url,
    stop: async () => {
      await service.stop();
      await vault?.drop();
    },
  };
  await setup.folded();
  return setup;
}
