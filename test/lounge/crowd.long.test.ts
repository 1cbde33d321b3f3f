/** One account and two processes: concurrent, repeated and killed bets, while seeds are revealed in between. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as account from "../../src/domain/lounge/account.ts";
import { ATTO } from "../../src/domain/lounge/token.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { startProgram } from "../support/compiled.ts";
import { until } from "../support/until.ts";
import { type Headers, type LoungeSetup, openLoungeSetup } from "./lounge-setup.ts";

let setup: LoungeSetup;
let child: ChildProcess;
let second: string;

beforeAll(async () => {
  setup = await openLoungeSetup({ SEED_ROLLS: "1000000", SEED_SECONDS: "3600" });
  const { database_url, data_dir } = setup.service;
  child = startProgram("test/lounge/second-process.ts", [], {
    env: { PATH: process.env.PATH, DATABASE: database_url, DATA: data_dir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  second = line.toString().trim();
});
afterAll(async () => {
  child?.kill("SIGKILL");
  await setup?.service.stop();
});

const play = (headers: Headers, body: object, url?: string) =>
  setup.ask(headers, "lounge/roulette", body, url);

const named = (headers: Headers, name: string): Headers => ({ ...headers, "Idempotency-Key": name });

/**
 * Concurrent bets under one key, played or refused at the first request: no caller has to retry because others were
 * faster.
 */
const atOnce = (headers: Headers, name: string, body: object, url?: string) =>
  play(named(headers, name), body, url);

/** Reveals the active seed, and activates the next. */
async function rotate(): Promise<void> {
  const { app } = setup.service;
  const { chain, index } = seeds.activeSeed(await app.load(seeds, seeds.targetOf("live")));
  const seed = Buffer.from(app.seeds.seed("live", chain, index)).toString("hex");
  const revealed_at = app.clock.now().toISOString();
  const use = { activated_at: revealed_at, max_rolls: 1_000_000, retires_at: "2999-01-01T00:00:00.000Z" };
  const ended = { chain, index, seed, reason: "rolls", revealed_at } as const;
  const meta = { actor: "test", operation: "test" };
  await app.decide(seeds, seeds.targetOf("live"), seeds.rotate(ended, use), { meta });
}

/** Holds an account's events against each other: no balance below zero, no gap in a seed's count; answers the bets. */
async function auditedBets(tenant: string) {
  const [welcome, ...bets] = await setup.storyOf(tenant);
  expect(welcome).toMatchObject({ type: "WelcomeGranted", version: 1 });
  let balance = 100n * ATTO;
  const counts = new Map<unknown, number>();
  for (const { type, payload } of bets) {
    expect(type).toBe("BetPlayed");
    const { stake_atto, payout_atto, balance_atto, seed_hash, nonce } = payload as Record<string, string>;
    expect(BigInt(stake_atto!)).toBeLessThanOrEqual(balance);
    balance += BigInt(payout_atto!) - BigInt(stake_atto!);
    expect(balance_atto).toBe(String(balance));
    expect(nonce).toBe(counts.get(seed_hash) ?? 0);
    counts.set(seed_hash, Number(nonce) + 1);
  }
  const state = await setup.service.app.load(account, account.targetOf(tenant));
  expect(state.balance).toBe(balance);
  expect(balance).toBe(state.granted + state.deposited + state.won - state.staked);
  return { bets: bets.map(({ payload }) => payload), seeds: counts.size };
}

test("200 concurrent bets on one account, from two processes, with seeds revealed between them, never go below zero", async () => {
  const headers = await setup.keyOf("crowd");
  const first = await play(headers, { bet_type: "red", client_seed: "first" });
  const requests = Array.from({ length: 200 }, (_, n) => {
    const body = { bet_type: n % 3 ? "red" : "7", client_seed: `c${n}`, amount: 4 };
    return atOnce(headers, `c${n}`, body, n % 2 ? second : setup.service.url);
  });
  for (let n = 0; n < 3; n++) await rotate();
  const answers = [first, ...(await Promise.all(requests))];
  const played = answers.filter(({ status }) => status === 200).map(({ body }) => body.data);
  for (const { status, body } of answers.filter(({ status }) => status !== 200))
    expect([status, body.type]).toEqual([409, expect.stringContaining("balance-too-low")]);
  const { bets, seeds } = await auditedBets("crowd");
  expect(new Set(bets.map(({ roll_id }) => roll_id))).toEqual(new Set(played.map(({ roll_id }) => roll_id)));
  expect(bets).toHaveLength(played.length);
  expect(seeds).toBeGreaterThan(1);
});

test("a bet repeated under one key is one bet, in either process", async () => {
  const headers = { ...(await setup.keyOf("twice")), "Idempotency-Key": "once" };
  const body = { bet_type: "black", client_seed: "twice", amount: 5 };
  const both = await Promise.all([play(headers, body), play(headers, body, second)]);
  expect(both[1]).toEqual(both[0]);
  await rotate();
  expect(await play(headers, body, second)).toEqual(both[0]);
  expect((await setup.storyOf("twice")).map(({ type }) => type)).toEqual(["WelcomeGranted", "BetPlayed"]);
  expect((await play(headers, { ...body, amount: 6 })).status).toBe(422);
});

// Last, because the second process has ended afterwards.
test("bets interrupted by a kill are repeated, and each is played once", async () => {
  const headers = await setup.keyOf("killed");
  const body = (n: number) => ({ bet_type: "red", client_seed: `k${n}` });
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  const cut = Promise.allSettled(numbers.map((n) => play(named(headers, `k${n}`), body(n), second)));
  await until(async () => (await setup.storyOf("killed")).length >= 5);
  child.kill("SIGKILL");
  const before = await cut;
  expect(before.some(({ status }) => status === "rejected")).toBe(true);
  const after = await Promise.all(numbers.map((n) => atOnce(headers, `k${n}`, body(n))));
  before.forEach((one, n) => {
    if (one.status === "fulfilled" && one.value.status === 200) expect(after[n]).toEqual(one.value);
  });
  const { bets } = await auditedBets("killed");
  expect(bets.map(({ client_seed }) => client_seed).sort()).toEqual(numbers.map((n) => `k${n}`).sort());
});
