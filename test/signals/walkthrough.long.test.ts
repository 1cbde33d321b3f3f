/** Two releases: the first opens paper trades, the second decides them, and callers are shown both. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type * as evaluation from "../../src/domain/signals/evaluation.ts";
import * as trades from "../../src/domain/signals/paper-trade.ts";
import { tradeSeries } from "../../src/projections/signals/series.ts";
import { signalsReactor } from "../../src/reactors/signals/evaluate.ts";
import { startProgram } from "../support/compiled.ts";
import { startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { releaseMonths } from "./months.ts";

type Trade = trades.Opened & {
  status: string;
  outcome: boolean | null;
  pnl: number | null;
  ended_by: string | null;
};
type Stats = {
  strategies: { strategy: string; n: number; open: number; pnl: number; synthetic: boolean }[];
  backtest: { dataset: string; simulated_vintages: boolean; strategies: { strategy: string; n: number }[] }[];
};

let service: Awaited<ReturnType<typeof startService>>;
let first: string;
beforeAll(async () => {
  service = await startService();
  first = await releaseMonths(service, 202412, null);
});
afterAll(() => service.stop());

async function get<Data>(path: string): Promise<{ data: Data; meta: Record<string, unknown> }> {
  const response = await fetch(`${service.url}/v1/agent/signals/${path}`);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as { data: Data; meta: Record<string, unknown> };
}

const evaluations = async () =>
  (
    await service.app.pool.query<{ payload: string }>(
      "select convert_from(payload, 'UTF8') as payload from eventstore.events where type = 'SignalsEvaluated' order by position",
    )
  ).rows.map(({ payload }) => JSON.parse(payload) as evaluation.Evaluated);

test("a process killed after its evaluation of a release and before the record leaves nothing", async () => {
  const child = startProgram("test/signals/killed-evaluator.ts", [], {
    env: {
      PATH: process.env.PATH,
      TMPDIR: inject("runDir"),
      DATABASE: service.database_url,
      DATA: service.data_dir,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
  expect(await evaluations()).toEqual([]);
  expect((await get<Trade[]>("trades")).data).toEqual([]);
});

test("a release opens trades on the next month, with their vintages, and is evaluated once", async () => {
  expect(await turn(service.app, signalsReactor, { patient: true })).toEqual({ status: "done" });
  const { data } = await get<Trade[]>("trades?limit=100");
  expect(data.length).toBeGreaterThan(2);
  const released = await service.app.pool.query("select position from read.trade_releases_v1");
  for (const one of data) {
    expect(one).toMatchObject({
      status: "open",
      pnl: null,
      synthetic: false,
      vintages: [first],
      as_of_month: null,
    });
    expect(one.as_of_position).toBe(Number(released.rows[0].position));
    expect(Math.abs(one.p - one.line)).toBeGreaterThanOrEqual(0.1);
    // DE has delivered December; FR has not.
    const { statement } = one;
    if (statement.kind !== "above_last_year") throw new Error("a table was bet on that is not there");
    expect(statement.month).toBe(statement.reporter === "FR" ? "2024-12" : "2025-01");
  }
  expect(await turn(service.app, signalsReactor)).toEqual({ status: "done" });
  expect((await get<Trade[]>("trades?limit=100")).data).toEqual(data);
  expect(await evaluations()).toMatchObject([{ vintage: first, opened: data.length, ended: 0 }]);
});

test("hypothetical results are separate from actual ones", async () => {
  const { data } = await get<Stats>("stats");
  expect(data.strategies.map(({ n }) => n)).toEqual(data.strategies.map(() => 0));
  const [tested] = data.backtest;
  expect(tested).toMatchObject({ simulated_vintages: true, synthetic: false });
  const of = (name: string) => tested!.strategies.find(({ strategy }) => strategy === name)!.n;
  expect(of("momentum")).toBeGreaterThan(10);
  // In one vintage no partner has delivered earlier than others.
  expect(of("mirror")).toBe(0);
});

test("the next release closes open trades by its own figures, and opens others", async () => {
  const before = (await get<Trade[]>("trades?limit=100")).data;
  const second = await releaseMonths(service, 202501, first);
  await turn(service.app, signalsReactor);
  const after = (await get<Trade[]>("trades?limit=100")).data;
  const closed = after.filter(({ status }) => status === "closed");
  expect(closed.map(({ trade_id }) => trade_id).toSorted()).toEqual(
    before.map(({ trade_id }) => trade_id).toSorted(),
  );
  for (const { side, outcome, pnl, line, stake, ended_by } of closed) {
    expect(ended_by).toBe(second);
    const cost = side === "yes" ? line : 1 - line;
    const isWon = outcome === (side === "yes");
    expect(pnl).toBeCloseTo(isWon ? (stake * (1 - cost)) / cost : -stake, 4);
  }
  const { data } = await get<Stats>("stats?days=1");
  expect(data.strategies.reduce((sum, { n }) => sum + n, 0)).toBe(closed.length);
  const won = closed.reduce((sum, { pnl }) => sum + pnl!, 0);
  expect(data.strategies.reduce((sum, { pnl }) => sum + pnl, 0)).toBeCloseTo(won, 3);
  expect((await get<Trade[]>("trades?status=open")).data.length).toBe(after.length - closed.length);
});

test("a month of zero trade decides its bets, even where the whole chapter has no row", async () => {
  const before = (await get<Trade[]>("trades?status=open&limit=100")).data;
  const [first_open] = before.map(({ statement }) => statement);
  if (first_open?.kind !== "above_last_year") throw new Error("no trade of a chapter is open");
  const chapter = first_open.hs;
  const silent = before.filter(({ statement }) => (statement as typeof first_open).hs === chapter);
  const [, current] = (await evaluations()).map(({ vintage }) => vintage);
  const third = await releaseMonths(service, 202502, current!, { chapter, from: 202501 });
  await turn(service.app, signalsReactor);
  const after = new Map((await get<Trade[]>("trades?limit=100")).data.map((one) => [one.trade_id, one]));
  for (const { trade_id, side } of silent) {
    expect(after.get(trade_id)).toMatchObject({ status: "closed", outcome: false, ended_by: third });
    expect(Math.sign(after.get(trade_id)!.pnl!)).toBe(side === "no" ? 1 : -1);
  }
  const lease = service.app.data.vintages.lease(service.app.data.vintages.open()[0]!.dataset);
  try {
    const all = await tradeSeries(lease, []);
    const medicines = all.filter(({ subject }) => subject.kind === "above_last_year" && subject.hs === "30");
    expect(medicines.length).toBe(4);
    for (const { values } of medicines)
      expect(values.every((value) => value === 0 || value === null)).toBe(true);
  } finally {
    lease.release();
  }
  // The next release has trade again, and bets.
  await releaseMonths(service, 202503, third);
  await turn(service.app, signalsReactor);
});

test("too few decided trades predict nothing, and their number is stated", async () => {
  const { data } = await get<{ predictions: object[]; strategies: { decided: number; needed: number }[] }>(
    "prediction",
  );
  expect(data.predictions).toEqual([]);
  for (const { decided, needed } of data.strategies) expect(decided).toBeLessThan(needed);
});

test("undecided trades expire after 120 days", async () => {
  const { data } = await get<Trade[]>("trades?status=open");
  const ends = data.map(({ decides_by }) => Date.parse(`${decides_by}T00:00:00Z`));
  const now = (days: number) => () => new Date(Math.max(...ends) + days * 86_400_000);
  await turn({ ...service.app, clock: { now: now(0) } }, signalsReactor);
  expect((await get<Trade[]>("trades?status=expired")).data).toEqual([]);
  await turn({ ...service.app, clock: { now: now(1) } }, signalsReactor);
  const expired = (await get<Trade[]>("trades?status=expired&limit=100")).data;
  expect(expired.map(({ trade_id }) => trade_id)).toEqual(data.map(({ trade_id }) => trade_id));
  const state = await service.app.load(trades, trades.targetOf(expired[0]!.trade_id));
  expect(state).toMatchObject({ status: "expired" });
});

test.each([
  ["stats?days=0", "days"],
  ["stats?days=366", "days"],
  ["trades?status=won", "status"],
  ["trades?strategy=luck", "strategy"],
  ["prediction?month=2025-13", "month"],
])("%s is refused, naming %s", async (path, field) => {
  const response = await fetch(`${service.url}/v1/agent/signals/${path}`);
  const { errors } = (await response.json()) as { errors: { path: string }[] };
  expect([response.status, errors.map((error) => error.path)]).toEqual([400, [field]]);
});
