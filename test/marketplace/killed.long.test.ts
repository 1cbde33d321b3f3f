/**
 * kill -9 just before and after each append that funds or ends a bounty: a retry at another process gives one result.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as bounties from "../../src/domain/marketplace/bounty.ts";
import { marketplaceReactor } from "../../src/reactors/marketplace/end-overdue.ts";
import { balanceOf } from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { present, quoteOf, signPayment } from "../support/buyer.ts";
import { startProgram } from "../support/compiled.ts";
import { turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type Answer, type MarketSetup, openMarketSetup, type TestAgent } from "./market-setup.ts";

const REWARD = 1_000_000;
const DAY_S = 86_400;
/** Overdue for as long as silence gives a reward away, and before the others' time is over. */
const LATER_S = 16 * DAY_S;

let setup: MarketSetup;
let maker: TestAgent;
const children: ChildProcess[] = [];
beforeAll(async () => {
  setup = await openMarketSetup();
  maker = await setup.agent("maker");
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await setup?.service.stop();
});

/** A bounty's step at which the process is killed, and its request; undefined where no request triggers it. */
type Story = { bounty_id: string; creator: string; step: string; ask?: (url: string) => Promise<Answer> };

const path = (bounty_id: string, step: string) => `/soul/bounties/${bounty_id}/${step}`;

async function opened(headers: Record<string, string>, deadline_days: number): Promise<string> {
  const request = { title: "Ended by a kill", reward_usd: REWARD / 1e6, deadline_days };
  const { status, body } = await setup.ask(headers, "/soul/bounties", request);
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body.bounty_id);
}

async function submitted(bounty_id: string): Promise<string> {
  const { claim_id } = (await setup.ask(maker.headers, path(bounty_id, "claim"), {})).body;
  const done = await setup.ask(maker.headers, path(bounty_id, "submit"), { content: "Done" });
  expect(done.status, JSON.stringify(done.body)).toBe(200);
  return String(claim_id);
}

const eventsOf = async (bounty_id: string): Promise<string[]> => {
  const stream = { tenant: "operator", stream_id: bounties.streamOf(bounty_id) };
  return (await setup.app.store.readStream(stream)).map(({ type }) => type);
};

/**
 * Ends by a call or by the reactor. The reactor blocks at the first due bounty, so each of those has its own process.
 */
const ENDED = {
  "a reward from an account": [{ available: 0, held: REWARD, spent: 0 }, 0],
  "a reward paid by a wallet": [{ available: 0, held: REWARD, spent: 0 }, 0],
  "an award": [{ available: 0, held: 0, spent: REWARD }, 900_000],
  "a cancelled bounty that nobody worked on": [{ available: REWARD, held: 0, spent: 0 }, 0],
  "a cancelled bounty that was worked on": [{ available: 900_000, held: 0, spent: 100_000 }, 100_000],
  "a creator's silence": [{ available: 0, held: 0, spent: REWARD }, 900_000],
  "an expired bounty": [{ available: REWARD, held: 0, spent: 0 }, 0],
} as const;
type EndName = keyof typeof ENDED;
const endsByCall = Object.keys(ENDED).slice(0, 5) as EndName[];

