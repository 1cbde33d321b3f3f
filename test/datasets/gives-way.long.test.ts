/** A sandbox in progress gives way to an import, and is built afterwards. */
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { vintagesDir } from "../../src/datasets/manifest.ts";
import { sizeAt } from "../../src/datasets/sandbox.ts";
import { importFiles, releaseSandbox } from "../../src/operator/releases.ts";
import { SMALL } from "../support/sandbox.ts";
import { startService } from "../support/service.ts";
import { limits, sdmxFixture } from "./workshop.ts";

test("an import interrupts the sandbox's build, which runs after it", async () => {
  const service = await startService();
  try {
    const { app, data_dir } = service;
    const made: string[] = [];
    const making = releaseSandbox(app, { data_dir, limits, size: sizeAt(SMALL) }).then(({ facts }) =>
      made.push(facts.dataset),
    );
    await expect
      .poll(() => readdir(vintagesDir(data_dir)).catch(() => []), { interval: 10, timeout: 30_000 })
      .toContainEqual(expect.stringMatching(/^building-/));
    const { facts } = await importFiles(app, [sdmxFixture], { data_dir, limits, reporters: ["DE"] });
    expect(made).toEqual([]);
    made.push(facts.dataset);
    await making;
    expect(made).toEqual(["comext-ds-045409", "sandbox"]);
  } finally {
    await service.stop();
  }
});
