/** The operators' metrics: each area's gauges at /metrics, and every metric that dashboards and alerts use. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { areas } from "../../src/areas/index.ts";
import { startService } from "../support/service.ts";

let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  service = await startService({ chain: "embedded", reactors: true, env: { GAS_BUDGET_ETH: "0.5" } });
});
afterAll(() => service?.stop());

/** A metric's samples: its labels as printed, and its value. */
async function samples(name: string): Promise<[string, number][]> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"));
  return [...lines].map(([, labels = "", value]) => [labels, Number(value)]);
}

const only = async (name: string): Promise<number> => {
  const [[, value], ...others] = (await samples(name)) as [[string, number], ...unknown[]];
  expect(others).toEqual([]);
  return value;
};

const documented = async () => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return new Set([...text.matchAll(/^# HELP (\S+) /gm)].map(([, name]) => name!));
};

describe("gauges", () => {
  test("report the log's position, and how much of it is unproven", async () => {
    await service.issue();
    // The service appends by itself, so the value is between the ones before and after.
    const before = (await service.app.store.head()).position;
    const results = [
      ["", await only("tallystick_log_position")],
      ...(await samples("tallystick_unproven_events")),
    ];
    const after = (await service.app.store.head()).position;
    expect(results.map(([labels]) => labels)).toEqual(["", 'beyond="checkpoint"', 'beyond="anchor"']);
    for (const [, value] of results) {
      expect(value).toBeGreaterThanOrEqual(before);
      expect(value).toBeLessThanOrEqual(after);
    }
    // Nothing was signed, so no age is reported.
    expect(await samples("tallystick_checkpoint_age_seconds")).toEqual([]);
    expect(await only("tallystick_log_contradicted")).toBe(0);
  });

  test("report the gas, without a budget for worthless money", async () => {
    expect(await only("tallystick_gas_left_eth")).toBeGreaterThan(1);
    expect(await only("tallystick_gas_spent_eth")).toBeGreaterThanOrEqual(0);
    expect(await samples("tallystick_gas_budget_eth")).toEqual([]);
    expect(await only("tallystick_send_queue")).toBe(0);
    expect(await only("tallystick_refunds_open")).toBe(0);
    expect(await only("tallystick_refunds_open_usdc")).toBe(0);
  });

  test("report the state of webhooks, vintages and connections", async () => {
    expect(await only("tallystick_webhooks_waiting")).toBe(0);
    expect(await only("tallystick_webhooks_overdue_seconds")).toBe(0);
    expect((await samples("tallystick_database_connections")).map(([labels]) => labels)).toEqual([
      'state="used"',
      'state="idle"',
      'state="awaited"',
    ]);
  });

  test("that cannot be read are left out, and the others are reported", async () => {
    const { chain } = service.app;
    const { balance } = chain;
    chain.balance = () => Promise.reject(new Error("away"));
    try {
      expect(await samples("tallystick_gas_left_eth")).toEqual([]);
      expect(await samples("tallystick_log_position")).toHaveLength(1);
    } finally {
      chain.balance = balance;
    }
  });

  test("have unique names and a description", () => {
    const gauges = areas.flatMap(({ gauges = [] }) => gauges);
    expect(new Set(gauges.map(({ name }) => name)).size).toBe(gauges.length);
    for (const { help } of gauges) expect(help).toMatch(/^.{15,200}$/);
  });
});

describe("the files in docker/watching", () => {
  const named = (text: string) => new Set(text.match(/\b(?:tallystick|process|nodejs)_\w+/g));
  /** The names that Prometheus derives from a histogram. */
  const base = (name: string) => name.replace(/_(?:bucket|count|sum)$/, "");
  const textOf = (file: string) => readFileSync(`docker/watching/${file}`, "utf8");

  test.each(["alerts.yml", "dashboard.json"])("%s reads existing metrics", async (file) => {
    const there = await documented();
    expect([...named(textOf(file))].map(base).filter((name) => !there.has(name))).toEqual([]);
  });

  test("read every gauge, by dashboard and alerts together", () => {
    const read = named(textOf("alerts.yml") + textOf("dashboard.json"));
    const gauges = areas.flatMap(({ gauges = [] }) => gauges.map(({ name }) => name));
    expect(gauges.filter((name) => !read.has(name))).toEqual([]);
  });

  test("let Prometheus scrape each process under the expected job, and load the alerts", () => {
    type Scraping = {
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
      rule_files: string[];
    };
    const { scrape_configs, rule_files } = parse(textOf("prometheus.yml")) as Scraping;
    const jobs = new Set((textOf("alerts.yml") + textOf("dashboard.json")).match(/job=\\?"(\w+)/g));
    expect([...jobs].map((job) => job.replace(/.*"/, ""))).toEqual(
      expect.arrayContaining(scrape_configs.map(({ job_name }) => job_name)),
    );
    const { services } = parse(readFileSync("docker-compose.yml", "utf8")) as { services: object };
    const requests = scrape_configs.flatMap(({ static_configs }) =>
      static_configs.flatMap(({ targets }) => targets.map((target) => target.replace(/:3000$/, ""))),
    );
    expect(requests.filter((host) => !(host in services))).toEqual([]);
    expect(rule_files.map((file) => file.replace(/.*\//, ""))).toEqual(["alerts.yml"]);
  });

  test("simultaneous scrapes get the same answer", async () => {
    const answer = await Promise.all(
      Array.from({ length: 4 }, async () => (await fetch(`${service.url}/metrics`)).text()),
    );
    for (const text of answer) expect(text).toMatch(/^tallystick_log_position \d+$/m);
    for (const text of answer) expect(text).toMatch(/^tallystick_projection_behind_events\{/m);
  });

  test("each alert is explained to operators", () => {
    const { groups } = parse(textOf("alerts.yml")) as { groups: { rules: { alert: string }[] }[] };
    const page = readFileSync("docs/operating.md", "utf8");
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect(alerts.filter((alert) => !page.includes(`| \`${alert}\` |`))).toEqual([]);
  });
});