describe.each([
  ["before", endsByCall],
  ["after", endsByCall],
  ["before", ["a creator's silence"]],
  ["after", ["a creator's silence"]],
  ["before", ["an expired bounty"]],
  ["after", ["an expired bounty"]],
] as [string, EndName[]][])("after a kill just %s the append of", (side, names) => {
  const stories: Partial<Record<EndName, Story>> = {};
  const cut: Promise<unknown>[] = [];
  let earned = 0;
  let paid_micro = 0n;
  const payer = wallet(side === "before" ? 1 : 2);

  /** A creator with the reward, whose bounty lasts longer than the killed process's clock is ahead, unless it is to be overdue. */
  async function bountyOf(name: string, days = 60) {
    const creator = `${side}-${name}`;
    const headers = await setup.rich(creator, REWARD);
    return { creator, headers, bounty_id: await opened(headers, days) };
  }

  const keyed = (headers: Record<string, string>, bounty_id: string, step: string, body: object) => {
    const once = { ...headers, "Idempotency-Key": step };
    return (url: string) => setup.ask(once, path(bounty_id, step), body, url);
  };

  async function rewards(): Promise<void> {
    const reward = { reward_usd: REWARD / 1e6 };
    const unfunded = await opened({}, 60);
    const giver = `${side}-giver`;
    stories["a reward from an account"] = {
      ...{ bounty_id: unfunded, creator: giver, step: "BountyFunded" },
      ask: keyed(await setup.rich(giver, REWARD), unfunded, "fund", reward),
    };
    const forWallet = await opened({}, 60);
    const url = (of: string) => of + path(forWallet, "fund");
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(reward),
    };
    const signed = await signPayment(payer, await quoteOf(url(setup.service.url), init));
    stories["a reward paid by a wallet"] = {
      ...{ bounty_id: forWallet, creator: `wallet:${addressOf(payer)}`, step: "BountyFunded" },
      ask: async (of) => {
        const response = await present(url(of), signed, init);
        return { status: response.status, body: await response.json() };
      },
    };
  }

  async function ends(): Promise<void> {
    const awarded = await bountyOf("awarding");
    const claim_id = await submitted(awarded.bounty_id);
    stories["an award"] = {
      ...{ bounty_id: awarded.bounty_id, creator: awarded.creator, step: "BountyAwarded" },
      ask: keyed(awarded.headers, awarded.bounty_id, "award", { claim_id }),
    };
    for (const [name, isSubmitted] of [
      ["a cancelled bounty that nobody worked on", false],
      ["a cancelled bounty that was worked on", true],
    ] as const) {
      const { creator, headers, bounty_id } = await bountyOf(`cancelling-${isSubmitted}`);
      if (isSubmitted) await submitted(bounty_id);
      const ask = keyed(headers, bounty_id, "cancel", {});
      stories[name] = { bounty_id, creator, step: "BountyCancelled", ask };
    }
  }

  async function overdue(name: EndName): Promise<void> {
    const isSilent = name === "a creator's silence";
    const { bounty_id, creator } = await bountyOf(isSilent ? "silent" : "expiring", 1);
    if (isSilent) await submitted(bounty_id);
    stories[name] = { bounty_id, creator, step: isSilent ? "BountyAwarded" : "BountyExpired" };
  }

  const left = () => balanceOf(setup.app.chain, addressOf(payer));

  beforeAll(async () => {
    if (names === endsByCall) await Promise.all([rewards(), ends()]);
    else await overdue(names[0]!);
    await setup.folded();
    earned = (await setup.account(maker.tenant)).available;
    paid_micro = await left();
    const { database_url, data_dir } = setup.service;
    const steps = Object.values(stories).map(({ bounty_id, step }) => [bounty_id, step]);
    const child = startProgram("test/marketplace/killed-market.ts", [], {
      env: {
        ...{ PATH: process.env.PATH, DATABASE: database_url, DATA: data_dir, SIDE: side },
        ...{ STEPS: JSON.stringify(Object.fromEntries(steps)), LATER: String(LATER_S) },
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    const ended = once(child, "exit");
    const [line] = (await once(child.stdout!, "data")) as [Buffer];
    for (const { ask } of Object.values(stories))
      if (ask) cut.push(ask(line.toString().trim()).catch(() => undefined));
    expect(await ended).toEqual([null, "SIGKILL"]);
    await Promise.all(cut);
  });

  /** Retries at the surviving process until nothing is pending, or runs its reactor for steps without a request. */
  const again = ({ ask, bounty_id, step }: Story): Promise<unknown> =>
    until(async () => {
      if (ask) return (await ask(setup.service.url)).status === 200;
      await setup.folded();
      await setup.later(LATER_S, () => turn(setup.app, marketplaceReactor, { patient: true }));
      return (await eventsOf(bounty_id)).includes(step);
    });

  test.each(names)("%s: the state and the money change once", async (name) => {
    const [account, won] = ENDED[name];
    const story = stories[name]!;
    await again(story);
    await again(story);
    const events = await eventsOf(story.bounty_id);
    expect(events.filter((type) => type === story.step)).toHaveLength(1);
    expect(await setup.account(story.creator)).toMatchObject(account);
    const { rows } = await setup.app.pool.query(
      "select payload from eventstore.events where tenant = $1 and type = 'AccountCredited'",
      [maker.tenant],
    );
    const credits = rows
      .map(({ payload }) => JSON.parse(payload.toString()))
      .filter(({ source }) => source === bounties.holdOf(story.bounty_id));
    expect(credits.map(({ amount_micro }) => amount_micro)).toEqual(won === 0 ? [] : [won]);
  });

  test("all steps together make one payment, one author's earnings, and balanced books", async () => {
    await setup.folded();
    expect(paid_micro - (await left())).toBe(names === endsByCall ? BigInt(REWARD) : 0n);
    const won = names.reduce((sum, name) => sum + ENDED[name][1], 0);
    expect((await setup.account(maker.tenant)).available - earned).toBe(won);
    expect(await setup.unbalanced()).toEqual([]);
    await expectBooks(setup.app);
  });
});
