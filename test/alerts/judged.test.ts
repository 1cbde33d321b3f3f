/**
 * Alerts do not depend on other subscriptions: a release is evaluated as a whole, and matched to subscriptions
 * afterwards.
 */
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manifestPath, readManifest, vintageDigest } from "../../src/datasets/manifest.ts";
import { alertsProjection } from "../../src/projections/alerts/subscriptions.ts";
import { alerts, alertsInput } from "../../src/projections/trade/answers/alerts.ts";
import { releasesProjection } from "../../src/projections/trade/releases.ts";
import { MONTHS } from "../../src/reactors/alerts/evaluate.ts";
import { releaseVintage } from "../support/cube.ts";
import { LARGER, opened, SMALL, sandboxIn } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { development, takeAlertTurn } from "./delivery-setup.ts";

/** Some chapters, each whole, that do not make up all trade: what a dataset of chosen chapters looks like. */
const BELT = "belt";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: development });
  await releaseBelt(SMALL);
});
afterAll(() => service.stop());

async function releaseBelt(scale: number): Promise<void> {
  const { app, data_dir } = service;
  const sandbox = await readManifest(data_dir, await sandboxIn(data_dir, scale));
  const named = { ...sandbox, dataset: BELT, synthetic: false };
  const { products } = sandbox.coverage;
  const coverage = { ...sandbox.coverage, products: { ...products, national: false } };
  const vintage = vintageDigest(named);
  await writeFile(manifestPath(data_dir, vintage), JSON.stringify({ ...named, coverage, vintage }));
  await releaseVintage(app, data_dir, vintage);
  await opened(service, [vintage]);
}

async function subscribe(tenant: string, watch: object): Promise<string> {
  const { headers } = await service.issue({ tenant });
  const response = await fetch(`${service.url}/v1/agent/trade/alerts/subscribe`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ url: "http://127.0.0.1:1025/hook", ...watch }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(201);
  return JSON.parse(text).data.subscription_id;
}

type Finding = {
  reporter: string;
  product: string;
  flow: string;
  period: string;
  z: number;
  p_adjusted: number;
};
const lineOf = ({ reporter, product, flow, period, z, p_adjusted }: Finding) =>
  `${reporter} ${product} ${flow} ${period} ${z} ${p_adjusted}`;

/** The alerts of a subscription, as lines. */
async function alertsOf(id: string): Promise<string[]> {
  const { rows } = await service.app.pool.query<{ finding: Finding }>(
    `select convert_from(payload, 'UTF8')::jsonb->'finding' as finding from eventstore.events
     where type = 'AlertTriggered' and stream_id like '%' || $1`,
    [id],
  );
  return rows.map(({ finding }) => lineOf(finding)).toSorted();
}

async function evaluated(): Promise<void> {
  const { position } = await service.app.store.head();
  for (const projection of [alertsProjection, releasesProjection])
    await service.app.runner.reached(projection, position, 10_000);
  await takeAlertTurn(service.app);
}

test("a subscription to all chapters gets the findings of trade_alerts, whatever others watch", async () => {
  const alone = await subscribe("alone", {});
  const named = await subscribe("named", { dataset: BELT });
  const chapter = await subscribe("chapter", { hs: "27" });
  await releaseBelt(LARGER);
  const trade = { vintages: service.app.data.vintages, allow_synthetic: true };
  const found = await alerts(trade, alertsInput.parse({ months: MONTHS, dataset: BELT }));
  const expected = found.data.alerts.map(lineOf).toSorted();
  expect(found.meta.significant).toBe(expected.length);
  expect(new Set(found.data.alerts.map(({ product }) => product)).size).toBeGreaterThan(1);
  await evaluated();
  expect(await alertsOf(alone)).toEqual(expected);
  expect(await alertsOf(named)).toEqual(expected);
  // A chapter is a part of the whole: the same figures, the same chances.
  expect(await alertsOf(chapter)).toEqual(expected.filter((line) => line.split(" ")[1] === "27"));
  expect(await alertsOf(chapter)).not.toEqual([]);
  const { rows } = await service.app.pool.query<{ evaluated: { significant: number } }>(
    `select convert_from(payload, 'UTF8')::jsonb as evaluated from eventstore.events where type = 'AlertsEvaluated'`,
  );
  expect(rows.map((row) => row.evaluated.significant)).toEqual([expected.length]);
});

test("the answer names the countries that a watch judges", async () => {
  const { headers } = await service.issue();
  const judgedBy = async (watch: object) => {
    const response = await fetch(`${service.url}/v1/agent/trade/alerts/subscribe`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ url: "http://127.0.0.1:1025/hook", dataset: BELT, ...watch }),
    });
    return ((await response.json()) as { data: { judged_reporters: string[] } }).data.judged_reporters;
  };
  expect(await judgedBy({})).toHaveLength(27);
  expect(await judgedBy({ reporter: "DE" })).toEqual(["DE"]);
  expect(await judgedBy({ hs: "01012100" })).toEqual([]);
});

test("data that do not exist yet can be watched, and the watch says what it waits for", async () => {
  const { headers } = await service.issue();
  const post = async (watch: object) => {
    const response = await fetch(`${service.url}/v1/agent/trade/alerts/subscribe`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify({ url: "http://127.0.0.1:1025/hook", ...watch }),
    });
    const { data } = (await response.json()) as { data: { status: string; waiting_for: string | null } };
    return [response.status, data.status, data.waiting_for];
  };
  expect(await post({ dataset: "comext-ds-999" })).toEqual([
    201,
    "active",
    "the dataset comext-ds-999: it is not released",
  ]);
  const lacking = await post({ dataset: BELT, hs: "01012100" });
  expect(lacking).toEqual([
    201,
    "active",
    expect.stringMatching(/^data: belt covers .*not 01012100|^data: belt covers/),
  ]);
  expect(await post({ dataset: BELT, from: "2099-01" })).toEqual([
    201,
    "active",
    expect.stringMatching(/^data: belt ends in 20\d\d-\d\d, before 2099-01$/),
  ]);
  expect(await post({ dataset: BELT, from: "2024-01" })).toEqual([201, "active", null]);
});
