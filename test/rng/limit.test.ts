/** The announced limit of a seed holds for any number of concurrent draws and processes. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSeedVault } from "../../src/adapters/seed-vault.ts";
import type { App } from "../../src/core/app.ts";
import * as seeds from "../../src/domain/rng/seeds.ts";
import { seedsReactor } from "../../src/reactors/rng/reactor.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";

const MOST = 20;
type OpenedService = Awaited<ReturnType<typeof startService>>;
let one: OpenedService;
let other: OpenedService;

async function open(beside?: OpenedService): Promise<OpenedService> {
  const options = { chain: "embedded", env: { SEED_ROLLS: `${MOST}` }, ...(beside && { beside }) } as const;
  const service = await startService(options);
  replace(service.app, { seeds: openSeedVault("what the seeds of the limit are made from", "limit", 200) });
  return service;
}

beforeAll(async () => {
  one = await open();
  other = await open(one);
  for (let n = 0; n < 10 && !(await active(one.app)); n++) await turn(one.app, seedsReactor);
});
afterAll(async () => {
  await other?.stop();
  await one?.stop();
});

const active = async (app: App, space: seeds.Space = "live") =>
  (await app.load(seeds, seeds.targetOf(space))).active;

type Headers = Record<string, string>;
const post = ({ url }: Service, headers: Headers, path: string, body: object) =>
  fetch(`${url}/v1/agent/${path}`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

/** The number of draws from each seed in the log. */
async function uses(app: App): Promise<Map<unknown, number>> {
  const counts = new Map<unknown, number>();
  for (let after = 0; ; after += 1_000) {
    const page = await app.store.readLog({ after, limit: 1_000 });
    for (const { type, payload } of page)
      if (type === "Rolled" || type === "BetPlayed")
        counts.set(payload.seed_hash, (counts.get(payload.seed_hash) ?? 0) + 1);
    if (page.length < 1_000) return counts;
  }
}

const sum = (counts: Map<unknown, number>) => [...counts.values()].reduce((a, b) => a + b, 0);

test("no seed is drawn from beyond its limit by 200 concurrent calls at two processes, with batches and bets", async () => {
  const { headers } = await one.issue();
  const call = async (at: number) => {
    const service = at % 2 === 0 ? one : other;
    const client_seed = `${at % 7}`;
    const [path, body, drawn] =
      at % 10 === 0
        ? ["rng/roll/batch", { rolls: Array.from({ length: 3 }, () => ({ client_seed })) }, 3]
        : at % 10 === 5
          ? ["lounge/roulette", { bet_type: "red", client_seed }, 1]
          : ["rng/roll", { client_seed }, 1];
    const { status } = await post(service, headers, path as string, body as object);
    return { status, drawn: status === 200 ? (drawn as number) : 0 };
  };
  const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => call(at)));
  for (const { status } of answers) expect([200, 503]).toContain(status);
  const counts = await uses(one.app);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(MOST);
  expect(sum(counts)).toBe(answers.reduce((all, { drawn }) => all + drawn, 0));
  expect(counts.size).toBeGreaterThan(2);
});

