/** Pictures of series over a change of codes, in a real browser at the widths of a desk and of a phone. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importReference } from "../../src/operator/reference.ts";
import { importFiles } from "../../src/operator/releases.ts";
import { fileOf, limits } from "../datasets/workshop.ts";
import { opened } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { changedCodes, changedTradeFile } from "../trade/changed-codes.ts";
import { chromiumPath, launchChromium } from "./browser.ts";

const executable = chromiumPath();
/** A folder for the pictures. */
const { PICTURES } = process.env;

type Box = { text: string; left: number; right: number; top: number; bottom: number };

/** The notes on the change, by picture. */
const pictures: Record<string, { path: string; notes: RegExp }> = {
  family: {
    path: "timeline?reporters=LV&flow=IMPORT&hs=85171200&basis=family",
    notes: /Sum of 85171200, 85171300, 85171400, which changed into each other\./,
  },
  "family-prices": {
    path: "price-per-tonne?reporter=LV&flow=IMPORT&hs=85249100&basis=family",
    notes: /Sum of 85249100, 85299090, 90139010, 90139020, which changed into each other\./,
  },
  ended: {
    path: "timeline?reporters=LV&flow=IMPORT&hs=85171200",
    notes: /85171200 ended with 2021 and became 85171300, 85171400\./,
  },
  "other-goods": {
    path: "timeline?reporters=LV&flow=IMPORT&hs=85299090",
    notes: /imports since 2022 .*85299090 has other goods since 2022\./,
  },
};

describe.skipIf(!executable)(
  `pictures of families${executable ? "" : " (skipped: no Chromium here)"}`,
  () => {
    let service: Service;
    let browser: Browser;
    let headers: Record<string, string>;
    beforeAll(async () => {
      service = await startService();
      ({ headers } = await service.issue());
      const { app, data_dir } = service;
      const file = await changedTradeFile(data_dir);
      const { facts } = await importFiles(app, [file], { data_dir, limits, reporters: ["LV"] });
      const pairs = changedCodes.flatMap(({ code, became }) => (became ? [`${code},${became},-`] : []));
      const table = await fileOf(data_dir, "pairs.csv", ["CN 2021,CN 2022,TYPE", ...pairs]);
      const codes = await importReference(app, data_dir, [table]);
      await opened(service, [facts.vintage, codes.facts.vintage]);
      browser = await launchChromium(executable!);
    });
    afterAll(async () => {
      await browser?.close();
      await service?.stop();
    });

    async function draw(name: string, width: number): Promise<{ svg: string; boxes: Box[] }> {
      const url = `${service.url}/v1/agent/trade/${pictures[name]!.path}&width=${width}`;
      const answer = await fetch(url, { headers: { ...headers, Accept: "image/svg+xml" } });
      const svg = await answer.text();
      expect(answer.status, svg).toBe(200);
      const page = await browser.newPage({ viewport: { width, height: 720 } });
      try {
        await page.setContent(`<style>body { margin: 0 }</style>${svg}`);
        const boxes = await page.evaluate<Box[]>(`[...document.querySelectorAll("svg text")].map((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return { text: one.textContent, left, right, top, bottom };
      })`);
        if (PICTURES) {
          mkdirSync(PICTURES, { recursive: true });
          const path = join(PICTURES, `${name}-${width}.png`);
          await page.locator("svg").first().screenshot({ path });
        }
        return { svg, boxes };
      } finally {
        await page.close();
      }
    }

    describe.each(Object.keys(pictures))("%s", (name) => {
      test.each([1280, 375])("marks the January of the change and fits %s pixels", async (width) => {
        const { svg, boxes } = await draw(name, width);
        // A line over the height of the plot, and its sign in the legend.
        expect(svg).toMatch(/stroke-dasharray/);
        expect(boxes.map(({ text }) => text)).toContain("codes changed");
        expect(boxes.map(({ text }) => text).join(" ")).toMatch(pictures[name]!.notes);
        for (const { text, left, right } of boxes)
          expect([text, left >= 0 && right <= width]).toEqual([text, true]);
        const overlapping = boxes.flatMap((one, at) =>
          boxes
            .slice(at + 1)
            .filter(
              (other) =>
                Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
                Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 2,
            )
            .map(({ text }) => `${one.text} / ${text}`),
        );
        expect(overlapping).toEqual([]);
      });
    });
  },
);
