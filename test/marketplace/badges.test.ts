/** Badges, each with the event that earned it; and the catalogue of what is answered for a price. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { digestOf } from "../../src/core/model/objects.ts";
import * as items from "../../src/domain/marketplace/item.ts";
import { meritsProjection } from "../../src/projections/marketplace/merits.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { type MarketSetup, openMarketSetup } from "./market-setup.ts";

let setup: MarketSetup;
beforeAll(async () => {
  setup = await openMarketSetup();
});
afterAll(() => setup.service.stop());

const at = () => setup.app.clock.now().toISOString();

/** Decides on an item past HTTP: here it counts what was recorded, and not how it was bought. */
const decided = async (item_id: string, decision: (state: items.ItemState) => items.ItemEvent[]) => {
  const command = { meta: { actor: "test" } };
  const { events } = await setup.app.decide(items, items.targetOf(item_id), decision, command);
  return events[0]!.event_id;
};

async function published(sx: number, n: number): Promise<string> {
  const item_id = n.toString(16).padStart(32, "0");
  const facts = { item_id, sx, kind: "note" as const, url: null, price_micro: 10_000, published_at: at() };
  const digests = { text_sha256: digestOf("text"), content_sha256: digestOf("content") };
  await decided(item_id, items.publish({ ...facts, ...digests }));
  return item_id;
}
const sold = (item_id: string, to: string) =>
  decided(item_id, items.sell({ to, price_micro: 10_000, payment_id: to, own: [] }, at()));
const judged = (item_id: string, by: string, verdict: "works" | "broken") =>
  decided(item_id, items.validate({ by, verdict, note_sha256: null, validated_at: at() }));

async function badgesOf(sx: number): Promise<{ kind: string; event_id: string }[]> {
  const { position } = await setup.app.store.head();
  await until(() => setup.app.runner.reached(meritsProjection, position, LIMIT_MS));
  return (await setup.ask({}, `/soul/badges/${sx}`)).body.badges;
}

test("Creator is earned by the third buyer, or by a bounty won", async () => {
  const author = await setup.agent("author");
  const item_id = await published(author.sx, 1);
  await sold(item_id, "one");
  await sold(await published(author.sx, 2), "one");
  await sold(item_id, "two");
  expect((await badgesOf(author.sx)).map(({ kind }) => kind)).toEqual(["Genesis"]);
  const third = await sold(item_id, "three");
  await sold(item_id, "four");
  expect(await badgesOf(author.sx)).toMatchObject([
    { kind: "Genesis" },
    { kind: "Creator", event_id: third },
  ]);

  const winner = await setup.agent("winner");
  const headers = await setup.rich("acme", 1_000_000);
  const { body } = await setup.ask(headers, "/soul/bounties", { title: "A task", reward_usd: 1 });
  const path = `/soul/bounties/${body.bounty_id}`;
  const { claim_id } = (await setup.ask(winner.headers, `${path}/claim`, {})).body;
  await setup.ask(winner.headers, `${path}/submit`, { content: "Done." });
  expect((await badgesOf(winner.sx)).length).toBe(1);
  await setup.ask(headers, `${path}/award`, { claim_id });
  const stream = await setup.app.store.readStream({
    tenant: "operator",
    stream_id: `bounty-${body.bounty_id}`,
  });
  expect((await badgesOf(winner.sx))[1]).toMatchObject({
    kind: "Creator",
    event_id: stream.find(({ type }) => type === "BountyAwarded")!.event_id,
  });
});

test("Validator is earned by 25 verdicts that a later buyer agreed with, each item once", async () => {
  const author = await setup.agent("prolific");
  const judge = await setup.agent("judge");
  const tenant = judge.tenant;
  let last = "";
  for (let n = 0; n < 25; n++) {
    const item_id = await published(author.sx, 100 + n);
    for (const buyer of [tenant, "agrees", "differs", "again"]) await sold(item_id, buyer);
    await judged(item_id, tenant, "works");
    await judged(item_id, "differs", "broken");
    if (n === 24) expect((await badgesOf(judge.sx)).map(({ kind }) => kind)).toEqual(["Genesis"]);
    last = await judged(item_id, "agrees", "works");
    await judged(item_id, "again", "works");
  }
  expect(await badgesOf(judge.sx)).toMatchObject([{}, { kind: "Validator", event_id: last }]);
  expect((await setup.ask({}, "/soul/badges/nobody-here")).status).toBe(404);
});

test("the insights are the priced operations on data, with the input of each and an example call", async () => {
  const { body } = await setup.ask({}, "/soul/insights/catalog");
  const entry = body.entries.find(
    ({ insight_id }: { insight_id: string }) => insight_id === "trade_seasonality",
  );
  expect(entry).toMatchObject({ operation: "GET /v1/agent/trade/seasonality", unit_price_usd: "0.10" });
  expect(entry.example).toMatch(/^GET \/v1\/agent\/trade\/seasonality\?/);
  expect(entry.inputs.map(({ name }: { name: string }) => name)).toContain("reporter");
  const areas = body.entries.map(({ operation }: { operation: string }) => operation.split("/")[3]);
  expect([...new Set(areas)].sort()).toEqual(
    expect.arrayContaining(["customs", "fusion", "salary", "trade"]),
  );
  expect(areas).not.toContain("payments");
});
