/** The views of MCP Apps in a real browser, within a host's sandbox and its policy, in both themes and on a phone. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventProof } from "../../src/api/operations/log/proof.ts";
import { signExample } from "../support/log-example.ts";
import { APPS, type McpHost, mcpResult } from "../support/mcp.ts";
import { startHost } from "../support/mcp-host.ts";
import { BRIEF } from "../support/reported.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { chromiumPath, launchChromium } from "./browser.ts";

const executable = chromiumPath();
/** A folder for pictures of each view. */
const { PICTURES } = process.env;

type Called = { isError?: boolean; structuredContent: Record<string, unknown>; _meta?: object };
type Message = { method?: string; params?: Record<string, unknown> };

type View = { tool: string; input: Record<string, unknown>; says: RegExp };

const views: Record<string, View> = {
  series: {
    tool: "trade_timeline",
    input: { reporters: ["DE", "FR"], flow: "IMPORT", years: "2023-2024" },
    says: /Source: /,
  },
  ranking: { tool: "trade_top_products", input: { reporter: "DE", flow: "EXPORT", limit: 10 }, says: /rows/ },
  map: {
    tool: "trade_top_partners",
    input: { reporter: "DE", flow: "IMPORT", limit: 20 },
    says: /Point at a country/,
  },
  report: { tool: "sovereign_brief", input: BRIEF.input, says: /Methods and sources/ },
  proof: { tool: "log_proof", input: eventProof.example, says: /The proof holds: verified here/ },
};

describe.skipIf(!executable)(`views in a host${executable ? "" : " (skipped: no Chromium here)"}`, () => {
  let service: Service;
  let browser: Browser;
  let web: Awaited<ReturnType<typeof startHost>>;
  let host: McpHost;
  beforeAll(async () => {
    service = await startService();
    await openSandbox(service);
    await signExample(service.app);
    const { headers } = await service.issue();
    host = { url: `${service.url}/mcp`, headers, capabilities: APPS };
    web = await startHost();
    browser = await launchChromium(executable!);
  });
  afterAll(async () => {
    await browser?.close();
    web?.stop();
    await service?.stop();
  });

  const call = ({ tool, input }: View) =>
    mcpResult<Called>(host, "tools/call", {
      name: "operations_call",
      arguments: { name: tool, arguments: input },
    });

  async function open(
    name: string,
    result: object,
    { theme, width }: { theme: "light" | "dark"; width: number },
  ): Promise<{ page: Page; frame: Frame; complaints: string[] }> {
    const uri = `ui://tallystick/${name}.html`;
    const read = await mcpResult<{ contents: { text: string }[] }>(host, "resources/read", { uri });
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => {
      const isOwn = web.origins.includes(request.url()) || /^(data|about|blob):/.test(request.url());
      if (!isOwn && !request.url().endsWith("/favicon.ico")) complaints.push(`a request to ${request.url()}`);
    });
    await page.goto(web.url);
    const { input } = views[name]!;
    const given = JSON.stringify({ html: read.contents[0]!.text, input, result, theme });
    await page.evaluate(`showView(${given})`);
    const frame = await until(() => page.frames().find((one) => one.parentFrame()?.parentFrame()) ?? false);
    return { page, frame, complaints };
  }

  const textOf = async (frame: Frame) => (await frame.locator("main").textContent()) ?? "";

  describe.each(Object.entries(views))("%s", (name, view) => {
    test.each([
      { theme: "light", width: 800 },
      { theme: "dark", width: 800 },
      { theme: "light", width: 375 },
      { theme: "dark", width: 375 },
    ] as const)("shows its answer, $theme, $width pixels wide, and contacts only its host", async (look) => {
      const result = await call(view);
      expect(result.isError, JSON.stringify(result).slice(0, 500)).toBeFalsy();
      const { page, frame, complaints } = await open(name, result, look);
      try {
        await until(async () => view.says.test(await textOf(frame)));
        const colour = await frame.evaluate("getComputedStyle(document.documentElement).backgroundColor");
        expect(colour).toBe(look.theme === "dark" ? "rgb(19, 20, 18)" : "rgb(250, 249, 245)");
        const isWider = await frame.evaluate("document.documentElement.scrollWidth > innerWidth");
        expect(isWider, "the frame scrolls sideways").toBe(false);
        const seen = await page.evaluate<Message[]>("seen");
        const sizes = seen.filter(({ method }) => method === "ui/notifications/size-changed");
        expect(sizes.at(-1)!.params!.height).toBeGreaterThan(100);
        if (PICTURES) {
          mkdirSync(PICTURES, { recursive: true });
          // A frame beyond the window may not be painted.
          const height = Math.min(3_000, await page.evaluate<number>("document.body.scrollHeight"));
          await page.setViewportSize({ width: look.width, height });
          await page.evaluate(
            "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
          );
          await page.screenshot({ path: join(PICTURES, `${name}-${look.theme}-${look.width}.png`) });
        }
        expect(complaints).toEqual([]);
      } finally {
        await page.close();
      }
    });
  });

  test("a changed proof is invalid", async () => {
    const result = await call(views.proof!);
    const changed = structuredClone(result);
    (changed.structuredContent.event as { event_hash: string }).event_hash = "ab".repeat(32);
    const { page, frame } = await open("proof", changed, { theme: "light", width: 800 });
    await until(async () => /The proof does not hold: .*tree/.test(await textOf(frame)));
    await page.close();
  });

  test("a key that the reader knows binds the proof", async () => {
    const result = await call(views.proof!);
    const { page, frame } = await open("proof", result, { theme: "light", width: 800 });
    await frame.fill("#key", "other.example+00000000+AAAA");
    await frame.click("text=Verify with it");
    await until(async () => /does not hold: .*signature/.test(await textOf(frame)));
    await frame.fill("#key", (result.structuredContent as { key: string }).key);
    await frame.click("text=Verify with it");
    await until(async () => /The proof holds/.test(await textOf(frame)));
    await page.close();
  });

  test("a country shows its value, and the theme follows the host", async () => {
    const { page, frame } = await open("map", await call(views.map!), { theme: "light", width: 800 });
    await frame.hover('path[data-code="US"]');
    expect(await textOf(frame)).toMatch(/United States.*(EUR|not listed)/);
    await page.evaluate(
      `toView({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } })`,
    );
    await until(async () => (await frame.evaluate("document.documentElement.dataset.theme")) === "dark");
    await page.close();
  });

  test("a 402 is shown as a price, and a cancelled call as one", async () => {
    const unpaid = await mcpResult<Called>({ ...host, headers: {} }, "tools/call", {
      name: "trade_top_partners",
      arguments: views.map!.input,
    });
    const { page, frame } = await open("map", unpaid, { theme: "light", width: 375 });
    await until(async () => /This call costs 0\.05 USDC\. Nothing was charged\./.test(await textOf(frame)));
    await page.evaluate(
      `toView({ method: "ui/notifications/tool-cancelled", params: { reason: "the user" } })`,
    );
    await until(async () => /cancelled/.test(await textOf(frame)));
    await page.close();
  });
});
