/** Bounties over HTTP: a locked reward, several claimants, and each possible end. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { digestOf } from "../../src/core/model/objects.ts";
import { marketplaceReactor } from "../../src/reactors/marketplace/end-overdue.ts";
import { expectBooks } from "../support/books.ts";
import { turn } from "../support/turns.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { kindOf, type MarketSetup, openMarketSetup, type TestAgent } from "./market-setup.ts";

const DAY_S = 86_400;

let setup: MarketSetup;
let one: TestAgent;
let other: TestAgent;
beforeAll(async () => {
  setup = await openMarketSetup();
  one = await setup.agent("maker-one");
  other = await setup.agent("maker-two");
});
afterAll(() => setup.service.stop());

const work = (bounty_id: string, step: string) => `/soul/bounties/${bounty_id}/${step}`;

/** A bounty of 0.50 of a tenant that has 1.00. */
async function opened(tenant: string, more: object = {}) {
  const headers = await setup.rich(tenant, 1_000_000);
  const request = { title: `Work for ${tenant}`, reward_usd: 0.5, ...more };
  const { status, body } = await setup.ask(headers, "/soul/bounties", request);
  expect(status, JSON.stringify(body)).toBe(201);
  return { headers, bounty_id: String(body.bounty_id), body };
}

async function submitted(bounty_id: string, agent: TestAgent, content = `by ${agent.agent_id}`) {
  const claimed = await setup.ask(agent.headers, work(bounty_id, "claim"), { note: "By Friday." });
  expect(claimed.status, JSON.stringify(claimed.body)).toBe(200);
  const made = await setup.ask(agent.headers, work(bounty_id, "submit"), { content });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  return String(claimed.body.claim_id);
}

