/** Seeds through faults: used up, lost, raced for, a chain that is away, clocks that jump. The log itself is the judge. */

import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openSeedVault } from "../../src/adapters/seed-vault.ts";
import type { App } from "../../src/core/app.ts";
import { ChainUnavailable, TransactionPending } from "../../src/core/model/ports/chain.ts";
import { commitSeedsCall } from "../../src/domain/anchoring/contract.ts";
import { ByteStream } from "../../src/domain/games/bytes.ts";
import { play } from "../../src/domain/games/drawn.ts";
import * as commitments from "../../src/domain/rng/commitment.ts";
import type { RollFacts } from "../../src/domain/rng/roll.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { seedsReactor } from "../../src/reactors/rng/reactor.ts";
import { runningNode } from "../chain/fixture.ts";
import { buy } from "../support/buyer.ts";
import { replace } from "../support/replace.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";

const ROUNDS = scaled(3, 3);
const SECRET = "what the seeds of these tests are made from";
const services: Service[] = [];
const takeSeedTurn = (app: App) => turn(app, seedsReactor);
type OpenedService = Awaited<ReturnType<typeof startService>>;
let parent: OpenedService;

/** A service of its own, on one chain for all; its chains of seeds have three links. */
async function open(env: Record<string, string> = {}, beside?: OpenedService) {
  const service = await startService({
    chain: "embedded",
    env: { SEED_ROLLS: "4", ...env },
    ...(beside && { beside }),
  });
  replace(service.app, { seeds: openSeedVault(SECRET, "turns", 3) });
  services.push(service);
  return service;
}
beforeAll(async () => void (parent = await open()));
afterAll(async () => {
  for (const service of services.reverse()) await service.stop();
});

const active = async (app: App) => (await app.load(seeds, seeds.targetOf("live"))).active;
const sha256 = (hex: string) => createHash("sha256").update(Buffer.from(hex, "hex")).digest("hex");

/** Ticks until a seed is active. */
async function untilActive(app: App) {
  for (let n = 0; n < 10 && !(await active(app)); n++) await takeSeedTurn(app);
  return (await active(app))!;
}

async function rollOn({ url, issue }: Service, count: number, client_seed = "x"): Promise<number[]> {
  const { headers } = await issue();
  const ask = () =>
    fetch(`${url}/v1/agent/rng/roll`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ client_seed, params: { sides: 1_000 } }),
    }).then((response) => response.status);
  return Promise.all(Array.from({ length: count }, ask));
}

/** A hash of a seed committed by another account, such as an earlier key of the service, from the log. */
async function committedByAnother({ app, data_dir }: Service, seed_hash: string): Promise<string> {
  const signer = addressOf(wallet(9));
  const { to, data } = commitSeedsCall([`0x${seed_hash}`]).call;
  const { port } = await runningNode(data_dir);
  const params = [{ from: signer, to, data, gas: "0x30d40" }];
  const sent = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendTransaction", params }),
  });
  const { result: transaction } = (await sent.json()) as { result: `0x${string}` };
  await until(async () => (await app.chain.receipt(transaction)) !== undefined);
  const at = app.clock.now().toISOString();
  const block = { block_number: 1, block_hash: `0x${"0".repeat(64)}` as const };
  const place = { network: "eip155:8453", contract: to, ...block, committed_at: at };
  const meta = { actor: "test", operation: "test" };
  const target = commitments.targetOf(seed_hash);
  await app.decide(commitments, target, commitments.request(seed_hash, at), { meta });
  const facts = { seed_hash, ...place, signer, transaction };
  await app.decide(commitments, target, commitments.record(facts), { meta });
  return signer;
}

