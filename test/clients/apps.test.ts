/** The Inspector's web client, a stock host of MCP Apps, shows each view in its sandbox. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { chromiumPath, launchChromium } from "../explorer/browser.ts";
import { LIMIT_MS, until } from "../support/until.ts";
import { type Inspector, openInspector } from "./inspector.ts";

const executable = chromiumPath();
/** A folder for pictures of each view. */
const { PICTURES } = process.env;
const service = inject("sandbox");

/** `shows`: an element that exists only if the answer arrived, and in the map only if its input did too. */
type View = { tool: string; input: Record<string, unknown>; says: RegExp; shows: string };

const views: Record<string, View> = {
  series: {
    tool: "trade_timeline",
    input: { reporters: ["DE", "FR"], flow: "IMPORT", years: "2023-2024" },
    says: /Monthly imports of Germany, France[\s\S]*48 rows[\s\S]*Source: /,
    shows: ".drawing > svg[aria-label^='Monthly imports'] path",
  },
  ranking: {
    tool: "trade_top_products",
    input: { reporter: "DE", flow: "EXPORT", limit: 10 },
    says: /Germany: largest products[\s\S]*rows[\s\S]*Source: /,
    shows: ".drawing > svg[aria-label^='Germany'] path",
  },
  map: {
    tool: "trade_top_partners",
    input: { reporter: "DE", flow: "IMPORT", limit: 20 },
    says: /Germany: largest partners[\s\S]*Point at a country/,
    shows: ".map path.home[data-code=DE]",
  },
  report: {
    tool: "sovereign_brief",
    input: { hs: "44", region: "LV", years: "2020-2024", layers: ["sanctions"] },
    says: /On whom does Latvia depend[\s\S]*Methods and sources/,
    shows: ".report figure svg",
  },
  proof: {
    tool: "log_proof",
    input: {},
    says: /The proof holds: verified here, in this frame/,
    shows: ".verdict.good",
  },
};

describe.skipIf(!executable)(
  `the Inspector's Apps tab${executable ? "" : " (skipped: no Chromium in PATH)"}`,
  () => {
    const inspectors: Partial<Record<"legacy" | "modern", Inspector>> = {};
    let browser: Browser;
    beforeAll(async () => {
      const server = { url: `${service.url}/mcp?areas=all`, headers: service.keyed };
      for (const protocolEra of ["legacy", "modern"] as const)
        inspectors[protocolEra] = await openInspector({ ...server, protocolEra });
      browser = await launchChromium(executable!);
      views.proof!.input = { event_id: await provenEvent() };
    });
    afterAll(async () => {
      await browser?.close();
      for (const inspector of Object.values(inspectors)) await inspector.close();
    });

    test.each(
      Object.keys(views).flatMap((name) => [
        [name, "legacy"] as const,
        ...(name === "map" ? [[name, "modern"] as const] : []),
      ]),
    )("shows the view %s over a %s connection", async (name, era) => {
      const { tool, input, says, shows } = views[name]!;
      const inspector = inspectors[era]!;
      const { page, complaints } = await watchedPage(browser, inspector);
      try {
        await page.goto(inspector.addressOf(tool, input));
        await page.click('[data-testid="open-app"]');
        await page.waitForSelector('[data-testid="apps-form"][data-app-status="ready"]');
        const view = await until(() => viewIn(page) ?? false);
        await view.waitForSelector(shows, { state: "attached" });
        expect(await view.textContent("main")).toMatch(says);
        await fitsItsFrame(view);
        if (PICTURES) {
          mkdirSync(PICTURES, { recursive: true });
          await page.screenshot({ path: join(PICTURES, `inspector-${name}-${era}.png`) });
        }
        expect(complaints).toEqual([]);
      } finally {
        await page.close();
      }
    });
  },
);

/** The view is the frame within the sandbox's frame. */
const viewIn = (page: Page): Frame | undefined =>
  page.frames().find((frame) => frame.parentFrame()?.parentFrame());

/** Records errors of the view, its requests, and requests of the sandbox to others. The Inspector's own page loads fonts. */
async function watchedPage(browser: Browser, { origins }: Inspector) {
  const page = await browser.newPage({ viewport: { width: 1300, height: 1000 } });
  page.setDefaultTimeout(LIMIT_MS);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    const { url } = message.location();
    if (!url.startsWith(`${origins[0]}/`) && !isFont(url)) complaints.push(`${message.text()} (${url})`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    const isOwn = [...origins, service.url].some((origin) => url.startsWith(`${origin}/`));
    if (!isOwn && !isFont(url) && !/^(data|about|blob):/.test(url)) complaints.push(`a request to ${url}`);
    if (!request.isNavigationRequest() && request.frame() === viewIn(page))
      complaints.push(`a request of the view to ${url}`);
  });
  return { page, complaints };
}

const isFont = (url: string) => url.startsWith("https://fonts.googleapis.com/");

/** The frame is as high as the view says, up to the room of its page, and never scrolls sideways. */
async function fitsItsFrame(view: Frame): Promise<void> {
  await until(() => view.evaluate<boolean>("innerHeight > 100"));
  expect(await view.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth")).toBe(false);
}

/** An event that a checkpoint covers: the first start signs one soon. */
async function provenEvent(): Promise<string> {
  const { events } = (await (await fetch(`${service.url}/log/events?limit=1`)).json()) as {
    events: [{ event_id: string }];
  };
  const [{ event_id }] = events;
  return until(async () => {
    const answer = await fetch(`${service.url}/log/proof/${event_id}`);
    const { checkpoint } = (await answer.json()) as { checkpoint: string | null };
    return checkpoint !== null && event_id;
  });
}
