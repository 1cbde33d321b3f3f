/**
 * Registrations per second over HTTP, next to bets on one account, which queue likewise: one counter orders all
 * passports as one balance orders all bets. Also reads per second of passports, scores and the directory's pages
 * among many agents, with their latency; and the time to read the whole directory without duplicates.
 *
 *     npx tsx bench/identity.ts [--seconds 5] [--rounds 3] [--connections 64] [--passports 100000] [--rps 1000]
 *     npx tsx bench/identity.ts --passports 1000000 --only reads
 *
 * Rates are medians over alternating rounds. Targets: registrations at 0.9 of the bets or more, and reads at 1,000
 * a second with a 95th percentile below 20 ms. The limit of the reads is a bare Express route at that rate on this
 * machine.
 */
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import type { App } from "../src/core/app.ts";
import * as agents from "../src/domain/identity/agent.ts";
import * as passports from "../src/domain/identity/passports.ts";
import * as account from "../src/domain/lounge/account.ts";
import * as trust from "../src/domain/trust/trust.ts";
import { startBareExpress } from "./bare-express.ts";
import {
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
import { type Paced, paced } from "./paced.ts";
import { untilAtRest } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    passports: { type: "string", default: "100000" },
    rps: { type: "string", default: "1000" },
    only: { type: "string" },
  },
});
const load = { connections: Number(values.connections), seconds: Number(values.seconds) };
const many = Number(values.passports);

const command = { meta: { actor: "bench", operation: "bench" } };
/** Passports that are issued in one commit. */
const BATCH = 500;

/** Issues passports without HTTP, many per commit. */
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

/** One in this many passports has a score: the directory is sorted by trust, then by number. */
const SCORED = 50;

/** The operator's trust for some; the service computes the scores when it starts. */
async function seedSome(app: App): Promise<void> {
  const all = Array.from({ length: Math.ceil(many / SCORED) }, (_, at) => 1 + at * SCORED);
  for (let from = 0; from < all.length; from += BATCH)
    await app.commit(async ({ decide }) => {
      for (const sx_number of all.slice(from, from + BATCH)) {
        const points_micro = randomInt(1, 100_000_001);
        const seeded_at = app.clock.now().toISOString();
        await decide(
          trust,
          trust.target,
          trust.seed({ sx_number, points_micro, reason: "bench", seeded_at }),
        );
      }
    }, command);
}

/** Each registration has its own address, because limits by address are not measured. */
const anywhere = () => ({ "X-Forwarded-For": `10.${[...randomBytes(3)].join(".")}` });

/** The warm-up of a read, while V8 compiles. */
const WARM_UP_S = 2;

/** This many callers read in turn, so that none exhausts its ten free scores a day. */
const CALLERS = 2_000;
let pages = 0;
const nextCaller = () => {
  const caller = pages++ % CALLERS;
  return { "X-Forwarded-For": `172.16.${Math.floor(caller / 250)}.${1 + (caller % 250)}` };
};

const registration = (issue_api_key: boolean) => (): Post => ({
  headers: anywhere(),
  body: JSON.stringify({ agent_id: `new-${randomBytes(12).toString("hex")}`, issue_api_key }),
});

/** A steady rate of calls by many callers. */
const reads = (url: string, path: () => string, seconds = load.seconds) =>
  paced(url, () => ({ path: path(), headers: nextCaller() }), { ...load, seconds, rps: Number(values.rps) });

/** A server, and its process's CPU time. */
type Measured = { url: string; cpu_ms(): number };

type Page = { agents: { sx_id: string }[]; next_cursor: string | null };

/** Every page of the directory, in order. */
async function walk(url: string): Promise<{ agents: number; pages: number; seconds: number }> {
  const began = performance.now();
  const seen = new Set<string>();
  let pages = 0;
  for (let cursor: string | null = ""; cursor !== null; pages++) {
    const path = `${url}/soul/directory?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const answer = await fetch(path, { headers: anywhere() });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    const page = (await answer.json()) as Page;
    for (const { sx_id } of page.agents) {
      if (seen.has(sx_id)) throw new Error(`${sx_id} came twice`);
      seen.add(sx_id);
    }
    cursor = page.next_cursor;
  }
  return { agents: seen.size, pages, seconds: Number(((performance.now() - began) / 1_000).toFixed(1)) };
}

/** Waits until the prepared events are folded, and scores are computed. */
async function computed(url: string): Promise<void> {
  const read = async <Answer>(path: string): Promise<Answer | undefined> => {
    const answer = await fetch(url + path, { headers: anywhere() });
    return answer.ok ? ((await answer.json()) as Answer) : undefined;
  };
  for (;;) {
    const trust = await read<{ as_of: object | null }>("/soul/1/trust");
    const health = await read<{ data: { projections: { behind: number }[] } }>("/v1/agent/health");
    if (trust?.as_of && health?.data.projections.every(({ behind }) => behind === 0)) return;
    await pause(500);
  }
}

/** Postgres' maintenance after so many rows, before anything is measured. */
async function settled(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  await client.end();
}

await withDatabase(async (given) => {
  const env = { ...given, TRUST_PROXY: "1" };
  const key = await withService(env, async (app) => {
    await issue(app);
    await seedSome(app);
    const decision = account.followDeposits([RICH], [], app.clock.now().toISOString());
    await app.decide(account, account.targetOf("player"), decision, command);
    return orderKey(app, "player");
  });
  const service = await startDrawingService(env, key);
  await computed(service.url);
  await settled(given.DATABASE_URL!);
  await untilAtRest(service);
  const any = () => randomInt(1, many + 1);
  const paths: [string, () => string][] = [
    ["a passport", () => `/soul/passport/${any()}`],
    ["a score (verify)", () => `/v1/agent/soul/verify/${any()}`],
    ["a score (trust)", () => `/soul/${any()}/trust`],
    ["the directory's first page", () => "/soul/directory"],
    ["the newest agents", () => "/soul/directory?sort=newest"],
    ["badges", () => `/soul/badges/${any()}`],
    ["how many there are", () => "/soul/stats"],
  ];
  const result: Record<string, Paced & { "CPU ms a call": number }> = {};
  const measure = async (what: string, server: Measured, path: () => string) => {
    await reads(server.url, path, WARM_UP_S);
    const before = server.cpu_ms();
    const paced = await reads(server.url, path);
    const cpu_ms = (server.cpu_ms() - before) / (paced["a second"] * load.seconds);
    result[what] = { ...paced, "CPU ms a call": Number(cpu_ms.toFixed(3)) };
  };
  const passport = await fetch(`${service.url}/soul/passport/1`).then((answer) => answer.text());
  const bare = await startBareExpress(passport);
  await measure("a bare Express route", bare, () => "/");
  bare.stop();
  for (const [what, path] of paths) await measure(what, service, path);
  console.log(`reads among ${many} passports:`);
  console.table(result);
  console.log("the directory, walked whole:", await walk(service.url));
  if (values.only !== "reads") {
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
    tellRates(rates, { "÷ bets": BETS });
  }
  await service.stop();
});
