/**
 * Claim: bets over HTTP on a thousand accounts have 0.8 of the rate of a bare Express route that appends one event. Beside
 * both: bets on one account, where each depends on the previous balance, and the log's own append rate.
 *
 *     npx tsx bench/lounge.ts [--seconds 5] [--rounds 3] [--connections 64] [--accounts 1000]
 *
 * Figures are medians over alternating rounds.
 */
import { parseArgs } from "node:util";
import { forEach } from "../src/core/coordination/concurrency.ts";
import * as account from "../src/domain/lounge/account.ts";
import { startAppendingExpress } from "./bare-express.ts";
import {
  appendRate,
  orderKey,
  type Post,
  posts,
  RICH,
  startDrawingService,
  takeTurns,
  tellRates,
  withDatabase,
  withService,
} from "./load.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    accounts: { type: "string", default: "1000" },
  },
});
const load = { connections: Number(values.connections), seconds: Number(values.seconds) };

const ROULETTE = JSON.stringify({ bet_type: "red" });
const KENO = JSON.stringify({ numbers: [3, 17, 42, 60] });

await withDatabase(async (env) => {
  const tenants = Array.from({ length: Number(values.accounts) }, (_, n) => `player-${n}`);
  const keys = await withService(env, (app) =>
    forEach(tenants, async (tenant) => {
      const decision = account.followDeposits([RICH], [], app.clock.now().toISOString());
      await app.decide(account, account.targetOf(tenant), decision, {
        meta: { actor: "bench", operation: "bench" },
      });
      return orderKey(app, tenant);
    }),
  );
  const service = await startDrawingService(env, keys[0]!);
  const url = (game: string) => `${service.url}/v1/agent/lounge/${game}`;
  let turn = 0;
  const one = (body: string) => (): Post => ({ headers: keys[0]!, body });
  const all = (body: string) => (): Post => ({ headers: keys[turn++ % keys.length]!, body });
  const post = {
    method: "POST",
    headers: { ...keys[0]!, "Content-Type": "application/json" },
    body: ROULETTE,
  };
  const answer = await fetch(url("roulette"), post).then((bet) => bet.text());
  const appending = await startAppendingExpress(env, answer);
  const APPENDS = "the log: appends of one event";
  const APPENDING = "a bare Express route that appends";
  const rates = await takeTurns(
    [
      [APPENDS, () => appendRate(env, load)],
      [APPENDING, () => posts(appending.url, one(ROULETTE), load)],
      ["roulette on one account", () => posts(url("roulette"), one(ROULETTE), load)],
      [`roulette on ${keys.length} accounts`, () => posts(url("roulette"), all(ROULETTE), load)],
      [`keno on ${keys.length} accounts`, () => posts(url("keno"), all(KENO), load)],
    ],
    Number(values.rounds),
  );
  tellRates(rates, { "÷ appends": APPENDS, "÷ route that appends": APPENDING });
  appending.stop();
  await service.stop();
});
