/** Behaviour operations over HTTP: an agent with a dozen paid calls, and one without any. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buy } from "../support/buyer.ts";
import { type Service, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { wallet } from "../support/wallets.ts";
import { agencyOf } from "../trust/agency.ts";
import { caller, PROXIED, type TestKey } from "./agents.ts";

let service: Service;
let api: ReturnType<typeof caller>;
let own: { Authorization: string };
let tenant: { Authorization: string };

const key: TestKey = {
  kind: "evm",
  name: wallet(3).address,
  sign: (message) => wallet(3).signMessage({ message }),
};
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  service = await startService({ chain: "embedded", env: PROXIED, folds: "all" });
  api = caller(service.url);
  tenant = (await service.issue()).headers;
  const proof = await api.proof(key, "bought-much");
  const { body } = await api.post("/soul/register", {
    agent_id: "bought-much",
    issue_api_key: true,
    ...proof,
  });
  own = { Authorization: `Bearer ${body.api_key}` };
  await api.post("/soul/register", { agent_id: "new-here" });
  const paths = [...Array<string>(9).fill("lounge/menu"), ...Array<string>(3).fill("rng/stats")];
  const answers = await Promise.all(
    paths.map((path) =>
      buy(wallet(3), `${service.url}/v1/agent/${path}`).then(({ answer }) => answer.status),
    ),
  );
  expect(new Set(answers)).toEqual(new Set([200]));
  await agencyOf(service.app).attest(1, 2);
  await until(async () => {
    const { body } = await api.get("/soul/bought-much/dna");
    expect(body).toMatchObject({ events: 12, dna: { social: 0.047619 } });
  });
});
afterAll(() => service.stop());

describe("an agent with a dozen paid calls", () => {
  test("has dimensions, null if unmeasured", async () => {
    const { body } = await api.get("/soul/SX%231/dna");
    expect(body).toMatchObject({
      ...{ agent_id: "bought-much", sx_id: "SX#1", window_days: 90, events: 12, day: dayBefore(0) },
      dna: {
        ...{ risk: 0, curiosity: 0.05, rigor: 0, speed: null },
        ...{ social: 0.047619, memory: 0.038461, creativity: 0.375 },
      },
    });
    expect((await api.get("/soul/1/character")).body).toMatchObject({
      archetype: "creativity",
      traits: [],
      events: 12,
    });
  });

  test("has a history with null, not zero, on days before its registration", async () => {
    const url = `/soul/1/dna/history?from=${dayBefore(1)}`;
    expect((await api.get(url)).status).toBe(401);
    for (const headers of [own, tenant]) {
      const { body } = await api.get(url, headers);
      expect(body.points).toMatchObject([
        { day: dayBefore(1), events: 0, dna: null },
        { day: dayBefore(0), events: 12, dna: { curiosity: 0.05 } },
      ]);
    }
    const weeks = await api.get(`/soul/1/dna/history?from=${dayBefore(365)}&step=week`, own);
    expect(weeks.body.points).toHaveLength(53);
    for (const [query, path] of [
      [`from=${dayBefore(366)}`, "from"],
      [`from=${dayBefore(0)}&to=${dayBefore(1)}`, "from"],
      ["from=2026-02-30", "from"],
      ["step=month", "step"],
    ])
      expect(await api.get(`/soul/1/dna/history?${query}`, own)).toMatchObject({
        status: 400,
        body: { errors: [{ path }] },
      });
  });

  test("has too few events for a drift, and acts only on this weekday", async () => {
    expect((await api.get("/soul/1/drift", own)).body).toMatchObject({
      ...{ verdict: "not_enough", distance: null, deltas: null },
      recent: { days: 30, events: 12 },
      before: { days: 90, events: 0, dna: null },
    });
    const { body } = await api.get("/soul/1/seasonality", own);
    const week = body.week as { weekday: string; hours: number[] }[];
    expect(week.map(({ hours }) => hours.length)).toEqual(Array(7).fill(24));
    expect(body.events).toBe(12);
    expect(week.flatMap(({ hours }) => hours).reduce((a, b) => a + b)).toBe(12);
  });

  test("sees its spending, and no return without a way to earn", async () => {
    const { body } = await api.get("/soul/analytics/roi", own);
    const month = dayBefore(0).slice(0, 7);
    expect(body).toMatchObject({
      ...{ sx_id: "SX#1", spent_usdc: "0.012", earned_usdc: null, roi: null },
      by_area: [
        { area: "lounge", month, calls: 9, spent_usdc: "0.009" },
        { area: "rng", month, calls: 3, spent_usdc: "0.003" },
      ],
    });
    expect((await api.get("/soul/analytics/roi")).status).toBe(401);
    expect((await api.get("/soul/analytics/roi", tenant)).status).toBe(403);
  });
});

test("an agent without calls is a newcomer without dimensions; an unknown one is a 404", async () => {
  expect((await api.get("/soul/new-here/dna")).body).toMatchObject({ events: 0, dna: null });
  expect((await api.get("/soul/new-here/character")).body).toMatchObject({
    archetype: "newcomer",
    traits: [],
  });
  for (const path of ["dna", "character"]) expect((await api.get(`/soul/nobody/${path}`)).status).toBe(404);
  for (const path of ["dna/history", "drift", "seasonality"])
    expect((await api.get(`/soul/nobody/${path}`, own)).status).toBe(404);
});

test("speed is measured once its node has done a task for another tenant", async () => {
  await agencyOf(service.app).task(1, "acme", "paid");
  await until(async () => {
    const { body } = await api.get("/soul/1/dna");
    expect(body.dna).toMatchObject({ speed: 1 });
  });
  expect((await api.get("/soul/1/character")).body).toMatchObject({ archetype: "speed", traits: ["speed"] });
});
