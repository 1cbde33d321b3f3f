/**
 * The pages at / and /docs for a visitor: a real Chromium, a real service with data, a chain that accepts a demo
 * wallet's money.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import {
  bytesOf,
  chromiumPath,
  contrast,
  launchChromium,
  luminance,
  shiftOf,
  type Visit,
  violationsIn,
  visit,
} from "./browser.ts";

const chromium = chromiumPath();
/** Good by web.dev's measure of layout shift. */
const MOST_SHIFT = 0.1;
/** The bytes of a page with its styles, scripts and first answers, as sent. */
const MOST_BYTES = 80_000;
const PARTNERS = "/docs/operations/trade_top_partners";

describe.skipIf(!chromium)(
  `the pages at / and /docs${chromium ? "" : " (skipped: no Chromium here)"}`,
  () => {
    let service: Service;
    let browser: Browser;
    let visits: Visit[] = [];
    let key: string;

    const open = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
      const opened = await visit(browser, service.url, path, options);
      visits.push(opened);
      return opened.page;
    };
    const run = async (page: Page, way: string) => {
      await page.locator(`input[value=${way}]`).check();
      await page.locator("#try button").click();
      return page.locator("#answer .verdict").textContent();
    };

    beforeAll(async () => {
      const options = {
        chain: "embedded",
        reactors: true,
        env: { OPEN_CALLS_PER_MINUTE: "100000" },
      } as const;
      service = await startService(options);
      key = (await service.issue({ space: "test" })).secret;
      await openSandbox(service);
      // The first page queries the state, and a browser logs a 503.
      await until(async () => (await fetch(`${service.url}/ready`)).ok);
      browser = await launchChromium(chromium!);
    });
    afterAll(async () => {
      await browser?.close();
      await service?.stop();
    });
    afterEach(async () => {
      // A browser itself logs a refusal, and a call that a test lets fail.
      const complaints = visits
        .flatMap((one) => one.complaints)
        .filter((complaint) => !/responded with a status of 40[0-9]|net::ERR_FAILED/.test(complaint));
      for (const { page } of visits) await page.context().close();
      visits = [];
      expect(complaints).toEqual([]);
    });

    test("the first page shows the state of log, data and chain, and draws an answer", async () => {
      const page = await open("/");
      await expect.poll(() => page.locator("#state .light").count()).toBe(3);
      expect(await page.locator("#state").textContent()).toMatch(
        /log of \d+ events.*datasets?.*development chain at block/,
      );
      await expect
        .poll(() => page.locator("#chart").evaluate((image: { naturalWidth: number }) => image.naturalWidth))
        .toBeGreaterThan(300);
      await page.locator("#prices-trade summary").click();
      await page.getByRole("link", { name: "A reporter's largest trading partners in a year" }).click();
      await page.waitForURL(`**${PARTNERS}`);
    });

    test("the chart's description matches its content, also in the answer for programs", async () => {
      const page = await open("/");
      const about = "A line chart: monthly imports of Germany, France and Poland, 2020 to 2024";
      await page.getByRole("img", { name: about }).waitFor();
      const answer = await fetch(service.url, { headers: { Accept: "application/json" } });
      expect(((await answer.json()) as { chart: object }).chart).toEqual({
        url: `${service.url}/chart.svg`,
        about,
      });
    });

    test("a failed call and an invalid key are reported differently", async () => {
      const page = await open(PARTNERS);
      await page.context().route("**/v1/**", (route) => route.abort());
      const trouble = page.locator("#answer .trouble");
      await page.locator("#try button").click();
      await expect.poll(() => trouble.textContent()).toBe("The service cannot be reached.");
      await page.locator("input[value=key]").check();
      await page.locator("#key").fill("sk_live_…");
      await page.locator("#try button").click();
      await expect.poll(() => trouble.textContent()).toMatch(/^That is not an API key/);
    });

    test("an anonymous call gets an explained 402", async () => {
      const page = await open(PARTNERS);
      expect(await run(page, "none")).toMatch(/^402 Payment Required/);
      expect(await page.locator(".explained").textContent()).toContain("This call costs 0.05 USDC");
    });

    test("a demo wallet pays for the example, and the answer is JSON, a table and a picture", async () => {
      const page = await open(PARTNERS, { colorScheme: "dark" });
      expect(await run(page, "wallet")).toMatch(/^200 answered/);
      expect(await page.locator("#answer .facts").textContent()).toMatch(/Paid0\.05 USDC.*Settlement0x/);
      expect(await page.locator("#answer pre").textContent()).toContain('"value_eur"');
      await page.getByRole("button", { name: "Table" }).click();
      expect(await page.locator("#answer tbody tr").count()).toBe(6);
      await page.getByRole("button", { name: "Chart, paid again" }).click();
      await page.locator("#answer canvas").waitFor();
      expect(Number(await page.locator("#answer canvas").getAttribute("width"))).toBeGreaterThan(300);
    });

    test("a key runs a command with a body, whose event is linked", async () => {
      const page = await open("/docs/operations/rng_roll");
      await page.locator("input[value=key]").check();
      await page.locator("#key").fill(key);
      expect(await run(page, "key")).toMatch(/^200 answered/);
      expect(await page.locator('#answer a[href^="/log#events/"]').count()).toBe(1);
      await page.locator("#field-params").fill('{"sides":');
      expect(await page.locator("#request").textContent()).toBe("params is not JSON yet.");
      await page.locator("#field-params").fill('{"sides": 1}');
      expect(await run(page, "key")).toMatch(/^400 refused/);
      expect(await page.locator("#answer pre").textContent()).toContain("params.sides");
      expect(await page.locator("#field-params").getAttribute("aria-invalid")).toBe("true");
      expect(await page.locator("#error-params").textContent()).toContain("params.sides");
    });

    test.each([
      [375, 700],
      [1280, 800],
    ])(
      "the answer of a run is in a window of %d × %d, and a refused key is marked",
      async (width, height) => {
        const page = await open(PARTNERS, { viewport: { width, height } });
        await run(page, "wallet");
        const top = () =>
          page.evaluate("document.querySelector('#answer .verdict').getBoundingClientRect().top");
        await expect.poll(top).toBeLessThan(height * 0.6);
        await page.locator("input[value=key]").check();
        await page.locator("#key").fill("sk_bad");
        await page.locator("#try button").click();
        await expect
          .poll(() => page.locator("#error-key").textContent())
          .toMatch(/^this is not a whole key: /);
        expect(await page.locator("#key").getAttribute("aria-invalid")).toBe("true");
        expect(await violationsIn(page)).toEqual([]);
        await page.locator("#key").fill(key);
        await page.locator("#try button").click();
        await expect.poll(() => page.locator("#error-key").count()).toBe(0);
      },
    );

    test("a key gets a chart whose figures show on hover, and the answer as a file", async () => {
      const page = await open(PARTNERS.replace("top_partners", "timeline"));
      await page.locator("input[value=key]").check();
      await page.locator("#key").fill(key);
      expect(await run(page, "key")).toMatch(/^200 answered/);
      await page.getByRole("button", { name: "Chart", exact: true }).click();
      const canvas = page.locator("#answer canvas");
      await canvas.waitFor();
      await page.locator(".hover-box").waitFor({ state: "attached" });
      const more: string[] = [];
      page.on("request", (request) => more.push(request.url()));
      await canvas.hover({ position: { x: 300, y: 100 } });
      await expect.poll(() => page.locator(".hover-box").textContent()).toMatch(/^\d{4}-\d\d.*EUR/);
      expect(more).toEqual([]);
      const saved = page.waitForEvent("download");
      await page.locator('#downloads [data-form="text/csv"]').click();
      expect((await saved).suggestedFilename()).toBe("trade-timeline.csv");
    });

    test("the call as code follows the form, and runs unchanged", async () => {
      const page = await open(PARTNERS);
      await page.locator("input[value=key]").check();
      await page.locator("#key").fill(key);
      await page.locator("#field-limit").fill("2");
      const code = async (language: string) => {
        await page.locator(`[data-language=${language}]`).click();
        return (await page.locator(`[data-code=${language}] pre`).textContent())!;
      };
      const env = { ...process.env, TALLYSTICK_KEY: key };
      const ran = async (command: string, ...options: string[]) =>
        (await promisify(execFile)(command, options, { env })).stdout;
      expect(await code("curl")).not.toContain(key);
      expect(JSON.parse(await ran("bash", "-c", await code("curl")))).toMatchObject({ success: true });
      expect(await ran("node", "--input-type=module", "-e", await code("TypeScript"))).toContain("value_eur");
    });

    test("the page works by keyboard alone", async () => {
      const page = await open(PARTNERS);
      await page.locator("#field-limit").focus();
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.type("2");
      await page.keyboard.press("Enter");
      await page.locator("#answer .verdict").waitFor();
      expect(await page.locator("#request").textContent()).toContain("limit=2");
      const next = await open("/docs");
      await next.keyboard.press("Tab");
      expect(await next.evaluate("document.activeElement.className")).toBe("skip");
      await next.locator("#words").focus();
      await next.keyboard.type("asking again");
      await next.locator("#found a").first().waitFor();
      await next.keyboard.press("Enter");
      await next.keyboard.press("Enter");
      await next.waitForURL("**/docs/payments#asking-again");
    });

    test.each(["/docs/event-log", "/docs/settings", "/docs/operations/quotes_create"])(
      "%s fits 375 pixels",
      async (path) => {
        const page = await open(path, { viewport: { width: 375, height: 700 } });
        await page.locator("h1").waitFor();
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(375);
      },
    );

    test.each([
      ...["/", "/docs", "/docs/compliance", "/docs/payments", "/docs/command-line", PARTNERS],
      ...["/log", "/rng", "/soul", "/soul/market", "/operator", "/problems", "/nothing-here"],
    ])(
      "%s: axe finds nothing, nothing shifts, and it is light, on a telephone and a screen",
      async (path) => {
        for (const [width, colorScheme] of [
          [375, "dark"],
          [1280, "light"],
        ] as const) {
          const page = await open(path, { viewport: { width, height: 812 }, colorScheme });
          await page.waitForLoadState("networkidle");
          expect(await shiftOf(page), `${width} pixels`).toBeLessThan(MOST_SHIFT);
          expect(await bytesOf(page), `${width} pixels`).toBeLessThan(MOST_BYTES);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
          expect(await violationsIn(page), `${width} pixels, ${colorScheme}`).toEqual([]);
        }
      },
    );

    test("nothing shifts on a machine that paints a page before it has all of it", async () => {
      const page = await open("/", { viewport: { width: 1280, height: 812 } });
      const session = await page.context().newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: 10 });
      await page.goto(service.url + PARTNERS);
      await page.waitForLoadState("networkidle");
      expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT);
    });

    test.each(["light", "dark"] as const)("has enough contrast when it is %s", async (colorScheme) => {
      const page = await open(PARTNERS, { colorScheme });
      const colourOf = (selector: string, property: string) =>
        page
          .locator(selector)
          .first()
          .evaluate(
            // It runs in the page.
            (element, name) =>
              (
                globalThis as never as { getComputedStyle(of: unknown): Record<string, string> }
              ).getComputedStyle(element)[name]!,
            property,
          );
      await run(page, "none");
      for (const [selector, on] of [
        ["h1", "html"],
        [".price", "html"],
        [".fields .soft", ".card"],
        ["#answer .token-text", "#answer pre"],
        ["#answer .token-name", "#answer pre"],
      ] as const) {
        const [ink, paper] = [await colourOf(selector, "color"), await colourOf(on, "backgroundColor")];
        expect(contrast(luminance(ink), luminance(paper)), selector).toBeGreaterThan(4.5);
      }
    });
  },
);
