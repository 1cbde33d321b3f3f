/**
 * The sandbox of a service's start: its progress is reported, its data contain their planted events, and lost parts
 * are rebuilt.
 */
import { rm } from "node:fs/promises";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectSandbox } from "../../src/cli/ensure-sandbox.ts";
import { manifestPath } from "../../src/datasets/manifest.ts";
import { readConfig } from "../../src/runtime/config.ts";
import {
  expectDependency,
  expectDetourAndShock,
  expectLead,
  expectSubstitution,
  expectTold,
} from "../support/planted.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

let service: Service & { database_url: string };
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startService();
  ({ headers } = await service.issue());
});
afterAll(() => service.stop());

const expected = ({ app, data_dir }: Service) =>
  expectSandbox(app, readConfig({ DATA_DIR: data_dir }), pino({ enabled: false }));

type Making = { dataset: string; stage: string; percent: number; seconds_left: number };
type Ready = { missing: string[]; making: Making[] };
type Health = { data: { status: string; making: Making[] } };

async function ask<Body>(path: string, { url } = service) {
  const response = await fetch(`${url}${path}`, { headers });
  const body = (await response.json()) as Body;
  return { status: response.status, retry_after: response.headers.get("retry-after"), body };
}
const readiness = (of = service) => ask<Ready>("/ready", of);
const health = async () => (await ask<Health>("/v1/agent/health")).body.data;
const QUESTION = "/v1/agent/trade/top-partners?reporter=DE&limit=3";

test("a service without a sandbox is ready at once; with a sandbox it first builds that", async () => {
  expect((await readiness()).status).toBe(200);
  expect(await health()).toMatchObject({ status: "ok", making: [] });
  expected(service);
  const missing = ["sandbox", "sandbox-lv"];
  expect(await readiness()).toMatchObject({ status: 503, body: { missing, making: [] } });
  expect(await health()).toMatchObject({ status: "starting", making: [] });
});

let made: Promise<void>;

test("during the build, stage, progress and likely wait are reported everywhere", async () => {
  made = expected(service)(new AbortController().signal);
  const making = { dataset: "sandbox", stage: "write" };
  const ready = await until(async () => {
    const answer = await readiness();
    // In the middle there is a basis for the estimate.
    expect(answer.body.making[0]).toMatchObject({ ...making, percent: expect.toSatisfy((n) => n > 0) });
    return answer;
  });
  expect(ready).toMatchObject({ status: 503, retry_after: String(ready.body.making[0]!.seconds_left) });
  expect((await health()).making).toMatchObject([making]);
  const { status, retry_after, body } = await ask<{ type: string; detail: string }>(QUESTION);
  expect(status).toBe(503);
  expect(body.type).toMatch(/#dataset-missing$/);
  expect(body.detail).toMatch(/sandbox is being made \(write, \d+ %\)/);
  expect(Number(retry_after)).toBeGreaterThan(0);
});

test("after the build the service is ready and answers", async () => {
  await made;
  await until(async () => expect((await readiness()).status).toBe(200));
  expect(await health()).toMatchObject({ status: "ok", making: [] });
  expect((await ask<{ data: object[] }>(QUESTION)).body.data[0]).toMatchObject({ rank: 1 });
});

test.each([
  ["a detour, and months that stand out", expectDetourAndShock],
  ["a dependency", expectDependency],
  ["a lead", expectLead],
  ["the suppliers that replaced Russia", expectSubstitution],
  ["each event next to the method that finds it", expectTold],
])("a small sandbox contains the planted event: %s", async (_, found) => {
  await found(async <Answer>(path: string) => {
    const { status, body } = await ask<Answer>(path);
    expect([status, path]).toEqual([200, path]);
    return body;
  });
});

test("lost parts are rebuilt at the next start", async () => {
  const lost = service.app.data.vintages.open().find(({ dataset }) => dataset === "sandbox-lv")!;
  await rm(manifestPath(service.data_dir, lost.vintage));
  const second = await startService({ beside: service });
  try {
    await expected(second)(new AbortController().signal);
    await until(async () => expect((await readiness(second)).status).toBe(200));
    expect(second.app.data.vintages.open().map(({ vintage }) => vintage)).toContain(lost.vintage);
  } finally {
    await second.stop();
  }
});
