/** Limits by address over HTTP: two processes of one service grant no more than one would. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { free } from "../../src/api/declare/access/free.ts";
import { open } from "../../src/api/declare/access/open.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json } from "../../src/api/declare/output.ts";
import { catalogue } from "../support/catalogue.ts";
import { type Service, startService } from "../support/service.ts";

const answered = { input: z.object({}), output: json(z.object({ data: z.object({}) })), example: {} };
const handle = async () => ({ data: {} });
const sampled = operation({
  name: "test_sampled",
  route: "GET /v1/agent/test/sampled",
  summary: "Samples",
  description: "Ten a day are free.",
  access: [free(10, "day"), pay("0.05")],
  ...answered,
  handle,
});
const opened = operation({
  name: "test_opened",
  route: "GET /v1/agent/test/opened",
  summary: "Open",
  description: "Ten an hour.",
  access: [open({ calls: 10, per: "hour" })],
  ...answered,
  handle,
});

let services: Service[] = [];
beforeAll(async () => {
  const operations = [...catalogue, sampled, opened];
  const one = await startService({ operations });
  services = [one];
  services.push(await startService({ operations, beside: one }));
});
afterAll(async () => {
  for (const service of services.toReversed()) await service.stop();
});

/** Calls this many times, alternating between the processes, and each once more at the end; returns the statuses. */
async function statusesOf(
  times: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) {
    const answer = await fetch(services[i % services.length]!.url + path, { headers });
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  return statuses;
}

test.each([
  { path: "/v1/agent/test/sampled", spent: 402 },
  { path: "/v1/agent/test/opened", spent: 429 },
])("ten free calls of $path are ten calls over all processes", async ({ path, spent }) => {
  expect(await statusesOf(16, path)).toEqual([...Array(10).fill(200), ...Array(6).fill(spent)]);
});

test("a hundred unknown keys a minute count as a hundred", async () => {
  const guesses = await statusesOf(110, "/v1/agent/test/sampled", {
    Authorization: `Bearer sk_live_${"a".repeat(43)}`,
  });
  const looked = guesses.filter((status) => status === 401).length;
  // The other process learns the first one's count with its next wrong guess.
  expect(looked).toBeGreaterThanOrEqual(100);
  expect(looked).toBeLessThanOrEqual(102);
  expect(guesses.slice(102)).toEqual(Array(8).fill(429));
});
