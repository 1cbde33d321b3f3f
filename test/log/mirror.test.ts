/** Mirroring the log's tiles and the other free calls of an address have separate limits. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../support/service.ts";

const FREE = 5;
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService({ env: { OPEN_CALLS_PER_MINUTE: String(FREE) } });
});
afterAll(() => service?.stop());

test("tiles have a limit separate from other free calls, and answers state when it is reset", async () => {
  const statusOf = async (path: string) => (await fetch(service.url + path)).status;
  for (let n = 0; n < 3 * FREE; n++) expect(await statusOf("/log/tile/0/000")).not.toBe(429);
  for (let n = 0; n < FREE; n++) expect(await statusOf("/log/status")).toBe(200);
  const limited = await fetch(`${service.url}/log/status`);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await statusOf("/log/tile/0/000")).not.toBe(429);
});
