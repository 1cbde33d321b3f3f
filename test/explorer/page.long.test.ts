/** The page at /log for a visitor: a real Chromium, a real service, a log that is signed and anchored. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { chromiumPath, contrast, launchChromium, luminance, type Visit, visit } from "./browser.ts";
import { appendHostile, changed, HOSTILE_STREAM, HOSTILE_TYPE, packOf } from "./logs.ts";

const chromium = chromiumPath();
const SOURCES = join(import.meta.dirname, "../../src/explorer");
const TABS = ["events", "streams", "checkpoints", "anchors", "verify"];

type Status = {
  events: number;
  checkpoint: { size: number } | null;
  anchor: { size: number; firmness: string } | null;
};

test("no source of the page parses text as markup or code", () => {
  const sources = readdirSync(SOURCES).filter((name) => name.endsWith(".ts"));
  expect(sources.length).toBeGreaterThan(8);
  for (const name of sources)
    expect(readFileSync(join(SOURCES, name), "utf8"), name).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc/,
    );
});

describe.skipIf(!chromium)(`the page at /log${chromium ? "" : " (skipped: no Chromium here)"}`, () => {
  let service: Service;
  let browser: Browser;
  let visits: Visit[] = [];

  const ask = async <Answer>(path: string): Promise<Answer> =>
    (await (await fetch(service.url + path)).json()) as Answer;
  const open = async (path = "/log", options: BrowserContextOptions = {}): Promise<Page> => {
    const opened = await visit(browser, service.url, path, options);
    visits.push(opened);
    return opened.page;
  };
  const rows = (page: Page) => page.locator(".rows li:visible");

  beforeAll(async () => {
    service = await startService({
      chain: "embedded",
      reactors: true,
      env: { ANCHORING: "1", CHECKPOINT_SECONDS: "1", ANCHOR_SECONDS: "1", OPEN_CALLS_PER_MINUTE: "100000" },
    });
    browser = await launchChromium(chromium!);
    for (let n = 0; n < 60; n++) await service.issue();
    await appendHostile(service.app);
    const { events } = await ask<Status>("/log/status");
    await until(async () => {
      const { anchor } = await ask<Status>("/log/status");
      expect(anchor).toMatchObject({ firmness: "final" });
      expect(anchor!.size).toBeGreaterThanOrEqual(events);
    });
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

  test("the page shows how far the log is proven, in numbers that add up", async () => {
    const page = await open();
    await page.getByText("are anchored on a development chain").waitFor();
    const numbers = await page.locator("#legend b").allTextContents();
    const { events } = await ask<Status>("/log/status");
    expect(numbers.map(Number).reduce((sum, number) => sum + number, 0)).toBe(events);
    expect(await page.locator("#bar .final").isVisible()).toBe(true);
    expect(await page.locator("#identity").textContent()).toContain("tallystick.local/");
  });

  test("it verifies an example for visitors without an id", async () => {
    const page = await open("/log#verify");
    await page.getByRole("button", { name: "Take an example" }).click();
    await page.locator(".verdict.good").waitFor();
    expect(await page.locator("#event-id").inputValue()).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("it searches the log: one match opens, several are listed", async () => {
    const page = await open();
    await page.locator("#log-words").fill("1");
    await page.keyboard.press("Enter");
    await page.locator("#view-event .way").waitFor();
    await page.locator("#log-words").fill("Checkpoint");
    await page.keyboard.press("Enter");
    await page.locator("#log-found a", { hasText: "CheckpointSigned" }).click();
    await expect.poll(() => page.locator("#filter-type").inputValue()).toBe("CheckpointSigned");
    await expect
      .poll(async () => new Set(await page.locator("#view-events .rows .cover").allTextContents()))
      .toEqual(new Set(["CheckpointSigned"]));
  });

  test("it shows own events and their content to a key, and keeps the key in the page", async () => {
    const { secret } = await service.issue({ tenant: "globex" });
    const page = await open();
    await rows(page).first().waitFor();
    await page.locator("#log-key").fill(secret);
    await page.locator("#filter-own").check();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    const streams = page.locator("#view-events .rows .stream");
    await expect
      .poll(async () => (await streams.allTextContents()).every((name) => name.startsWith("key-")))
      .toBe(true);
    expect(page.url()).not.toContain(secret);
    await page.locator("#view-events .rows a").first().click();
    await page.getByRole("region", { name: "Payload" }).waitFor();
    expect(await page.getByRole("region", { name: "Payload" }).textContent()).toContain('"globex"');
  });

  test.each([375, 1280])("nothing moves while it loads at %s pixels", async (width) => {
    const page = await open("/log/icon.svg", { viewport: { width, height: 800 } });
    await page.addInitScript(`globalThis.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });`);
    await page.goto(`${service.url}/log`);
    await rows(page).first().waitFor();
    await page.getByText("are anchored on a development chain").waitFor();
    expect(await page.evaluate("globalThis.shift")).toBeLessThan(0.1);
  });

  test("it lists events, and older ones on demand", async () => {
    const page = await open();
    await expect.poll(() => page.locator(".rows .meaning").first().textContent()).toMatch(/^[A-Z].*\.$/);
    await expect.poll(() => rows(page).count()).toBe(50);
    await page.getByRole("button", { name: "Load more" }).click();
    await expect.poll(() => rows(page).count()).toBeGreaterThan(60);
    const positions = (await page.locator(".rows li:visible .number").allTextContents()).map(Number);
    expect(positions).toEqual(positions.map((_, i) => positions[0]! - i));
    expect(await page.locator("time").first().getAttribute("title")).toMatch(/^[A-Z][a-z]+ \d+, \d{4} at /);
  });

  test("it lists streams, checkpoints and anchors at their own addresses, and goes back", async () => {
    const page = await open();
    for (const [tab, text] of [
      ["Streams", "last KeyIssued"],
      ["Checkpoints", "Signed tree head over"],
      ["Anchors", "no public explorer knows this chain"],
    ] as const) {
      await page.getByRole("link", { name: tab, exact: true }).click();
      await page.getByText(text).first().waitFor();
      expect(new URL(page.url()).hash).toBe(`#${tab.toLowerCase()}`);
      expect(await page.locator("nav:not(.places) a[aria-current]").textContent()).toBe(tab);
    }
    // The chain is the service's own: no explorer could show the transaction.
    expect(await page.locator(".rows a:visible").count()).toBe(0);
    await page.goBack();
    expect(await page.locator("h2:visible").textContent()).toBe("Checkpoints");
  });

  test("it shows an event with its proof, and verifies it", async () => {
    const page = await open();
    await page.locator(".rows a", { hasText: "KeyIssued" }).first().click();
    await page.getByText("lead from it to the root over").waitFor();
    expect(await page.locator("h2:visible").textContent()).toBe("KeyIssued");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.locator(".verdict.good").waitFor();
    expect(await page.locator(".steps .bad").count()).toBe(0);
    const names = await page.locator(".steps strong").allTextContents();
    expect(names).toEqual(expect.arrayContaining(["tree", "signature", "anchor"]));
    expect(await page.locator(".trust").textContent()).toContain(
      "The key: the one that came with the answer",
    );
    expect(await page.locator(".trust").textContent()).toContain("its hash was taken as stated");
  });

  test("it verifies an event by keyboard alone", async () => {
    const { events } = await ask<{ events: { event_id: string; type: string }[] }>(
      "/log/events?before=30&limit=1",
    );
    const page = await open();
    await rows(page).first().waitFor();
    const focused = () =>
      page.evaluate<string>("document.activeElement.textContent + document.activeElement.id");
    const tabTo = async (wanted: string) => {
      for (let presses = 0; presses < 30 && (await focused()) !== wanted; presses++)
        await page.keyboard.press("Tab");
      expect(await focused()).toBe(wanted);
    };
    await tabTo("Verify");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#event-id").isVisible()).toBe(true);
    await tabTo("event-id");
    await page.keyboard.type(events[0]!.event_id);
    await page.keyboard.press("Enter");
    await page.locator(".verdict.good").waitFor();
    expect(await page.getByRole("status").filter({ hasText: "The event holds" }).count()).toBe(1);
  });

  test("the page checks an event against heads and keys that the visitor enters", async () => {
    const { events } = await ask<{ events: { event_id: string }[] }>("/log/events?before=30&limit=1");
    const page = await open("/log#verify");
    await page.getByText("Your own evidence").click();
    await page.getByLabel("Log key").fill("nonsense");
    await page.getByLabel("Event id").fill(events[0]!.event_id);
    await page.locator("#event-form").getByRole("button", { name: "Verify" }).click();
    await page.getByText("The log key is a verifier key").waitFor();
    expect(await page.getByLabel("Log key").getAttribute("aria-invalid")).toBe("true");

    const { key } = await ask<{ key: string }>("/log/status");
    await page.getByLabel("Log key").fill(key);
    await page.locator("#event-form").getByRole("button", { name: "Verify" }).click();
    await page.locator(".verdict.good").waitFor();
    expect(await page.locator(".trust").textContent()).not.toContain("The key");

    await page.getByLabel("Contract", { exact: true }).fill(`0x${"11".repeat(20)}`);
    await page.locator("#event-form").getByRole("button", { name: "Verify" }).click();
    await page.locator(".verdict.bad").waitFor();
    expect(await page.locator(".steps .bad strong").allTextContents()).toEqual(["anchor"]);
  });

  describe("a pack", () => {
    let pack: string;
    beforeAll(async () => {
      pack = await packOf(service.app);
    });
    const drop = (page: Page, name: string, text: string | Buffer) =>
      page.locator("#pack").setInputFiles({ name, mimeType: "", buffer: Buffer.from(text) });
    const failing = (page: Page) => page.locator("#verify-result .steps .bad strong").allTextContents();

    test("that is valid passes, with its assumptions", async () => {
      const page = await open("/log#verify");
      await drop(page, "log.ndjson", pack);
      await page.locator(".verdict.good").waitFor();
      expect(await page.locator(".verdict").textContent()).toMatch(/^The pack log.ndjson holds: \d+ events/);
      expect(await page.locator(".trust").textContent()).toContain(
        "The key: the one that came with the pack",
      );
      expect(await page.locator(".trust").textContent()).toContain("The end:");
      expect(await page.locator(".keep code").getAttribute("title")).toMatch(/^\d+:[0-9a-f]{64}$/);
    });

    test("without a signature does not pass, because anybody could have written it", async () => {
      const page = await open("/log#verify");
      await drop(page, "bare.ndjson", pack.replaceAll(/^\{"evidence".*\n/gm, ""));
      await page.getByText("nothing is signed, nothing is anchored").waitFor();
      expect(await page.locator(".verdict.good").count()).toBe(0);
      expect(await page.locator("#verify-result .steps .idle strong").allTextContents()).toEqual([
        "signature",
        "anchor",
      ]);
      expect(await page.locator(".trust").textContent()).toContain("anybody could have written it");
    });

    test("may be gzipped, and dropped anywhere", async () => {
      const page = await open();
      const base64 = gzipSync(pack).toString("base64");
      const dataTransfer = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        const bytes = Uint8Array.from(atob("${base64}"), (letter) => letter.charCodeAt(0));
        transfer.items.add(new File([bytes], "whatever.bin"));
        return transfer;
      })()`);
      await page.dispatchEvent("footer", "drop", { dataTransfer });
      await page.locator(".verdict.good").waitFor();
      expect(new URL(page.url()).hash).toBe("#verify");
    });

    test("with a changed event fails, with the position and the reason", async () => {
      const page = await open("/log#verify");
      const { position } = pack
        .split("\n")
        .filter((line) => line.startsWith('{"position":'))
        .map((line) => JSON.parse(line) as { position: number; payload: string })
        .findLast(({ payload }) => payload.includes("acme"))!;
      const tampered = changed(pack, position, (event) => ({
        ...event,
        payload: (event.payload as string).replace("acme", "evil"),
      }));
      await drop(page, "log.ndjson", tampered);
      await page.locator(".verdict.bad").waitFor();
      expect(await failing(page)).toEqual(["chain"]);
      expect(await page.locator(".verdict").textContent()).toContain(`first at ${position}`);
      expect(await page.locator(".steps .reason").textContent()).toMatch(
        new RegExp(`First at ${position}: .*payload`),
      );
      expect(await page.locator(".keep").count()).toBe(0);
    });

    test("that was truncated is detected by the visitor's own head", async () => {
      const page = await open("/log#verify");
      const [head] = /(?<="position":)\d+,"log_hash":"[0-9a-f]{64}"(?=\}\}\n$)/.exec(pack)!;
      const [position, hash] = head.replaceAll('"', "").split(",log_hash:");
      await page.getByText("Your own evidence").click();
      await page.getByLabel("Heads or cursors").fill(`${Number(position) + 1}:${hash}`);
      await drop(page, "log.ndjson", pack);
      await page.locator(".verdict.bad").waitFor();
      expect(await failing(page)).toEqual(["completeness"]);
      await page.getByLabel("Heads or cursors").fill(`${position}:${hash!.slice(0, 8)}`);
      await drop(page, "log.ndjson", pack);
      await page.locator(".verdict.good").waitFor();
      expect(await page.locator(".trust").textContent()).not.toContain("The end:");
    });

    test("that is not a pack fails, and a check can be stopped", async () => {
      const page = await open("/log#verify");
      await drop(page, "holiday.jpg", randomBytes(4_096));
      await page.locator(".verdict.bad").waitFor();
      expect(await page.locator(".verdict").textContent()).toContain("is not an export of a log");
      expect(await page.locator("#verify-result .steps").count()).toBe(0);
      await page.route("**/log/worker.js", () => undefined);
      await drop(page, "log.ndjson", pack);
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("Stopped: nothing was established.").waitFor();
      expect(await page.locator("#verify-result progress").isVisible()).toBe(false);
    });
  });

  test("a missing event is reported, also in the console", async () => {
    const opened = await visit(browser, service.url, "/log#verify");
    await opened.page.getByLabel("Event id").fill("019b76da-a800-7000-8000-00000000ffff");
    await opened.page.locator("#event-form").getByRole("button", { name: "Verify" }).click();
    await opened.page.getByText("the log has no such event id").waitFor();
    await opened.page.context().close();
    expect(opened.complaints).toEqual([expect.stringContaining("404")]);
  });

  test("hostile names are shown as text", async () => {
    const page = await open();
    await page.getByRole("link", { name: HOSTILE_TYPE }).first().click();
    await expect.poll(() => page.locator("h2:visible").textContent()).toBe(HOSTILE_TYPE);
    await page.goto(`${service.url}/log#streams`);
    await rows(page).filter({ hasText: HOSTILE_STREAM }).waitFor();
    expect(await page.locator("main img, main script").count()).toBe(0);
    await expect.poll(() => page.title()).not.toContain("owned");
  });

  test("every tab fits 375 pixels", async () => {
    const page = await open("/log", { viewport: { width: 375, height: 800 } });
    await rows(page).first().waitFor();
    const event = await page.locator(".rows a").first().getAttribute("href");
    for (const tab of [...TABS.map((name) => `#${name}`), event!]) {
      await page.goto(`${service.url}/log${tab}`);
      if (tab !== "#verify") await page.locator(".rows li:visible, .way li:visible").first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth"), tab).toBeLessThanOrEqual(375);
    }
  });

  test.each(["light", "dark"] as const)(
    "the page is %s like the visitor's system, and readable",
    async (colorScheme) => {
      const page = await open("/log", { colorScheme });
      await rows(page).first().waitFor();
      const colours = await page.evaluate<Record<string, string>>(`({
      paper: getComputedStyle(document.documentElement).backgroundColor,
      ...Object.fromEntries([".claim", ".lead", ".rows .cover", ".rows .when", "footer a", "nav a"].map((one) =>
        [one, getComputedStyle(document.querySelector(one)).color])),
    })`);
      const { paper, ...inks } = Object.fromEntries(
        Object.entries(colours).map(([name, text]) => [name, luminance(text)]),
      );
      if (colorScheme === "dark") expect(paper).toBeLessThan(0.02);
      else expect(paper).toBeGreaterThan(0.8);
      for (const [name, ink] of Object.entries(inks))
        expect(contrast(ink, paper!), name).toBeGreaterThanOrEqual(4.5);
    },
  );

  test("it follows the log while visible, pauses while hidden, and survives an unavailable service", async () => {
    const { page } = await visit(browser, service.url, "/log#events");
    visits.push({ page, complaints: [] });
    await rows(page).first().waitFor();
    await page.clock.install();
    await page.reload();
    await rows(page).first().waitFor();
    const { key_id } = await service.issue();
    expect(key_id).toBeTruthy();
    const { events } = await ask<{ events: { event_id: string }[] }>("/log/events?limit=1");
    const newest = page.locator(`.rows a[href="#events/${events[0]!.event_id}"]`);
    const after5s = async <Value>(value: () => Promise<Value>) => {
      await page.clock.runFor(5_000);
      return value();
    };
    await expect.poll(() => after5s(() => newest.count())).toBe(1);

    let requests = 0;
    const away = /\/log\/(status|anchors)/;
    await page.route(away, (route) => {
      requests++;
      return route.abort();
    });
    await page.evaluate(`Object.defineProperty(document, "hidden", { value: true, configurable: true })`);
    await page.clock.runFor(60_000);
    const before = requests;
    await page.clock.runFor(60_000);
    expect(requests).toBe(before);

    await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event("visibilitychange"))`);
    await page.locator("#trouble", { hasText: "The service cannot be reached." }).waitFor();
    expect(await rows(page).count()).toBeGreaterThanOrEqual(50);
    await page.getByRole("link", { name: "Anchors", exact: true }).click();
    await page.locator("#view-anchors .message", { hasText: "cannot be reached" }).waitFor();
    await page.unroute(away);
    await expect.poll(() => after5s(() => rows(page).count())).toBeGreaterThan(0);
    await expect.poll(() => page.locator("#trouble").isVisible()).toBe(false);
  });

  test("verifier.js is served unchanged, and all files are small and cached", async () => {
    const verifier = await fetch(`${service.url}/log/verifier.js`);
    expect(await verifier.text()).toBe(readFileSync(join(SOURCES, "verifier.js"), "utf8"));
    const paths = [
      "/log",
      "/log/page.css",
      "/log/page.js",
      "/log/worker.js",
      "/log/verifier.js",
      "/log/icon.svg",
    ];
    const sizes: number[] = [];
    for (const path of paths) {
      const response = await fetch(service.url + path);
      sizes.push(gzipSync(await response.arrayBuffer()).byteLength);
      const headers = { "If-None-Match": response.headers.get("etag")!, "Cache-Control": "max-age=0" };
      expect((await fetch(service.url + path, { headers })).status, path).toBe(304);
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(31_000);
    const page = await fetch(`${service.url}/log`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self';.*connect-src 'self'/,
    );
  });
});