describe("a bounty", () => {
  test("of a key with an account opens at once, is claimed, submitted to and awarded", async () => {
    const { headers, bounty_id, body } = await opened("acme", { skills: ["latvian"] });
    expect(body).toMatchObject({ status: "open", funded: true, creator: null, reward_usd: "0.50" });
    expect(await setup.account("acme")).toMatchObject({ available: 500_000, held: 500_000 });
    const first = await submitted(bounty_id, one, "Malka, skaldīta");
    await submitted(bounty_id, other);
    const seen = await setup.ask(headers, `/soul/bounties/${bounty_id}`);
    expect(seen.body).toMatchObject({ status: "submitted", claims: 2, submissions: 2 });
    expect(seen.body.claimants[0]).toMatchObject({
      claim_id: first,
      sx_id: `SX#${one.sx}`,
      note: "By Friday.",
      content_sha256: digestOf("Malka, skaldīta"),
    });
    const stranger = await setup.ask({}, `/soul/bounties/${bounty_id}`);
    expect(stranger.body.claimants.map(({ note }: { note: string | null }) => note)).toEqual([null, null]);
    const paper = `/soul/bounties/${bounty_id}/submissions/${first}`;
    for (const who of [headers, one.headers])
      expect((await setup.ask(who, paper)).body).toMatchObject({ content: "Malka, skaldīta" });
    for (const who of [other.headers, await setup.keyOf("nosy")])
      expect((await setup.ask(who, paper)).status).toBe(404);
    expect(kindOf(await setup.ask(one.headers, work(bounty_id, "award"), { claim_id: first }))).toEqual([
      403,
      "forbidden",
    ]);
    for (const _ of [1, 2])
      expect((await setup.ask(headers, work(bounty_id, "award"), { claim_id: first })).body).toMatchObject({
        status: "awarded",
        winner: `SX#${one.sx}`,
      });
    expect(await setup.account("acme")).toMatchObject({ available: 500_000, held: 0, spent: 500_000 });
    expect(await setup.account(one.tenant)).toMatchObject({ available: 450_000 });
    expect(kindOf(await setup.ask(headers, work(bounty_id, "cancel"), {}))).toEqual([409, "bounty-state"]);
  });

  test("of a stranger is unfunded and unlisted, until a payment makes its wallet the creator", async () => {
    const request = { title: "Find the cheapest pellets", reward_usd: 0.25 };
    const { status, body } = await setup.ask({}, "/soul/bounties", request);
    expect([status, body.status, body.funded]).toEqual([201, "unfunded", false]);
    const { bounty_id } = body;
    const list = async () =>
      (await setup.ask({}, "/soul/bounties?q=pellets")).body.bounties.map(
        (shown: { bounty_id: string }) => shown.bounty_id,
      );
    expect(await list()).toEqual([]);
    expect((await setup.ask({}, `/soul/bounties/${bounty_id}`)).body).toMatchObject({ title: request.title });
    expect(kindOf(await setup.ask(one.headers, work(bounty_id, "claim"), {}))).toEqual([409, "bounty-state"]);
    const wrong = await setup.ask(await setup.rich("generous", 1_000_000), work(bounty_id, "fund"), {
      reward_usd: 0.3,
    });
    expect(kindOf(wrong)).toEqual([409, "bounty-state"]);
    const paid = await setup.pays(wallet(3), work(bounty_id, "fund"), { reward_usd: 0.25 });
    expect(paid).toMatchObject({
      status: 200,
      body: { status: "open", creator: addressOf(wallet(3)), account: { held_usdc: "0.25" } },
    });
    expect(await list()).toEqual([bounty_id]);
    const claim_id = await submitted(bounty_id, one);
    const awarded = await setup.signed(wallet(3), work(bounty_id, "award"), { claim_id });
    expect(awarded.body).toMatchObject({ status: "awarded", winner: `SX#${one.sx}` });
  });

  test("that nobody funds within the hour is gone, and cannot be funded later", async () => {
    const { body } = await setup.ask({}, "/soul/bounties", { title: "Too late", reward_usd: 0.25 });
    const { bounty_id } = body;
    const headers = await setup.rich("tardy", 1_000_000);
    await setup.later(3_601, async () => {
      expect((await setup.ask({}, `/soul/bounties/${bounty_id}`)).status).toBe(404);
      expect((await setup.ask(headers, work(bounty_id, "fund"), { reward_usd: 0.25 })).status).toBe(404);
    });
    expect(await setup.account("tardy")).toMatchObject({ available: 1_000_000, held: 0 });
  });

  test("cannot be claimed by its creator, only by agents with enough trust", async () => {
    await setup.credited(other.tenant, 1_000_000);
    const own = await setup.ask(other.headers, "/soul/bounties", { title: "My own work", reward_usd: 0.5 });
    expect(own.body).toMatchObject({ status: "open", creator: `SX#${other.sx}` });
    expect(kindOf(await setup.ask(other.headers, work(own.body.bounty_id, "claim"), {}))).toEqual([
      409,
      "own-goods",
    ]);
    const { bounty_id } = await opened("picky", { min_trust: 50 });
    expect(kindOf(await setup.ask(one.headers, work(bounty_id, "claim"), {}))).toEqual([
      409,
      "trust-missing",
    ]);
    expect((await setup.ask(await setup.keyOf("no-agent"), work(bounty_id, "claim"), {})).status).toBe(403);
  });

  test("is refunded on cancellation, less a tenth where somebody has submitted", async () => {
    const { headers, bounty_id } = await opened("fickle");
    const [before] = await Promise.all([one, other].map(({ tenant }) => setup.account(tenant)));
    await submitted(bounty_id, one);
    await submitted(bounty_id, other);
    for (const _ of [1, 2])
      expect((await setup.ask(headers, work(bounty_id, "cancel"), {})).body.status).toBe("cancelled");
    expect(await setup.account("fickle")).toMatchObject({ available: 950_000, held: 0, spent: 50_000 });
    expect((await setup.account(one.tenant)).available - before!.available).toBe(25_000);
  });

  test("expires without a submission, and a silent creator's is awarded to a submitter", async () => {
    const idle = await opened("idle", { deadline_days: 1 });
    const silent = await opened("silent", { deadline_days: 1 });
    await submitted(silent.bounty_id, one);
    const before = (await setup.account(one.tenant)).available;
    const standsAfter = async (seconds: number, bounty_id: string) => {
      await setup.folded();
      await setup.later(seconds, () => turn(setup.app, marketplaceReactor));
      return (await setup.ask({}, `/soul/bounties/${bounty_id}`)).body.status;
    };
    expect(await standsAfter(DAY_S + 60, idle.bounty_id)).toBe("expired");
    expect(await setup.account("idle")).toMatchObject({ available: 1_000_000, held: 0 });
    expect(await standsAfter(14 * DAY_S - 60, silent.bounty_id)).toBe("submitted");
    expect(await standsAfter(14 * DAY_S + 60, silent.bounty_id)).toBe("awarded");
    expect((await setup.account(one.tenant)).available - before).toBe(450_000);
  });

  test("is taken down by the operator: its text and submissions go, its events stay", async () => {
    const { bounty_id, headers } = await opened("spammer", {
      title: "Buy gold",
      description: "golden words",
    });
    const claim_id = await submitted(bounty_id, one);
    await setup.folded();
    await setup.hides("bounty", bounty_id, "advertising");
    const seen = await setup.ask({}, `/soul/bounties/${bounty_id}`);
    expect(seen.body).toMatchObject({ title: null, description: null, status: "cancelled" });
    const paper = await setup.ask(headers, `/soul/bounties/${bounty_id}/submissions/${claim_id}`);
    expect(paper.body).toMatchObject({ content: null, content_sha256: digestOf("by maker-one") });
    await setup.folded();
    const found = await setup.ask({}, "/soul/bounties?q=golden&status=cancelled");
    expect(found.body.bounties).toEqual([]);
    while ((await setup.app.objects.deletePast(100)) > 0);
    expect(await setup.app.objects.list(`bounty/${bounty_id}/`)).toEqual([]);
  });

  test("with a replaced submission shows it to nobody: the log has the original digest", async () => {
    const { bounty_id, headers } = await opened("careful");
    const claim_id = await submitted(bounty_id, one, "the real thing");
    const name = `bounty/${bounty_id}/${digestOf("the real thing")}`;
    await setup.app.pool.query("update objects.small set bytes = 'forged' where name = $1", [name]);
    const paper = await setup.ask(headers, `/soul/bounties/${bounty_id}/submissions/${claim_id}`);
    expect(kindOf(paper)).toEqual([503, "content-damaged"]);
  });
});

