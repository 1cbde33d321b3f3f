/** A real Chromium, if this machine has one, and pages that record forbidden events. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { source as axe } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { LIMIT_MS } from "../support/until.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** The first Chromium in PATH; undefined if there is none. */
export function chromiumPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A name of this machine that a browser treats as another's: its pages are not a secure context without TLS. */
const ELSEWHERE = "elsewhere.test";

/** A local service as other machines see it: by plain HTTP. */
export const fromElsewhere = (url: string): string => {
  const { port } = new URL(url);
  return `http://${ELSEWHERE}:${port}`;
};

export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`,
    ],
  });

export type Visit = {
  page: Page;
  /** Errors in the console, uncaught ones, and requests to any other server. */
  complaints: string[];
};

/** Opens a page of the service, `path` with its fragment. */
export async function visit(
  browser: Browser,
  url: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext(options);
  // A missing element fails with a sentence about it, before the test's timeout.
  context.setDefaultTimeout(LIMIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type())) return;
    const { url: about } = message.location();
    complaints.push(about ? `${message.text()} (${about})` : message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(`${url}/`)) complaints.push(`a request to ${request.url()}`);
  });
  await page.goto(url + path);
  return { page, complaints };
}

/** Relative luminance of a colour as the browser writes it (WCAG 2.2). */
export function luminance(colour: string): number {
  const [red, green, blue] = colour
    .match(/[\d.]+/g)!
    .slice(0, 3)
    .map((value) => Number(value) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Contrast ratio of two luminances (WCAG 2.2). */
export const contrast = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

/** How much a page's content has moved since it was opened (layout shift). */
export const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((done) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 100);
  })`);

/** The bytes that a page and its parts were sent as. */
export const bytesOf = (page: Page): Promise<number> =>
  page.evaluate(`performance.getEntries()
    .filter(({ entryType }) => entryType === "navigation" || entryType === "resource")
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);

/** The rules of axe that a page breaks. The debugger runs it, since the pages' policy allows no foreign script. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(`${axe}; 0`);
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + " " + target)))`);
}
