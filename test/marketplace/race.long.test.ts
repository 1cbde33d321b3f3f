/**
 * Two processes race for each end of a bounty, and one is killed amid sales: money moves once, and the books balance
 * to the micro-unit. MARKET_ROUNDS and MARKET_BUYERS make it larger.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forEach } from "../../src/core/coordination/concurrency.ts";
import * as bounties from "../../src/domain/marketplace/bounty.ts";
import { marketplaceReactor } from "../../src/reactors/marketplace/end-overdue.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { startProgram } from "../support/compiled.ts";
import { scaled } from "../support/scale.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { type MarketSetup, openMarketSetup, type TestAgent } from "./market-setup.ts";

const ROUNDS = scaled(6);
const BUYERS = scaled(12, 3);
const DAY_S = 86_400;

let setup: MarketSetup;
let child: ChildProcess;
let other: string;
let makers: TestAgent[];
beforeAll(async () => {
  setup = await openMarketSetup();
  const { database_url, data_dir } = setup.service;
  child = startProgram("test/marketplace/second-process.ts", [], {
    env: { PATH: process.env.PATH, DATABASE: database_url, DATA: data_dir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  makers = [await setup.agent("first-maker"), await setup.agent("second-maker")];
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  other = line.toString().trim();
});
afterAll(async () => {
  child?.kill("SIGKILL");
  await setup?.service.stop();
});

/** A bounty with two submissions, whose time is over; or with none. */
async function overdue(n: number, isSubmitted: boolean) {
  const tenant = `creator-${n}-${isSubmitted}`;
  const headers = await setup.rich(tenant, 1_000_000);
  const request = { title: "Raced for", reward_usd: 1, deadline_days: 1 };
  const { bounty_id } = (await setup.ask(headers, "/soul/bounties", request)).body;
  const path = `/soul/bounties/${bounty_id}`;
  const claims: string[] = [];
  for (const maker of isSubmitted ? makers : []) {
    claims.push((await setup.ask(maker.headers, `${path}/claim`, {})).body.claim_id);
    await setup.ask(maker.headers, `${path}/submit`, { content: `by ${maker.agent_id}` });
  }
  await setup.folded();
  return { tenant, headers, bounty_id: String(bounty_id), path, claims };
}

test("concurrent award, cancellation, silence and expiry: one ends the bounty, and the whole reward goes one way", async () => {
  for (let n = 0; n < ROUNDS; n++)
    for (const isSubmitted of [true, false]) {
      const { tenant, headers, bounty_id, path, claims } = await overdue(n, isSubmitted);
      const before = await Promise.all(
        makers.map(async (one) => (await setup.account(one.tenant)).available),
      );
      await setup.later(15 * DAY_S, async () => {
        const requests = [
          () => turn(setup.app, marketplaceReactor),
          () => setup.ask(headers, `${path}/cancel`, {}, other),
          ...claims.map(
            (claim_id, at) => () =>
              setup.ask(headers, `${path}/award`, { claim_id }, at === 0 ? other : undefined),
          ),
        ];
        // Each of them begins first in some round.
        await Promise.all(
          [...requests.slice(n % requests.length), ...requests.slice(0, n % requests.length)].map((ask) =>
            ask(),
          ),
        );
      });
      const stream = await setup.app.store.readStream({
        tenant: "operator",
        stream_id: bounties.streamOf(bounty_id),
      });
      const last = stream.filter(({ type }) => /Awarded|Cancelled|Expired/.test(type));
      expect(last.length).toBe(1);
      const { available, held, spent } = await setup.account(tenant);
      expect([available + spent, held]).toEqual([1_000_000, 0]);
      const after = await Promise.all(makers.map(async (one) => (await setup.account(one.tenant)).available));
      const won = after.map((sum, at) => sum - before[at]!).toSorted((a, b) => a - b);
      const paid = { BountyAwarded: [0, 900_000], BountyCancelled: [50_000, 50_000], BountyExpired: [0, 0] };
      const isShared = last[0]!.type === "BountyCancelled" && !isSubmitted;
      expect(won).toEqual(isShared ? [0, 0] : paid[last[0]!.type as keyof typeof paid]);
    }
});

test("two concurrent funders of one bounty: one is its creator, and the other keeps or gets back its payment", async () => {
  const { body } = await setup.ask({}, "/soul/bounties", { title: "Wanted by two", reward_usd: 0.5 });
  const path = `/soul/bounties/${body.bounty_id}/fund`;
  const keys = [await setup.rich("fast", 500_000), await setup.rich("faster", 500_000)];
  const results = await Promise.all(
    keys.map((headers, n) => setup.ask(headers, path, { reward_usd: 0.5 }, n ? other : undefined)),
  );
  expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
  const accounts = await Promise.all(["fast", "faster"].map(setup.account));
  expect(accounts.map(({ held }) => held).sort()).toEqual([0, 500_000]);
});

test("kill -9 amid sales: retries with the same payment sell each once", async () => {
  const [author] = makers as [TestAgent];
  const note = { kind: "note", title: "Sold in a storm", price_usd: 0.01, content: "calm" };
  const { item_id } = (await setup.ask(author.headers, "/soul/stack", note)).body;
  const path = `/soul/stack/${item_id}/buy`;
  const before = (await setup.account(author.tenant)).available;
  const numbers = Array.from({ length: BUYERS }, (_, n) => n);
  const buyers = await forEach(numbers, async (n) => {
    const init = {
      method: "POST",
      headers: { ...(await setup.keyOf(`storm-${n}`)), "Content-Type": "application/json" },
      body: JSON.stringify({ price_usd: 0.01 }),
    };
    const payment = await signPayment(wallet(1 + (n % 9)), await quoteOf(setup.service.url + path, init));
    return { init, payment };
  });
  const requests = buyers.map(({ init, payment }) =>
    present(other + path, payment, init).catch(() => undefined),
  );
  await Promise.race(requests);
  child.kill("SIGKILL");
  await Promise.all(requests);
  await forEach(buyers, ({ init, payment }) =>
    until(async () => {
      const answer = await present(setup.service.url + path, payment, init);
      const body = (await answer.json()) as { content?: string };
      if (answer.status === 503) return false;
      expect([answer.status, body.content]).toEqual([200, "calm"]);
      return true;
    }),
  );
  expect((await setup.account(author.tenant)).available - before).toBe(BUYERS * 8_000);
  const stream = await setup.app.store.readStream({ tenant: "operator", stream_id: `stack-${item_id}` });
  expect(stream.filter(({ type }) => type === "ItemSold").length).toBe(BUYERS);
});

test("after the races every account balances, and the books agree with the chain", async () => {
  await setup.folded();
  expect(await setup.unbalanced()).toEqual([]);
  await expectBooks(setup.app);
});
