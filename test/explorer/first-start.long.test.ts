/** The page at / before there are data: a real Chromium, a real service whose sandbox is built meanwhile. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SANDBOX } from "../../src/datasets/sandbox.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { chromiumPath, launchChromium, visit } from "./browser.ts";

const chromium = chromiumPath();

describe.skipIf(!chromium)(`a first start${chromium ? "" : " (skipped: no Chromium here)"}`, () => {
  let service: Service;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService({ chain: "embedded" });
    service.app.vintage_store.expect([{ dataset: SANDBOX, synthetic: true, released: false }]);
    browser = await launchChromium(chromium!);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  test("the chart appears without a reload once its data are ready, and is not requested before", async () => {
    const { page, complaints } = await visit(browser, service.url, "/");
    const requests: string[] = [];
    // The page also reads the picture's figures, which is not an image request.
    page.on("request", (request) => {
      if (request.resourceType() === "image") requests.push(new URL(request.url()).pathname);
    });
    await page.getByText("data is being made").waitFor();
    const title = page.getByRole("heading", { name: "What an answer looks like" });
    expect(await title.isVisible()).toBe(false);
    expect(requests).not.toContain("/chart.svg");
    await openSandbox(service);
    await title.waitFor();
    const image = page.getByRole("img", {
      name: /^A line chart: monthly imports of Germany, France and Poland/,
    });
    await image.waitFor();
    expect(await image.evaluate((one: { naturalWidth: number }) => one.naturalWidth)).toBeGreaterThan(300);
    expect(requests.filter((path) => path === "/chart.svg")).toHaveLength(1);
    expect(complaints.filter((complaint) => !complaint.includes("responded with a status of 503"))).toEqual(
      [],
    );
  });
});
