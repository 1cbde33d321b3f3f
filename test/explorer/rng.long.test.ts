/** The page at /rng for a visitor: a real Chromium, a real service, a seed that is revealed meanwhile. */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { chromiumPath, fromElsewhere, launchChromium, type Visit, visit } from "./browser.ts";

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
    // A browser itself logs a 402, and a call that a test lets fail.
    const complaints = visits
      .flatMap((one) => one.complaints)
      .filter((complaint) => !/responded with a status of 402|net::ERR_FAILED/.test(complaint));
    for (const { page } of visits) await page.context().close();
    visits = [];
    expect(complaints).toEqual([]);
  });

  test("the page verifies each vector's proof, and detects a changed result", async () => {
    const page = await open();
    for (const vector of rolls) {
      expect(await paste(page, JSON.stringify({ data: vector }))).toMatch(/The roll is correct/);
      const changed = { ...vector, roll: { ...vector.roll, result: { value: "changed" } } };
      expect(await paste(page, JSON.stringify(changed))).toMatch(/^The roll is wrong: the seed makes/);
    }
  });

  test("it has an example to verify, and one hierarchy of headings", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Verify an example" }).click();
    await page.getByText("The roll is correct").waitFor();
    const levels = (await page
      .locator("h1, h2, h3")
      .evaluateAll((all) =>
        (all as { tagName: string }[]).map(({ tagName }) => Number(tagName[1])),
      )) as number[];
    expect(levels[0]).toBe(1);
    for (const [i, level] of levels.slice(1).entries()) expect(level - levels[i]!).toBeLessThanOrEqual(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
  });

  test("it draws a number by one click, paid by a demo wallet, and requests its proof", async () => {
    const page = await open();
    await page.getByLabel("Kind").selectOption({ label: "A number from 1 to 100" });
    await page.getByRole("button", { name: "Draw one" }).click();
    const value = page.locator("#drawn .drawn-value");
    await value.waitFor();
    expect(Number(await value.textContent())).toBeGreaterThanOrEqual(1);
    expect(Number(await value.textContent())).toBeLessThanOrEqual(100);
    expect(await page.locator('#drawn a[href^="/log#events/"]').count()).toBe(1);
    await page.locator("#by-id button").click();
    await page.locator("#result .verdict").waitFor();
    expect(await page.locator("#result").textContent()).toMatch(/The roll is correct|still in use/);
    await page.locator("#client-seed").fill("x".repeat(128));
    await page.getByLabel("Kind").selectOption({ label: "A coin" });
    await page.getByRole("button", { name: "Draw one" }).click();
    await expect.poll(() => value.textContent()).toMatch(/^(heads|tails)$/);
  });

  test("it requests a roll by its id, before and after its seed is revealed", async () => {
    const { roll_id } = await ask("roll", { client_seed: "in a browser", game_type: "float" });
    await until(async () => (await ask("verify", { roll_id })).seed !== null);
    const page = await open();
    await page.locator("#roll-id").fill(roll_id);
    await page.locator("#api-key").fill(key);
    await page.locator("#by-id button").click();
    await page.getByText("The roll is correct").waitFor();
    expect(await page.locator("#result").textContent()).toContain("in a browser");
    expect(await page.content()).not.toContain(key);
  });

  test("by plain HTTP from another machine it explains why it cannot verify, like the log's page", async () => {
    const elsewhere = fromElsewhere(service.url);
    const rng = await visit(browser, elsewhere, "/rng");
    const log = await visit(browser, elsewhere, "/log#verify");
    visits.push(rng, log);
    const sentence = (name: string) =>
      `Browsers let pages hash only over https or on this machine itself; run ${name} instead.`;
    expect(await paste(rng.page, JSON.stringify({ data: rolls[0] }))).toBe(sentence("roll-verifier.js"));
    expect(await paste(rng.page, "nonsense")).toMatch(/not JSON/);
    const pack = { name: "pack.jsonl", mimeType: "text/plain", buffer: Buffer.from("{}\n") };
    await log.page.locator("#pack").setInputFiles(pack);
    await expect
      .poll(() => log.page.locator("#verify-result .verdict").textContent())
      .toBe(`The pack pack.jsonl could not be checked. ${sentence("verifier.js")}`);
  });

  test("it reports an unreachable service, and only that", async () => {
    const page = await open();
    await page.context().route("**/v1/**", (route) => route.abort());
    await page.locator("#roll-id").fill("0".repeat(32));
    await page.locator("#by-id button").click();
    await expect
      .poll(() => page.locator("#result .verdict").textContent())
      .toBe("The service cannot be reached.");
    await page.getByRole("button", { name: "Draw one" }).click();
    await expect.poll(() => page.locator("#drawn").textContent()).toBe("The service cannot be reached.");
    await page.locator("#api-key").fill("sk_live_…");
    await page.locator("#by-id button").click();
    await expect
      .poll(() => page.locator("#result .verdict").textContent())
      .toMatch(/^That is not an API key/);
  });

  test.each([
    ["nonsense", /not JSON/],
    ['{"roll":null,"tenant":"a","seed":"00"}', /not proof of a roll/],
    ['{"roll":{},"tenant":"a","seed":5,"chain_head":"00"}', /not a complete proof/],
    ["{}", /not proof of a roll/],
    ["null", /not proof of a roll/],
    [
      '{"roll":{},"tenant":"<img src=x onerror=alert(1)>","seed":"zz","chain_head":"00"}',
      /The roll is wrong/,
    ],
  ])("it explains %s in words", async (text, says) => {
    expect(await paste(await open(), text)).toMatch(says);
  });

  test("the page fits 375 pixels", async () => {
    const page = await open(375);
    await paste(page, JSON.stringify(rolls[1]));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(375);
  });
});