/** Every roll in the log comes before its seed's reveal and has the seed's result; no nonce occurs twice. */
async function expectFair(app: App) {
  const events = [];
  for (let after = 0; ; after += 1_000) {
    const page = await app.store.readLog({ after, limit: 1_000 });
    events.push(...page);
    if (page.length < 1_000) break;
  }
  const revealed = new Map<string, { position: number; seed: string }>();
  for (const { type, payload, position } of events)
    if (type === "SeedRevealed")
      revealed.set(String(payload.seed_hash), { position, seed: String(payload.seed) });
  const drawn = new Set<string>();
  let judged = 0;
  for (const { type, payload, position } of events) {
    if (type !== "Rolled") continue;
    const facts = payload as unknown as RollFacts;
    const name = [facts.seed_hash, facts.tenant, facts.game, facts.client_seed, facts.nonce].join();
    expect(drawn.has(name)).toBe(false);
    drawn.add(name);
    const found = revealed.get(facts.seed_hash);
    if (!found) continue;
    judged++;
    expect(position).toBeLessThan(found.position);
    expect(sha256(found.seed)).toBe(facts.seed_hash);
    const bytes = new ByteStream(Buffer.from(found.seed, "hex"), facts);
    expect(play(facts.game, facts.params, bytes)).toEqual(facts.result);
  }
  const hashes = events
    .filter(({ type }) => type === "SeedActivated")
    .map(({ payload }) => payload.seed_hash);
  expect(new Set(hashes).size).toBe(hashes.length);
  return { judged, events };
}

test("no roll is drawn from a revealed seed during concurrent rolls and ticks, and chains follow each other", async () => {
  await untilActive(parent.app);
  const other = await open({}, parent);
  let rolling = true;
  const turning = (async () => {
    while (rolling) await Promise.all([takeSeedTurn(parent.app), takeSeedTurn(other.app)]);
  })();
  const statuses: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const both = await Promise.all([rollOn(parent, 10, `${round}`), rollOn(other, 10, `${round}`)]);
    statuses.push(...both.flat());
  }
  rolling = false;
  await turning;
  expect(new Set(statuses)).toEqual(new Set([200]));
  const { judged, events } = await expectFair(parent.app);
  expect(judged).toBeGreaterThan(20);
  const chains = events.filter(({ type }) => type === "SeedActivated").map(({ payload }) => payload.chain);
  expect(new Set(chains).size).toBeGreaterThan(1);
  // Each chain was committed before its first seed was active.
  for (const { payload, position } of events.filter(
    ({ type, payload }) => type === "SeedActivated" && payload.index === 0,
  )) {
    const committed = events.find(
      (event) =>
        event.type === "SeedChainCommitted" &&
        event.payload.chain === payload.chain &&
        event.payload.space === payload.space,
    );
    expect(committed!.position).toBeLessThan(position);
  }
});