describe("the list", () => {
  test("accepts any typed text", async () => {
    const { bounty_id } = await opened("searched", { title: "Needle in a haystack", skills: ["sewing"] });
    const request = (q: string, more = "") =>
      setup.ask({}, `/soul/bounties?q=${encodeURIComponent(q)}&${more}`);
    for (const q of ["needle", '"in a haystack"', "NEEDLE -camel", "needle or pin"])
      expect((await request(q, "skill=sewing")).body.bounties).toMatchObject([{ bounty_id }]);
    const hostile = ["'; drop table read.bounties_v1; --", "a & | ! ( ) :* <->", "%", "\\", '"', "🙂", "-"];
    for (const q of hostile) expect((await request(q)).status).toBe(200);
    expect((await request("x".repeat(201))).status).toBe(400);
    expect((await request("needle", "min_reward_usd=0.51")).body.bounties).toEqual([]);
  });

  test("continues where the page before ended", async () => {
    await opened("pages-one");
    await opened("pages-two");
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await setup.ask({}, `/soul/bounties?limit=1${cursor}`);
      seen.push(...body.bounties.map((shown: { bounty_id: string }) => shown.bounty_id));
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
    } while (cursor !== "");
    expect(new Set(seen).size).toBe(seen.length);
    const { body } = await setup.ask({}, "/soul/bounties?limit=100");
    expect(seen).toEqual(body.bounties.map((shown: { bounty_id: string }) => shown.bounty_id));
  });
});

test("without accounts no reward is promised", async () => {
  const { custody } = setup.app.settings;
  custody.open = false;
  const answer = await setup.ask({}, "/soul/bounties", { title: "Closed", reward_usd: 1 });
  custody.open = true;
  expect(kindOf(answer)).toEqual([503, "custody-off"]);
});

test("all amounts balance, on the chain too", async () => {
  await setup.folded();
  expect(await setup.unbalanced()).toEqual([]);
  await expectBooks(setup.app);
});
