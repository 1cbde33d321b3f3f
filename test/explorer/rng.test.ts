/** The page at /rng as a visitor meets it: a real Chromium, a real service, a seed that is revealed while it looks. */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { chromiumPath, launchChromium, type Visit, visit } from "./browser.ts";

const chromium = chromiumPath();
const vectors = new URL("../../docs/vectors/rng.json", import.meta.url);
const { rolls } = JSON.parse(readFileSync(vectors, "utf8")) as { rolls: { roll: { result: object } }[] };

describe.skipIf(!chromium)(`the page at /rng${chromium ? "" : " (skipped: no Chromium here)"}`, () => {
  let service: Service;
  let browser: Browser;
  let visits: Visit[] = [];
  let key: string;

  const open = async (width = 1200): Promise<Page> => {
    const opened = await visit(browser, service.url, "/rng", { viewport: { width, height: 800 } });
    visits.push(opened);
    return opened.page;
  };
  const paste = async (page: Page, text: string) => {
    await page.locator("#proof").fill(text);
    await page.locator("#by-proof button").click();
    return page.locator("#result .verdict").textContent();
  };
  const ask = async (path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const options = body && { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${service.url}/v1/agent/rng/${path}`, { headers, ...options });
    return ((await answer.json()) as { data: { roll_id: string; seed: string | null } }).data;
  };

  beforeAll(async () => {
    service = await startService({ chain: "embedded", reactors: true, env: { SEED_ROLLS: "1" } });
    key = (await service.issue()).secret;
    browser = await launchChromium(chromium!);
    await until(async () => (await ask("seed")) !== undefined);
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

  test("verifies the proof of each vector, and finds a changed result", async () => {
    const page = await open();
    for (const vector of rolls) {
      expect(await paste(page, JSON.stringify({ data: vector }))).toMatch(/as it should be/i);
      const changed = { ...vector, roll: { ...vector.roll, result: { value: "changed" } } };
      expect(await paste(page, JSON.stringify(changed))).toMatch(/^Not as it should be: the seed makes/);
    }
  });

  test("has an example to verify, and leads to drawing one", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Verify an example" }).click();
    await page.getByText("Drawn as it should be").waitFor();
    await page.getByRole("link", { name: "Draw one" }).click();
    await page.waitForURL("**/docs/operations/rng_roll");
  });

  test("asks for a roll by its id, before and after its seed is revealed", async () => {
    const { roll_id } = await ask("roll", { client_seed: "in a browser", game_type: "float" });
    await until(async () => (await ask("verify", { roll_id })).seed !== null);
    const page = await open();
    await page.locator("#roll-id").fill(roll_id);
    await page.locator("#api-key").fill(key);
    await page.locator("#by-id button").click();
    await page.getByText("Drawn as it should be").waitFor();
    expect(await page.locator("#result").textContent()).toContain("in a browser");
    expect(await page.content()).not.toContain(key);
  });

  test.each([
    ["nonsense", /no JSON/],
    ["{}", /no proof of a roll/],
    ["null", /no proof of a roll/],
    [
      '{"roll":{},"tenant":"<img src=x onerror=alert(1)>","seed":"zz","chain_head":"00"}',
      /cannot be read|Not as/,
    ],
  ])("answers %s in words", async (text, says) => {
    expect(await paste(await open(), text)).toMatch(says);
  });

  test("fits 375 pixels", async () => {
    const page = await open(375);
    await paste(page, JSON.stringify(rolls[1]));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(375);
  });
});
