/** The demo of skills, in this process: one runs, another is cancelled and refunded, the first is rerun. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runSkills } from "../../src/cli/demo-skill.ts";
import { demoWallet } from "../../src/cli/demo-wallets.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ chain: "embedded", vault: true });
  await openSandbox(service);
});
afterAll(() => service.stop());

test("an agent runs a skill, cancels another run for a refund, and reruns the first with the same result", async () => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const before = process.exitCode;
  try {
    await runSkills(
      { url: service.url, own: false, app: service.app, close: async () => undefined },
      demoWallet(),
    );
    expect(process.exitCode).toBe(before);
  } finally {
    process.exitCode = before;
  }
  const answer = write.mock.calls.map(([text]) => String(text)).join("");
  write.mockRestore();
  expect(answer).toMatch(/402 +0\.50 USDC/);
  expect(answer).toMatch(/finished, \d+ facts, execution [0-9a-f]{32}/);
  expect(answer).toMatch(/cancelled +[0-9a-f]{32}, before any step was done/);
  expect(answer).toContain("refund of 0.50 USDC, open: sent once the payment is final");
  expect(answer).toContain("byte for byte the same");
  expect(answer).not.toContain("FAIL");
});
