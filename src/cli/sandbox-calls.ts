/** What the sandbox's agents buy of their own service: calls over HTTP, paid for with the development chain's money. */
import type { Logger } from "pino";
import { catalogueOf } from "../api/catalogue.ts";
import { exampleOf } from "../api/reference.ts";
import type { App } from "../app.ts";
import { areas } from "../areas/index.ts";
import * as agents from "../domain/identity/agent.ts";
import { type DemoWallet, drawer, openSandboxAgents, sandboxAgentIds } from "../operator/sandbox-agents.ts";
import { dayOfTime } from "../projections/trust/days.ts";
import { paidCalls } from "../projections/trust/dealings.ts";
import { trustProjection } from "../projections/trust/trust.ts";
import { ask, buy, sign } from "./demo-buyer.ts";
import { AGENT_WALLETS, agentWallet } from "./demo-wallets.ts";

const CALLS = 12;

/** What each buys, in the order of the wallets: an agent is what it does. */
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

/** The agents, with what is said of them. */
export const makeSandboxAgents = (app: App): Promise<void> =>
  openSandboxAgents(app, async () => {
    const wallets: DemoWallet[] = [];
    for (let at = 0; at < AGENT_WALLETS; at++) wallets.push(await agentWallet(at));
    return wallets;
  });

/** Has each agent with a wallet buy what it has not bought yet of its dozen calls; a call that is refused costs nothing and is passed over. */
export async function buyAsSandboxAgents(app: App, log: Logger, signal: AbortSignal): Promise<void> {
  if (!app.embedded_chain) return;
  const catalogue = catalogueOf(areas);
  const linesOf = new Map(catalogue.operations.map((operation) => [operation.name, exampleOf(operation)]));
  await app.caughtUp(trustProjection);
  const day = dayOfTime(app.clock.now());
  const bought = await Promise.all(
    TASTES.map(async (taste, at) => {
      const agent_id = sandboxAgentIds[at]!;
      const agent = await app.load(agents, agents.targetOf(agent_id));
      const wallets = agent?.keys.map((key) => key.public) ?? [];
      const calls = await paidCalls(app.pool, wallets, { from: 0, to: day + 1 });
      const done = calls.reduce((sum, one) => sum + one.calls, 0);
      if (done >= CALLS) return 0;
      const account = await agentWallet(at);
      const draw = drawer(`calls of ${agent_id}`);
      const wanted = Array.from({ length: CALLS }, () => taste[draw(taste.length)]!);
      let paid = 0;
      for (const name of wanted.slice(done)) {
        if (signal.aborted) break;
        const [, , path, body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(linesOf.get(name)!)!;
        const question = {
          ...(body !== undefined && { body: JSON.parse(body) as object }),
          hurried: true as const,
        };
        const url = app.settings.public_url + path;
        const isPaid = await ask(url, question)
          .then((offer) => sign(account, offer))
          .then((payment) => buy(url, payment, question))
          .then(
            () => true,
            (error) => {
              log.debug({ name, reason: String(error) }, "a call of the sandbox's agents is passed over");
              return false;
            },
          );
        if (isPaid) paid++;
      }
      return paid;
    }),
  );
  const calls = bought.reduce((sum, paid) => sum + paid, 0);
  if (calls > 0) log.info({ calls }, "the sandbox's agents have bought what makes them known");
}
