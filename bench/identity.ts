/**
 * How many registrations a second are taken over HTTP beside bets on one account, which wait for each other in the same way: one counter
 * orders all passports as one balance orders all bets. And how many passports a second are read among many, with the time that most of
 * those reads take.
 *
 *     npx tsx bench/identity.ts [--seconds 5] [--rounds 3] [--connections 64] [--passports 100000] [--rps 1000]
 *
 * Rates are medians over the rounds, in which the contenders take turns; what is asked of them is registrations at 0.9 of the bets or
 * more, and reads at 1,000 a second with a 95th percentile below 20 ms.
 */
import { randomBytes, randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import type { App } from "../src/app.ts";
import * as agents from "../src/domain/identity/agent.ts";
import * as passports from "../src/domain/identity/passports.ts";
import * as account from "../src/domain/lounge/account.ts";
import {
  inHouse,
  type Load,
  orderKey,
  type Post,
  posts,
  RICH,
  startDrawingService,
  takeTurns,
  tellRates,
  withDatabase,
} from "./load.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    passports: { type: "string", default: "100000" },
    rps: { type: "string", default: "1000" },
  },
});
const load = { connections: Number(values.connections), seconds: Number(values.seconds) };
const many = Number(values.passports);

const command = { meta: { actor: "bench", operation: "bench" } };
/** Passports that are issued in one commit. */
const BATCH = 500;

/** Issues passports past HTTP, many in a commit. */
async function issue(app: App): Promise<void> {
  const { origin } = await app.store.identity();
  for (let from = 0; from < many; from += BATCH)
    await app.commit(async ({ decide }) => {
      for (let n = from; n < Math.min(from + BATCH, many); n++) {
        const agent_id = `agent-${n}`;
        const { state: sx_number } = await decide(passports, passports.target, passports.issue(agent_id));
        const registered_at = app.clock.now().toISOString();
        const record = { agent_id, origin, sx_number, issued_at: registered_at };
        const passport_hash = agents.passportHash(record);
        const facts = { agent_id, sx_number, display_name: null, passport_hash, registered_at };
        await decide(agents, agents.targetOf(agent_id), agents.register(facts));
      }
    }, command);
}

/** Each call comes from an address of its own: limits by address are no part of what is measured. */
const anywhere = () => ({ "X-Forwarded-For": `10.${[...randomBytes(3)].join(".")}` });

const registration = (issue_api_key: boolean) => (): Post => ({
  headers: anywhere(),
  body: JSON.stringify({ agent_id: `new-${randomBytes(12).toString("hex")}`, issue_api_key }),
});

/** Passports read at a steady rate, any of them: how many a second, and how long most take, in ms. */
async function reads(url: string, { connections, seconds }: Load) {
  const setupRequest = (request: autocannon.Request) => ({
    ...request,
    path: `/soul/passport/${randomInt(1, many + 1)}`,
    headers: anywhere(),
  });
  const taken_ms: number[] = [];
  const answer = await new Promise<autocannon.Result>((done, fail) => {
    const settings = { url, connections, duration: seconds, overallRate: Number(values.rps) };
    const run = autocannon({ ...settings, requests: [{ setupRequest }] }, (error, result) =>
      error ? fail(error) : done(result),
    );
    run.on("response", (_client, _status, _bytes, ms) => void taken_ms.push(ms));
  });
  if (answer.non2xx + answer.errors > 0) throw new Error(`${answer.non2xx + answer.errors} reads refused`);
  const sorted = taken_ms.sort((a, b) => a - b);
  const p = (share: number) => Number(sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(1));
  return {
    "a second": Math.round(answer["2xx"] / answer.duration),
    p50_ms: p(0.5),
    p95_ms: p(0.95),
    p99_ms: p(0.99),
  };
}

await withDatabase(async (given) => {
  const env = { ...given, TRUST_PROXY: "1" };
  const key = await inHouse(env, async (app) => {
    await issue(app);
    const decision = account.followDeposits([RICH], [], app.clock.now().toISOString());
    await app.decide(account, account.targetOf("player"), decision, command);
    return orderKey(app, "player");
  });
  const service = await startDrawingService(env, key);
  const bet = (): Post => ({ headers: key, body: JSON.stringify({ bet_type: "red" }) });
  const [BETS, register] = ["roulette on one account", `${service.url}/soul/register`];
  const rates = await takeTurns(
    [
      [BETS, () => posts(`${service.url}/v1/agent/lounge/roulette`, bet, load)],
      ["registrations", () => posts(register, registration(false), load)],
      ["registrations with an API key", () => posts(register, registration(true), load)],
    ],
    Number(values.rounds),
  );
  tellRates(rates, BETS, "÷ bets");
  console.table({ [`reads of ${many} passports`]: await reads(service.url, load) });
  await service.stop();
});
