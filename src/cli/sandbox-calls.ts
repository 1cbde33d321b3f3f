/** The sandbox agents' purchases from their own service: calls over HTTP, paid with the development chain's money. */
import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { LocalAccount } from "viem/accounts";
import { catalogueOf } from "../api/declare/catalogue.ts";
import { exampleOf } from "../api/describe/reference.ts";
import { areas } from "../areas/index.ts";
import type { App } from "../core/app.ts";
import type { Hex } from "../core/model/chain.ts";
import * as agents from "../domain/identity/agent.ts";
import { examples as things } from "../domain/sandbox/examples.ts";
import { type DemoWallet, drawer, openSandboxAgents, sandboxAgentIds } from "../operator/sandbox-agents.ts";
import { paidCalls } from "../projections/trust/contacts.ts";
import { dayOfTime } from "../projections/trust/days.ts";
import { trustProjection } from "../projections/trust/trust.ts";
import { ask, buy, sign } from "./demo-buyer.ts";
import { AGENT_WALLETS, agentWallet } from "./demo-wallets.ts";

const CALLS = 12;

/** Each agent's purchases, in the order of the wallets: they define its profile. */
const TASTES: readonly (readonly string[])[] = [
  ["trade_top_partners", "trade_timeline", "trade_balance", "trade_overview", "customs_trends"],
  ["customs_classifications", "customs_tariff_lookup", "customs_trends"],
  ["prices_list", "products_list", "trade_price_per_tonne", "fuel_calculator"],
  ["lounge_dice", "lounge_dice", "lounge_roulette", "lounge_menu"],
  ["salary_overview", "salary_compare", "salary_sectors", "salary_countries"],
  ["trade_balance", "rng_anchor_history", "trade_overview", "rng_stats"],
  ["products_list", "prices_list", "availability_list", "fuel_calculator"],
  ["rng_seed", "rng_stats", "rng_roll", "rng_anchor_history"],
  ["trade_overview", "salary_overview", "lounge_menu", "rng_seed", "prices_list", "trade_countries"],
];

/** Creates the agents and their attestations. */
export const makeSandboxAgents = (app: App): Promise<void> =>
  openSandboxAgents(app, async () => {
    const wallets: DemoWallet[] = [];
    for (let at = 0; at < AGENT_WALLETS; at++) wallets.push(await agentWallet(at));
    return wallets;
  });

/** A killed process's lease expires within this. */
const FOLDED_MS = 8_000;

/**
 * Lets each agent with a wallet buy the rest of its dozen calls; a refused call costs nothing and is skipped. Adds the
 * id of each request to `own_calls`.
 */
export async function buyAsSandboxAgents(
  app: App,
  log: Logger,
  signal: AbortSignal,
  own_calls: Set<string> = new Set(),
): Promise<void> {
  if (!app.embedded_chain) return;
  const { position } = await app.store.head();
  // Without the list of purchases, they would be repeated.
  if (!(await app.runner.reached(trustProjection, position, FOLDED_MS))) return;
  const { operations } = catalogueOf(areas);
  const examples = new Map(operations.map((operation) => [operation.name, exampleOf(operation)]));
  const bought = await Promise.all(
    TASTES.map(async (taste, at) => {
      let paid = 0;
      const missing = await missingCalls(app, at, taste);
      const account = missing.length > 0 ? await agentWallet(at) : undefined;
      for (const name of missing) {
        if (signal.aborted || !account) break;
        // The first purchase of all is the payment that an example names.
        const nonce = at === 0 && paid === 0 && missing.length === CALLS ? things.payment.nonce : undefined;
        await call(app.settings.public_url, account, { line: examples.get(name)!, nonce, own_calls }).then(
          () => paid++,
          (error) => log.debug({ name, reason: String(error) }, "a call of the sandbox's agents is skipped"),
        );
      }
      return paid;
    }),
  );
  const calls = bought.reduce((sum, paid) => sum + paid, 0);
  if (calls > 0) log.info({ calls }, "the sandbox's agents have made their purchases");
}

/** An agent's remaining calls; its list is the same in every sandbox. */
async function missingCalls(app: App, at: number, taste: readonly string[]): Promise<string[]> {
  const agent_id = sandboxAgentIds[at]!;
  const agent = await app.load(agents, agents.targetOf(agent_id));
  const wallets = agent?.keys.map((key) => key.public) ?? [];
  const until = dayOfTime(app.clock.now()) + 1;
  const bought = await paidCalls(app.pool, wallets, { from: 0, to: until });
  const draw = drawer(`calls of ${agent_id}`);
  const wanted = Array.from({ length: CALLS }, () => taste[draw(taste.length)]!);
  return wanted.slice(bought.reduce((sum, { calls }) => sum + calls, 0));
}

/** Pays for a line such as "GET /v1/agent/trade/countries", or "POST /path {…}". */
async function call(
  url: string,
  account: LocalAccount,
  { line, nonce, own_calls }: { line: string; nonce: Hex | undefined; own_calls: Set<string> },
): Promise<void> {
  const [, , path, body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(line)!;
  const question = {
    ...(body !== undefined && { body: JSON.parse(body) as object }),
    hurried: true as const,
    requestId: () => {
      const id = randomUUID();
      own_calls.add(id);
      return id;
    },
  };
  await buy(url + path, await sign(account, await ask(url + path, question), nonce), question);
}
