/** The pages at /soul for a visitor: a real Chromium, a real service, agents whose scores change meanwhile. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { type Agency, agencyOf } from "../trust/agency.ts";
import { chromiumPath, contrast, launchChromium, luminance, type Visit, visit } from "./browser.ts";

const chromium = chromiumPath();
const HOSTILE = `<img src=x onerror="document.title='owned'">`;

describe.skipIf(!chromium)(`the pages of agents${chromium ? "" : " (skipped: no Chromium here)"}`, () => {
  let service: Service;
  let agency: Agency;
  let browser: Browser;
  let visits: Visit[] = [];
  let now = Date.now();

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const opened = await visit(browser, service.url, path, options);
    visits.push(opened);
    return opened.page;
  };
  const shown = (page: Page) => page.locator("#main:visible").waitFor();

  beforeAll(async () => {
    service = await startService({
      chain: "embedded",
      vault: true,
      env: { OPEN_CALLS_PER_MINUTE: "100000" },
    });
    agency = agencyOf(service.app);
    for (let n = 1; n <= 60; n++) await agency.register(n);
    for (const n of [1, 2]) {
      await agency.prove(n, addressOf(wallet(n)));
      await agency.bind(n, addressOf(wallet(n)));
    }
    await agency.seed(1, 64);
    await agency.pay(addressOf(wallet(2)), 3);
    await agency.attest(1, 2, 10, "honesty");
    await agency.attest(2, 1, 4, "speed");
    await agency.delegate(1, 3, addressOf(wallet(1)));
    await agency.suspend(4);
    await agency.linkDomain(1, "agent.example.org", addressOf(wallet(1)));
    await agency.compute(now);
    await fetch(`${service.url}/soul/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ agent_id: "hostile-one", display_name: HOSTILE }),
    });
    browser = await launchChromium(chromium!);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(async () => {
    const complaints = visits.flatMap((one) => one.complaints);
    for (const { page } of visits) await page.context().close();
    visits = [];
    expect(complaints).toEqual([]);
  });

  test("an agent's score is split into lines that add up, each linked to its event", async () => {
    const page = await open("/soul/2");
    await shown(page);
    expect(await page.locator("#claim").textContent()).toBe("agent.no-2");
    const points = (await page.locator("#lines .points").allTextContents()).map(Number);
    const total = points.pop()!;
    expect(points.length).toBeGreaterThan(1);
    expect(points.reduce((sum, one) => sum + one, 0)).toBeCloseTo(total, 5);
    const links = page.locator("#lines .sources a");
    expect(await links.count()).toBe(points.length);
    const href = (await links.last().getAttribute("href"))!;
    const attested = await page.locator("#lines li", { hasText: "Attested by SX#1" }).textContent();
    expect(attested).toContain("weight 10");
    await page.goto(service.url + href);
    await expect.poll(() => page.locator("h2:visible").textContent()).toBe("AttestationMade");
  });

  test("the operator's grant is linked to its event, too", async () => {
    const page = await open("/soul/agent.no-1");
    await shown(page);
    const seed = page.locator("#lines li", { hasText: "Given by the operator" });
    expect(await seed.locator(".points").textContent()).toBe("+64.000000");
    await seed.locator("a").click();
    await expect.poll(() => page.locator("h2:visible").textContent()).toBe("TrustSeeded");
  });

  test("the page shows passport, keys, delegations, pictures and proofs of one subject", async () => {
    const page = await open("/soul/SX%231");
    await shown(page);
    expect(await page.title()).toBe("agent.no-1 · SX#1");
    expect(await page.locator("#passport-facts").textContent()).toContain("SX#1");
    expect(await page.locator("#key-rows li").textContent()).toContain("did:pkh:eip155:8453:0x");
    expect(await page.locator("#delegations").textContent()).toContain("SX#3 may read");
    const domain = page.locator("#links a").first();
    expect(await domain.textContent()).toBe("agent.example.org");
    expect(await domain.getAttribute("href")).toBe("https://agent.example.org/");
    expect(await domain.getAttribute("rel")).toBe("nofollow noopener");
    for (const chart of ["#trust-chart", "#dna-chart"])
      await expect
        .poll(() => page.evaluate<number>(`document.querySelector("${chart}").naturalWidth`))
        .toBe(900);
    const credential = await page.getByText("as a Verifiable Credential").getAttribute("href");
    expect((await fetch(service.url + credential)).headers.get("content-type")).toContain("vc+jwt");
    expect(await page.locator("#invented").isVisible()).toBe(false);
  });

  test("each claim of a passport is linked to its event", async () => {
    const claims: [sx: number, selector: string, type: string][] = [
      [1, "#passport-facts a >> nth=0", "AgentRegistered"],
      [1, "#passport-facts a >> nth=1", "AgentKeyProven"],
      [1, "#key-rows .side a", "AgentKeyProven"],
      [1, "#links a >> nth=1", "AgentLinked"],
      [1, "#delegations a >> nth=1", "AgentDelegated"],
      [4, "#passport-facts a >> nth=1", "AgentSuspended"],
    ];
    for (const sx of [1, 4]) {
      const answer = await fetch(`${service.url}/soul/passport/${sx}?explain=true`);
      const { events } = (await answer.json()) as { events: { event_id: string; type: string }[] };
      const page = await open(`/soul/${sx}`);
      await shown(page);
      for (const [of, selector, type] of claims) {
        if (of !== sx) continue;
        const { event_id } = events.find((one) => one.type === type)!;
        expect(await page.locator(selector).getAttribute("href")).toBe(`/log#events/${event_id}`);
      }
    }
  });

  test("an agent without keys, evidence or events is described in words", async () => {
    const page = await open("/soul/3");
    await shown(page);
    expect(await page.locator("#keys-lead").textContent()).toContain("no key yet");
    expect(await page.locator("#nature").textContent()).toContain("newcomer");
    expect(await page.locator("#lines .points").allTextContents()).toEqual(["0.000000"]);
    await page.goto(`${service.url}/soul/4`);
    await page.getByText("suspended").first().waitFor();
    expect(await page.locator("#keys-lead").textContent()).toContain("It is suspended");
  });

  test("a revoked agent is shown as revoked, and without a level", async () => {
    await agency.seed(6, 40);
    await agency.prove(6);
    await agency.revoke(6);
    await agency.compute((now += 61_000));
    const page = await open("/soul/6");
    await shown(page);
    expect(await page.locator("#score strong").textContent()).toBe("40.00");
    expect(await page.locator("#score .badge").allTextContents()).toEqual(["trust: none", "revoked"]);
    expect(await page.locator("#keys-lead").textContent()).toContain("Its passport is revoked");
  });

  test("a changed score is shown when the visitor returns", async () => {
    const page = await open("/soul/5");
    await shown(page);
    expect(await page.locator("#score strong").textContent()).toBe("0.00");
    await agency.seed(5, 33);
    await agency.compute((now += 61_000));
    await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
    await expect.poll(() => page.locator("#score strong").textContent()).toBe("33.00");
    expect(await page.locator("#score .badge").first().textContent()).toBe("trust: medium");
  });

  test("hostile names are shown as text", async () => {
    const page = await open("/soul/hostile-one");
    await shown(page);
    expect(await page.locator("#claim").textContent()).toBe(HOSTILE);
    expect(await page.locator("#claim img").count()).toBe(0);
    await page.goto(`${service.url}/soul?sort=newest`);
    await page.getByRole("link", { name: HOSTILE }).waitFor();
    expect(await page.title()).toBe("Agents");
  });

  test("an unknown agent is reported, and the console has the reason", async () => {
    const opened = await visit(browser, service.url, "/soul/nobody-here");
    await opened.page.getByText("nobody-here is not known here.").waitFor();
    await opened.page.context().close();
    expect(new Set(opened.complaints.map((text) => /\b404\b/.test(text)))).toEqual(new Set([true]));
  });

  test("the page tells a program that it is for browsers", async () => {
    const request = (Accept: string) => fetch(`${service.url}/soul/1`, { headers: { Accept } });
    expect((await request("*/*")).status).toBe(404);
    expect((await request("application/json")).headers.get("content-type")).toContain("problem+json");
    const page = await request("text/html,*/*;q=0.8");
    expect([page.status, page.headers.get("content-type"), page.headers.get("vary")]).toEqual([
      200,
      expect.stringContaining("text/html"),
      expect.stringContaining("Accept"),
    ]);
    expect((await fetch(`${service.url}/soul`)).status).toBe(200);
  });

  describe("the directory", () => {
    test("lists by trust, older pages on demand, and links to an agent", async () => {
      const page = await open("/soul");
      const rows = page.locator("#agents li");
      await expect.poll(() => rows.count()).toBe(50);
      expect(await rows.first().textContent()).toContain("agent.no-1");
      await page.getByRole("button", { name: "Load more" }).click();
      // One of the 61 is revoked, and the directory omits it.
      await expect.poll(() => rows.count()).toBe(60);
      const numbers = (await page.locator("#agents .number").allTextContents()).map(Number);
      expect(numbers).toEqual(numbers.map((_, at) => at + 1));
      await rows.first().getByRole("link").click();
      await shown(page);
      expect(new URL(page.url()).pathname).toBe("/soul/1");
    });

    test("lists newest first, and finds an agent by keyboard alone", async () => {
      const page = await open("/soul");
      await page.getByRole("link", { name: "Newest first" }).click();
      await expect.poll(() => page.locator("#agents .number").first().textContent()).toBe("SX#61");
      expect(await page.locator("nav:not(.places) a[aria-current]").textContent()).toBe("Newest first");
      await page.locator("#who").focus();
      await page.keyboard.type("SX#2");
      await page.keyboard.press("Enter");
      await page.getByText("SX#2 · agent.no-2").waitFor();
    });
  });

  test.each(["/soul", "/soul/1", "/soul/hostile-one"])("%s fits 375 pixels", async (path) => {
    const page = await open(path, { viewport: { width: 375, height: 800 } });
    await page.locator("#agents li, #main:visible").first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(375);
  });

  test.each(["light", "dark"] as const)(
    "is %s like the visitor's system, and readable",
    async (colorScheme) => {
      const page = await open("/soul/2", { colorScheme });
      await shown(page);
      const colours = await page.evaluate<Record<string, string>>(`({
      paper: getComputedStyle(document.documentElement).backgroundColor,
      ...Object.fromEntries(["#claim", ".lead", "#lines .what .soft", "#lines a", ".badge", "footer a"].map((one) =>
        [one, getComputedStyle(document.querySelector(one)).color])),
    })`);
      const { paper, ...inks } = Object.fromEntries(
        Object.entries(colours).map(([name, text]) => [name, luminance(text)]),
      );
      expect(paper! < 0.05).toBe(colorScheme === "dark");
      for (const [name, ink] of Object.entries(inks))
        expect(contrast(ink, paper!), name).toBeGreaterThanOrEqual(4.5);
    },
  );
});