describe("one after the other", () => {
  test("a roll that finds its seed used up is drawn from the next, without another call to reveal it", async () => {
    const { headers } = await one.issue();
    const first = (await active(one.app))!;
    const hashes: string[] = [];
    for (let n = 0; n <= MOST; n++) {
      const answer = await post(other, headers, "rng/roll", { client_seed: "alone" });
      expect(answer.status).toBe(200);
      hashes.push(((await answer.json()) as { data: { seed_hash: string } }).data.seed_hash);
    }
    expect(new Set(hashes).size).toBe(2);
    expect(hashes.at(-1)).not.toBe(first.seed_hash);
    expect(Math.max(...(await uses(one.app)).values())).toBeLessThanOrEqual(MOST);
  });

  test("a refused request reserves nothing of the seed", async () => {
    const { headers } = await one.issue({ tenant: "poor" });
    const room = async () => {
      const { seed_hash } = (await active(one.app))!;
      return { seed_hash, before: (await one.app.seed_uses.find(seed_hash))?.taken ?? 0 };
    };
    // Earlier races may have used a seed up: the next roll is then of another one.
    while ((await room()).before >= MOST)
      expect((await post(one, headers, "rng/roll", { client_seed: "before" })).status).toBe(200);
    const { seed_hash, before } = await room();
    for (let n = 0; n < MOST; n++) {
      const answer = await post(one, headers, "lounge/roulette", { bet_type: "red", amount: 1_000 });
      expect(answer.status).toBe(409);
    }
    const expected = { seed_hash: "0".repeat(64), rolls: [{ client_seed: "x" }] };
    expect((await post(one, headers, "rng/roll/batch", expected)).status).toBe(409);
    expect((await post(one, headers, "rng/roll", { client_seed: "after" })).status).toBe(200);
    expect((await active(one.app))!.seed_hash).toBe(seed_hash);
    expect((await one.app.seed_uses.find(seed_hash))!.taken).toBe(before + 1);
  });

  test("a batch beyond a seed's limit is a 400 with the limit", async () => {
    const { headers } = await one.issue();
    const rolls = Array.from({ length: MOST + 1 }, () => ({ client_seed: "x" }));
    const answer = await post(one, headers, "rng/roll/batch", { rolls });
    expect(answer.status).toBe(400);
    const { errors } = (await answer.json()) as { errors: object[] };
    expect(errors).toEqual([{ path: "rolls", message: `has at most ${MOST}: one seed gives no more` }]);
  });

  test("a repeated roll uses no draw of the seed, though that is revealed", async () => {
    const { headers } = await one.issue();
    const named = { ...headers, "Idempotency-Key": "said-twice" };
    const first = await (await post(one, named, "rng/roll", { client_seed: "twice" })).json();
    for (let n = 0; n < MOST; n++) await post(one, headers, "rng/roll", { client_seed: "between" });
    await one.app.pool.query("delete from access.kept_answers");
    const counted = await uses(one.app);
    expect(await (await post(other, named, "rng/roll", { client_seed: "twice" })).json()).toEqual(first);
    expect(await uses(one.app)).toEqual(counted);
  });

  test("a lost count restarts from the log", async () => {
    const { headers } = await one.issue();
    await post(one, headers, "rng/roll", { client_seed: "lost" });
    await one.app.pool.query("delete from rng.seed_uses");
    for (let n = 0; n < MOST; n++)
      expect((await post(one, headers, "rng/roll", { client_seed: "lost" })).status).toBe(200);
    expect(Math.max(...(await uses(one.app)).values())).toBeLessThanOrEqual(MOST);
  });

  test("reservations of a dead process are dropped, and rolls continue", async () => {
    const { headers } = await one.issue();
    const { seed_hash } = (await active(one.app))!;
    const taken = (await one.app.seed_uses.find(seed_hash))?.taken ?? 0;
    await one.app.seed_uses.take(seed_hash, { count: MOST - taken, most: MOST, before: async () => 0 });
    const answer = await post(other, headers, "rng/roll", { client_seed: "on" });
    expect(answer.status).toBe(200);
    expect((await active(one.app))!.seed_hash).not.toBe(seed_hash);
  });

  test("a batch too large for an answer is refused before anything is drawn or reserved", async () => {
    const { headers } = await one.issue();
    const taken = async () =>
      (await one.app.pool.query("select * from rng.seed_uses order by seed_hash")).rows;
    const [before, counted] = [await taken(), await uses(one.app)];
    const items = Array.from({ length: 1_000 }, () => "i".repeat(150));
    const rolls = Array.from({ length: 3 }, () => ({
      client_seed: "x",
      game_type: "shuffle",
      params: { items },
    }));
    const answer = await fetch(`${one.url}/mcp`, {
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "rng_roll_batch", arguments: { rolls } },
      }),
    });
    expect(await answer.text()).toContain("exceed 256 KiB; send fewer at once");
    expect(await taken()).toEqual(before);
    expect(await uses(one.app)).toEqual(counted);
  });
});
