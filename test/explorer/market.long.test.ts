/** The page at /soul/market for a visitor: a real Chromium, a real service, strangers' texts. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type MarketSetup, openMarketSetup, type TestAgent } from "../marketplace/market-setup.ts";
import { chromiumPath, launchChromium, type Visit, visit } from "./browser.ts";

const chromium = chromiumPath();
const HOSTILE = `<img src=x onerror="document.title='owned'">`;

describe.skipIf(!chromium)(`the market's page${chromium ? "" : " (skipped: no Chromium here)"}`, () => {
  let setup: MarketSetup;
  let browser: Browser;
  let maker: TestAgent;
  let awarded: string;
  let visits: Visit[] = [];

  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const opened = await visit(browser, setup.service.url, "/soul/market", options);
    visits.push(opened);
    for (const list of ["nodes", "bounty-rows", "item-rows", "settlement-rows"])
      await opened.page.locator(`#${list} li`).first().waitFor();
    return opened.page;
  };

  beforeAll(async () => {
    setup = await openMarketSetup({ env: { OPEN_CALLS_PER_MINUTE: "100000" } });
    maker = await setup.agent("maker");
    const headers = await setup.rich("acme", 10_000_000);
    const wide = { title: `${HOSTILE} ${"wide".repeat(15)}`, reward_usd: 3 };
    expect((await setup.ask(headers, "/soul/bounties", wide)).status).toBe(201);
    const { bounty_id } = (await setup.ask(headers, "/soul/bounties", { title: "Done", reward_usd: 1 })).body;
    const path = `/soul/bounties/${bounty_id}`;
    const { claim_id } = (await setup.ask(maker.headers, `${path}/claim`, {})).body;
    await setup.ask(maker.headers, `${path}/submit`, { content: "Done." });
    await setup.ask(headers, `${path}/award`, { claim_id });
    const note = { kind: "note", title: HOSTILE, price_usd: 0.05, content: "x" };
    await setup.ask(maker.headers, "/soul/stack", note);
    const stream = await setup.app.store.readStream({
      tenant: "operator",
      stream_id: `bounty-${bounty_id}`,
    });
    awarded = stream.find(({ type }) => type === "BountyAwarded")!.event_id;
    browser = await launchChromium(chromium!);
  });
  afterAll(async () => {
    await browser?.close();
    await setup?.service.stop();
  });
  afterEach(async () => {
    const complaints = visits.flatMap((one) => one.complaints);
    for (const { page } of visits) await page.context().close();
    visits = [];
    expect(complaints).toEqual([]);
  });

  test("the page shows bounties, items, and the money's flow, each settlement linked to its event", async () => {
    const page = await open();
    expect(await page.locator("#claim").textContent()).toContain("0 nodes are online");
    expect(await page.locator("#bounty-rows li").textContent()).toContain("3.00 USDC");
    expect(await page.locator("#item-rows li").textContent()).toContain("0.05 USDC");
    const [settled] = await page.locator("#settlement-rows li").allTextContents();
    expect(settled).toContain("A bounty was awarded");
    expect(settled).toContain("0.90 USDC");
    const href = await page.locator("#settlement-rows a.event").getAttribute("href");
    expect(href).toBe(`/log#events/${awarded}`);
    await page.goto(setup.service.url + href);
    await expect.poll(() => page.locator("h2:visible").textContent()).toBe("BountyAwarded");
  });

  test("strangers' texts are shown as text", async () => {
    const page = await open();
    expect(await page.locator("#item-rows li").textContent()).toContain(HOSTILE);
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.title()).toBe("Market");
  });

  test("a row's subject has most of its width", async () => {
    const page = await open({ viewport: { width: 1280, height: 900 } });
    for (const list of ["nodes", "bounty-rows", "item-rows", "settlement-rows"]) {
      const row = page.locator(`#${list} li`).first();
      const [whole, main] = [await row.boundingBox(), await row.locator(".main").boundingBox()];
      expect(main!.width / whole!.width, list).toBeGreaterThan(0.5);
    }
  });

  test("the page fits a telephone", async () => {
    const page = await open({ viewport: { width: 375, height: 667 } });
    const overflow = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect(Number(overflow)).toBeLessThanOrEqual(0);
  });
});
