/**
 * The page at /log gives both verifiers' verdicts for every pack in docs/vectors: the failing checks and their
 * positions.
 */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { forgedVectors } from "../audit/forged-vectors.ts";
import { PACKS, type packVerdicts, readPack } from "../audit/vectors.ts";
import { type Service, startService } from "../support/service.ts";
import { chromiumPath, launchChromium, type Visit, visit } from "./browser.ts";

const chromium = chromiumPath();
const vectors = <Read>(name: string): Read =>
  JSON.parse(readFileSync(new URL(`../../docs/vectors/${name}`, import.meta.url), "utf8")) as Read;

/** A visitor's knowledge, as the page's fields take it. */
type Held = { key?: string; heads?: string[]; checkpoints?: string[]; contract?: string; signer?: string };
type Case = { name: string; text: string; held: Held; fails: Record<string, number> };

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

const logs = vectors<{ cases: { name: string; lines: string[]; head?: string; fails: Case["fails"] }[] }>(
  "log.json",
).cases.map(
  ({ name, lines, head, fails }): Case => ({
    name: `log.json: ${name}`,
    text: textOf(lines),
    held: head === undefined ? {} : { heads: [head] },
    fails,
  }),
);

const { options } = vectors<ReturnType<typeof packVerdicts>>("packs.json");
const { key, contract, signer } = options;
const packs = Object.keys(PACKS).map(
  (name): Case => ({ name, text: readPack(name), held: { key, contract, signer }, fails: {} }),
);

const forged = vectors<ReturnType<typeof forgedVectors>>("forged.json").cases.map(
  ({ name, pack, from, lines, put, options: held, fails }): Case => ({
    name: `forged.json: ${name}`,
    text: textOf(
      readPack(pack)
        .trimEnd()
        .split("\n")
        .toSpliced(from, lines, ...put),
    ),
    held: held as Held,
    fails: fails as Case["fails"],
  }),
);

describe.skipIf(!chromium)(`the page at /log${chromium ? "" : " (skipped: no Chromium here)"}`, () => {
  let service: Service;
  let browser: Browser;
  let opened: Visit;

  beforeAll(async () => {
    service = await startService({ env: { OPEN_CALLS_PER_MINUTE: "100000" } });
    browser = await launchChromium(chromium!);
    opened = await visit(browser, service.url, "/log#verify");
    await opened.page.getByText("Your own evidence").click();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    expect(opened?.complaints).toEqual([]);
  });

  async function hold(page: Page, held: Held): Promise<void> {
    expect(held.checkpoints?.length ?? 0, "the page takes one").toBeLessThanOrEqual(1);
    const fields = {
      key: held.key,
      heads: held.heads?.join("\n"),
      checkpoint: held.checkpoints?.[0],
      contract: held.contract,
      signer: held.signer,
    };
    for (const [name, value] of Object.entries(fields)) await page.locator(`#held-${name}`).fill(value ?? "");
  }

  /** The failed checks on the page, and their positions. */
  async function shown(page: Page): Promise<Record<string, number>> {
    const steps = await page.locator("#verify-result .steps .bad").all();
    const failed = await Promise.all(
      steps.map(async (step): Promise<[string, number]> => {
        const [, place] = /^First at ([\d,]+)/.exec((await step.locator(".reason").textContent())!)!;
        return [(await step.locator("strong").textContent())!, Number(place!.replaceAll(",", ""))];
      }),
    );
    return Object.fromEntries(failed);
  }

  test.each([...logs, ...packs, ...forged])("$name", async ({ name, text, held, fails }) => {
    const { page } = opened;
    await hold(page, held);
    const file = `${name.replaceAll(/\W+/g, " ")}.ndjson`;
    await page.locator("#pack").setInputFiles({ name: file, mimeType: "", buffer: Buffer.from(text) });
    const verdict = page.locator("#verify-result .verdict strong").filter({ hasText: file });
    await verdict.waitFor();
    // Only the first verifier checks the canonical form of texts.
    const { canonical: _, ...expected } = fails;
    // If even the first line is not a header, the page names no check: nothing was checked.
    const isNoExport = expected.format === 0 && Object.values(expected).every((place) => place === 0);
    expect(await shown(page)).toEqual(isNoExport ? {} : expected);
    if (isNoExport) {
      expect(await verdict.textContent()).toContain("is not an export of a log: nothing was checked");
      return;
    }
    const isGood = Object.keys(expected).length === 0;
    expect(await verdict.textContent()).toContain(isGood ? "holds" : "does not hold");
    expect(await page.locator("#verify-result .verdict.bad").count()).toBe(isGood ? 0 : 1);
  });
});