describe("on a service of its own", () => {
  let service: Service;
  let chain: App["chain"];
  let clock: App["clock"];
  const freshly = async () => {
    service = await open();
    ({ chain, clock } = service.app);
    return service.app;
  };
  afterEach(() => {
    replace(service.app, { chain });
    replace(service.app, { clock });
  });

  test("a commitment whose sender died is found on the chain, and not sent again", async () => {
    const app = await freshly();
    const sent: string[] = [];
    const send: App["chain"]["send"] = async (call, options) => {
      sent.push(call.data);
      const { transaction } = await chain.send(call, options);
      throw new TransactionPending([transaction]);
    };
    replace(app, { chain: Object.assign(Object.create(chain), { send }) });
    await takeSeedTurn(app);
    expect(await active(app)).toBeUndefined();
    await takeSeedTurn(app);
    expect(sent.filter((data) => data.includes(app.seeds.head("live", 1)))).toHaveLength(1);
    await takeSeedTurn(app);
    expect((await active(app))?.index).toBe(0);
  });

  test("an unreachable chain delays the use of a new chain of seeds, but no reveal", async () => {
    const app = await freshly();
    const away = () => Promise.reject(new ChainUnavailable("away"));
    replace(app, { chain: Object.assign(Object.create(chain), { read: away, send: away, logs: away }) });
    expect(await takeSeedTurn(app)).toEqual({ status: "away", reason: "away" });
    expect(new Set(await rollOn(service, 1))).toEqual(new Set([503]));
    replace(app, { chain });
    const first = await untilActive(app);
    replace(app, { chain: Object.assign(Object.create(chain), { read: away, send: away, logs: away }) });
    await rollOn(service, 5);
    await takeSeedTurn(app);
    expect((await active(app))?.index).toBe(first.index + 1);
    await expectFair(app);
  });

  test("a head committed before its publication is abandoned, and a later chain is used", async () => {
    const app = await freshly();
    const head = app.seeds.head("live", 1);
    const { call, options } = commitSeedsCall([`0x${head}`]);
    await chain.send(call, options);
    replace(app, { clock: { now: () => new Date(clock.now().getTime() + 3_600_000) } });
    await takeSeedTurn(app);
    replace(app, { clock });
    expect((await untilActive(app)).chain).toBeGreaterThan(1);
    const { events } = await expectFair(app);
    const given = events.filter(({ type }) => type === "SeedChainAbandoned").map(({ payload }) => payload);
    expect(given).toContainEqual(
      expect.objectContaining({ head_hash: head, reason: "committed-before", void: null }),
    );
    const { headers } = await service.issue();
    const answer = await fetch(`${service.url}/v1/agent/rng/anchor/verify`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ seed_hash: head }),
    });
    const { data } = (await answer.json()) as { data: unknown };
    expect(data).toMatchObject({ committed: false, itself: null, by_head: null, published: { chain: 1 } });
  });

  test("a roll whose payment settles while its seed is revealed is drawn from the next one", async () => {
    const app = await freshly();
    const first = await untilActive(app);
    const { settlement } = app;
    let during = 0;
    const settle: typeof settlement.settle = async (...payment) => {
      during++;
      await rollOn(service, 4, "x");
      await takeSeedTurn(app);
      return settlement.settle(...payment);
    };
    replace(app, { settlement: Object.assign(Object.create(settlement), { settle }) });
    const body = JSON.stringify({ client_seed: "paid", game_type: "float" });
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    const { answer } = await buy(wallet(3), `${service.url}/v1/agent/rng/roll`, init);
    replace(app, { settlement });
    const { data } = (await answer.json()) as {
      data: { seed_hash: string; chain_index: number; nonce: number };
    };
    const second = await active(app);
    expect([answer.status, during, second?.index]).toEqual([200, 1, first.index + 1]);
    expect(data).toMatchObject({ seed_hash: second?.seed_hash, chain_index: second?.index, nonce: 0 });
    const { events } = await expectFair(app);
    const paid = events.filter(({ type, payload }) => type === "Rolled" && payload.client_seed === "paid");
    expect(paid.map(({ payload }) => payload.seed_hash)).toEqual([second?.seed_hash]);
  });

  test("a commitment by another signer than its chain's is found on the chain", async () => {
    const app = await freshly();
    const { seed_hash } = await untilActive(app);
    await rollOn(service, 4);
    await takeSeedTurn(app);
    const { seed_hash: next } = (await active(app))!;
    const signer = await committedByAnother(service, next);
    const { headers } = await service.issue();
    const verified = async (hash: string) => {
      const answer = await fetch(`${service.url}/v1/agent/rng/anchor/verify`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify({ seed_hash: hash }),
      });
      return ((await answer.json()) as { data: unknown }).data;
    };
    const by_head = { signer: app.chain.sender };
    expect(await verified(next)).toMatchObject({ committed: true, itself: { signer }, by_head });
    expect(await verified(seed_hash)).toMatchObject({ committed: true, itself: by_head, by_head });
  });

  test("a clock set back or forward reveals at most one seed early, and rolls stay fair", async () => {
    const app = await freshly();
    await untilActive(app);
    await rollOn(service, 1);
    const jump = (ms: number) => {
      replace(app, { clock: { now: () => new Date(clock.now().getTime() + ms) } });
    };
    jump(30 * 86_400_000);
    await takeSeedTurn(app);
    const second = (await active(app))!;
    expect(second.index).toBe(1);
    jump(-30 * 86_400_000);
    await takeSeedTurn(app);
    expect((await active(app))?.index).toBe(1);
    expect(await rollOn(service, 5)).toEqual([200, 200, 200, 200, 200]);
    await takeSeedTurn(app);
    expect((await active(app))?.index).toBe(2);
    await expectFair(app);
  });
});
