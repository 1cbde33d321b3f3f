/** A service with creators, agents and buyers of the marketplace. */

import pino from "pino";
import type { HDAccount } from "viem/accounts";
import type { JsonObject } from "../../eventstore/types.ts";
import { marketCommand } from "../../src/cli/market.ts";
import * as account from "../../src/domain/payments/account.ts";
import { bountiesProjection } from "../../src/projections/marketplace/bounties.ts";
import { accountsProjection } from "../../src/projections/payments/accounts.ts";
import { throwing } from "../cli/in-process.ts";
import { caller, PROXIED } from "../identity/agents.ts";
import { buy } from "../support/buyer.ts";
import { patientConfig } from "../support/patience.ts";
import { replace } from "../support/replace.ts";
import { type Service, type ServiceOptions, startService } from "../support/service.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { walletProof } from "../support/wallet-proof.ts";

// biome-ignore lint/suspicious/noExplicitAny: what answers hold is what is tested
export type Answer = { status: number; body: any };

export type TestAgent = { sx: number; agent_id: string; tenant: string; headers: Record<string, string> };

export type MarketSetup = Awaited<ReturnType<typeof openMarketSetup>>;

export async function openMarketSetup(options: ServiceOptions = {}) {
  const service: Service & { database_url: string } = await startService({
    chain: "embedded",
    ...options,
    env: { ...PROXIED, ...options.env },
  });
  const { app } = service;
  const api = caller(service.url);
  return {
    service,
    app,
    api,
    ask: (headers: Record<string, string>, path: string, body?: object, url?: string): Promise<Answer> => {
      const { get, post } = url === undefined ? api : caller(url);
      return body ? post(path, body, headers) : get(path, headers);
    },
    /** `tallystick market hide …`, in this process: what the command of an operator does, on the service's own database. */
    async hides(kind: "bounty" | "item", id: string, reason: string): Promise<void> {
      const { database_url, data_dir } = service;
      const settings = () => patientConfig({ DATABASE_URL: database_url, DATA_DIR: data_dir, SANDBOX: "0" });
      const command = marketCommand({ settings, logger: () => pino({ level: "silent" }) });
      throwing(command);
      await command.parseAsync(["hide", kind, id, "--reason", reason], { from: "user" });
    },
    keyOf: async (tenant: string) => (await service.issue({ tenant })).headers,
    /** The headers of a key whose tenant has so much, as if it had earned it. */
    async rich(tenant: string, micro: number): Promise<Record<string, string>> {
      await credited(tenant, micro);
      return (await service.issue({ tenant })).headers;
    },
    /** An agent with its own key, once the read models have it. */
    async agent(agent_id: string): Promise<TestAgent> {
      const { body } = await api.post("/soul/register", { agent_id, issue_api_key: true });
      const sx = Number((body.passport as { sx_id: string }).sx_id.slice(3));
      const headers = { Authorization: `Bearer ${body.api_key}` };
      await until(async () => (await api.get("/soul/compute/tasks?limit=1", headers)).status === 200);
      return { sx, agent_id, tenant: `soul:${sx}`, headers };
    },
    /** A call that a wallet signs, as a stock client makes it. */
    async signed(wallet: HDAccount, path: string, body: JsonObject): Promise<Answer> {
      const proof = await walletProof(wallet, service.url + path, { method: "POST", body });
      return api.post(path, body, proof);
    },
    async pays(
      wallet: HDAccount,
      path: string,
      body: object,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
      const init = {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      };
      const { answer } = await buy(wallet, service.url + path, init);
      return { status: answer.status, body: await answer.json() };
    },
    account: (tenant: string) => app.load(account, account.targetOf(tenant)),
    credited,
    /** Waits until the read models have the whole log. */
    async folded(): Promise<void> {
      const { position } = await app.store.head();
      for (const list of [bountiesProjection, accountsProjection])
        await until(() => app.runner.reached(list, position, LIMIT_MS));
    },
    /** The service's clock goes so many seconds ahead. */
    async later(seconds: number, work: () => Promise<unknown>): Promise<void> {
      const { clock } = app;
      replace(app, { clock: { now: () => new Date(clock.now().getTime() + seconds * 1_000) } });
      await work().finally(() => {
        replace(app, { clock });
      });
    },
    /** Accounts that do not add up: none. */
    async unbalanced(): Promise<unknown[]> {
      const sql =
        "select * from read.accounts_v2 where credited - reversed <> available + held + spent - debt or available < 0";
      return (await app.pool.query(sql)).rows;
    },
  };

  async function credited(tenant: string, micro: number): Promise<void> {
    const credit = account.credit({
      source: `task:${tenant}`,
      amount_micro: micro,
      at: new Date().toISOString(),
    });
    await app.decide(account, account.targetOf(tenant), credit, { meta: { actor: "test" } });
  }
}

export { kindOf } from "../compute/compute-setup.ts";
