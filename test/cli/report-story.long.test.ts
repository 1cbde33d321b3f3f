/** The demo of a report, in this process: a brief is bought, printed, and each of its facts requested again. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { buyBrief } from "../../src/cli/demo-report.ts";
import { demoWallet } from "../../src/cli/demo-wallets.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-story-"));
  service = await startService({ chain: "embedded" });
  await openSandbox(service);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

test("an agent buys a brief, opens it as PDF, detaches its facts and verifies all of them", async () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const before = process.exitCode;
  try {
    const place = { url: service.url, own: false, app: service.app, close: async () => undefined };
    await buyBrief(place, folder, demoWallet());
    expect(process.exitCode).toBe(before);
  } finally {
    process.exitCode = before;
  }
  const answer = write.mock.calls.map(([text]) => String(text)).join("");
  write.mockRestore();
  expect(answer).toMatch(/25(\.00)? USDC/);
  expect(answer).toMatch(/\d+ facts in \d+ questions/);
  expect(answer).not.toContain("FAIL");
  const files = (await readdir(folder)).sort();
  expect(files).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}\.facts\.json$/),
    expect.stringMatching(/^[0-9a-f]{32}\.pdf$/),
  ]);
  expect((await readFile(join(folder, files[1]!))).subarray(0, 5).toString()).toBe("%PDF-");
});
