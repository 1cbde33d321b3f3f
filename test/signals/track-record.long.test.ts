/** The sandbox is released once: its last year is lived through month by month, so that its bets are decided like those on real releases. */
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type App, withParts } from "../../src/core/app.ts";
import { SMALL } from "../../src/datasets/sandbox.ts";
import type { Lease } from "../../src/datasets/vintage-store.ts";
import { MONTHS_BEFORE, type MonthEvaluated } from "../../src/domain/signals/evaluation.ts";
import type * as trades from "../../src/domain/signals/paper-trade.ts";
import { releaseSandboxTables } from "../../src/operator/reference.ts";
import { releaseSandbox } from "../../src/operator/releases.ts";
import { signalsReactor } from "../../src/reactors/signals/evaluate.ts";
import { limits } from "../datasets/workshop.ts";
import { startProgram } from "../support/compiled.ts";
import { copyOfDatabase, type FreshDatabase } from "../support/database.ts";
import { preparedDatabase } from "../support/prepared-database.ts";
import { opened } from "../support/sandbox.ts";
import { startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { numbers } from "./series.ts";

type Service = Awaited<ReturnType<typeof startService>>;
type Trade = trades.Opened & { status: string; ended_by: string | null };
type Stats = {
  strategies: { strategy: string; synthetic: boolean; n: number; open: number; brier: number | null }[];
};
type Recorded = { stream_id: string; type: string; payload: string };

/** Times are in the events: with one clock two logs can be compared to the byte. */
const frozen = (app: App): App => withParts(app, { clock: { now: () => new Date("2026-03-01T12:00:00Z") } });

/** A first start's months, and of its chapters the weightiest: those that are bet on are among them. */
const size = { ...SMALL, chapters: 12 };

/** A log and a folder with the sandbox released and not evaluated: each service gets copies. */
let original: { database: FreshDatabase; data_dir: string; vintages: string[] };
async function releaseOriginal(): Promise<void> {
  const database = await preparedDatabase();
  const data_dir = await mkdtemp(join(tmpdir(), "tallystick-record-"));
  const first = await startService({ beside: { data_dir, database_url: database.url } });
  const app = frozen(first.app);
  const { facts } = await releaseSandbox(app, { data_dir, limits, size });
  const tables = await releaseSandboxTables(app, data_dir);
  await first.stop();
  original = {
    ...{ database, data_dir },
    vintages: [facts.vintage, ...tables.map((table) => table.facts.vintage)],
  };
}

const services: Service[] = [];
const copies: { database: FreshDatabase; data_dir: string }[] = [];
async function withSandbox(): Promise<Service> {
  const database = await copyOfDatabase(original.database);
  const data_dir = await mkdtemp(join(tmpdir(), "tallystick-record-"));
  copies.push({ database, data_dir });
  await cp(original.data_dir, data_dir, { recursive: true });
  const service = await startService({ beside: { data_dir, database_url: database.url } });
  services.push(service);
  await opened(service, original.vintages);
  return service;
}

let service: Service;
beforeAll(async () => {
  await releaseOriginal();
  service = await withSandbox();
});
afterAll(async () => {
  for (const one of services.toReversed()) await one.stop();
  for (const { database, data_dir } of [...copies, original]) {
    await database.drop();
    await rm(data_dir, { recursive: true, force: true });
  }
});

const evaluateAll = (app: App) => turn(frozen(app), signalsReactor, { patient: true });

/** The reactor's records, in the log's order. */
async function recorded({ app }: Service): Promise<Recorded[]> {
  const sql = `select stream_id, type, convert_from(payload, 'UTF8') as payload from eventstore.events
    where stream_id like 'papertrade-%' or stream_id like 'signals-%' order by position`;
  return (await app.pool.query<Recorded>(sql)).rows;
}

async function get<Data>(path: string, { url } = service): Promise<Data> {
  const response = await fetch(`${url}/v1/agent/signals/${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return ((await response.json()) as { data: Data }).data;
}

/** All of a status, page by page. */
async function allTrades(status: string): Promise<Trade[]> {
  const found: Trade[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = `status=${status}&limit=100${cursor && `&cursor=${cursor}`}`;
    const response = await fetch(`${service.url}/v1/agent/signals/trades?${query}`);
    const page = (await response.json()) as { data: Trade[]; meta: { next_cursor: string | null } };
    found.push(...page.data);
    cursor = page.meta.next_cursor;
  }
  return found;
}

const isOfMonth = (month: string) => (event: Recorded) =>
  event.type === "SignalsMonthEvaluated" &&
  (JSON.parse(event.payload) as MonthEvaluated).as_of_month === month;

test("a new sandbox has decided bets, all of them synthetic", async () => {
  expect(await evaluateAll(service.app)).toEqual({ status: "done" });
  const { strategies } = await get<Stats>("stats?days=365");
  for (const one of strategies) expect(one.synthetic).toBe(true);
  const n = strategies.reduce((sum, one) => sum + one.n, 0);
  const closed = await allTrades("closed");
  expect(closed.length).toBe(n);
  expect(n).toBeGreaterThan(100);
  expect(strategies.find(({ strategy }) => strategy === "momentum")).toMatchObject({
    brier: expect.toSatisfy((score) => score > 0 && score < 1),
  });
  for (const one of closed) {
    expect(one).toMatchObject({ synthetic: true, ended_by: one.vintages[0] });
    // A late reporter has not delivered the last month that others have.
    expect(one.as_of_month! <= one.statement.month).toBe(true);
  }
  // The mirror looks at partners that have delivered more than the reporter, as some have in each of these months.
  expect(new Set(closed.map(({ strategy }) => strategy))).toContain("mirror");
  const { strategies: tried } = await get<{ strategies: { decided: number; needed: number }[] }>(
    "prediction",
  );
  expect(tried.some(({ decided, needed }) => decided >= needed)).toBe(true);
});

test("open bets rest on the whole vintage, and every month was evaluated once and in order", async () => {
  const open = await allTrades("open");
  expect(open.some(({ as_of_month }) => as_of_month === null)).toBe(true);
  const months = (await recorded(service))
    .filter(({ stream_id, type }) => stream_id === "signals-sandbox" && type === "SignalsMonthEvaluated")
    .map(({ payload }) => (JSON.parse(payload) as MonthEvaluated).as_of_month);
  expect(months).toEqual(
    Array.from({ length: MONTHS_BEFORE }, (_, at) =>
      at === 0 ? "2024-12" : `2025-${String(at).padStart(2, "0")}`,
    ),
  );
});

test("a second process, and another tick of the first, add nothing", async () => {
  const before = await recorded(service);
  const second = await startService({ beside: service });
  try {
    const { vintages, reference } = service.app.data;
    await opened(
      second,
      [...vintages.open(), ...reference.open()].map(({ vintage }) => vintage),
    );
    await evaluateAll(second.app);
    await evaluateAll(service.app);
    expect(await recorded(service)).toEqual(before);
  } finally {
    await second.stop();
  }
});

const LAST_OF_PAST = 202506;

/** Every figure after a month replaced by noise. */
function poisoned(app: App): App {
  const next = numbers(7);
  const noise = <Row>(row: Row): Row => {
    const { period } = row as { period?: number };
    if (period === undefined || period <= LAST_OF_PAST) return row;
    const figures = Object.entries(row as object).filter(([name]) => /eur|value/.test(name));
    return { ...row, ...Object.fromEntries(figures.map(([name]) => [name, Math.round(1e9 * next())])) };
  };
  const lease = (dataset: string): Lease => {
    const real = app.data.vintages.lease(dataset);
    return {
      ...real,
      // Sums of whole years would be read past the queries.
      partitions: real.partitions.map((partition) => ({ ...partition, rollup: undefined })),
      query: async <Row>(...request: Parameters<Lease["query"]>) =>
        (await real.query<Row>(...request)).map(noise),
      release: () => real.release(),
    };
  };
  const { vintages } = app.data;
  const noisy = { open: () => vintages.open(), awaited: () => vintages.awaited(), lease };
  return withParts(app, { data: { ...app.data, vintages: noisy } });
}

test("another future leaves everything up to a month unchanged, to the byte", async () => {
  const other = await withSandbox();
  await evaluateAll(poisoned(other.app));
  const [events, others] = [await recorded(service), await recorded(other)];
  const upTo = (of: Recorded[], month: string) => of.slice(0, of.findIndex(isOfMonth(month)) + 1);
  const past = upTo(events, "2025-06");
  expect(past.filter(({ type }) => type === "PaperTradeClosed").length).toBeGreaterThan(50);
  expect(upTo(others, "2025-06")).toEqual(past);
  // The month after it closes the same bets by other figures.
  expect(upTo(others, "2025-07")).not.toEqual(upTo(events, "2025-07"));
});

test("a killed evaluation continues where it ended, with the same result", async () => {
  const other = await withSandbox();
  const child = startProgram("test/signals/killed-evaluator.ts", [], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: inject("runDir"),
      DATABASE: other.database_url,
      DATA: other.data_dir,
      AFTER: "5",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
  const half = await recorded(other);
  expect(half.filter(({ type }) => type === "SignalsMonthEvaluated").length).toBe(5);
  await evaluateAll(other.app);
  const whole = await recorded(other);
  expect(whole.slice(0, half.length)).toEqual(half);
  const without = (events: Recorded[]) => events.map(({ stream_id, type }) => ({ stream_id, type }));
  expect(without(whole)).toEqual(without(await recorded(service)));
});
