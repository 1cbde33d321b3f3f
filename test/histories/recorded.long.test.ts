/**
 * The history of four processes on one log, some of them killed meanwhile, is strictly serialisable.
 * HISTORY_SECONDS makes it longer than the default of 10 seconds.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore } from "../../eventstore/store.ts";
import { startProgram } from "../support/compiled.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { scaled } from "../support/scale.ts";
import { anomaliesOf, type Op, type Transaction } from "./list-append.ts";
import { type ListFixture, prefix } from "./lists.ts";

const SECONDS = scaled(10, 3);
const PROCESSES = 4;
const LEAST = 200;
const LEAST_KILLED = 3;
/** Values of one process; none has so many. */
const RANGE = 10_000_000;

let database: FreshDatabase;
type Running = { child: ChildProcess; ended: Promise<unknown>; hasCommitted: boolean };
const running = new Set<ChildProcess>();
beforeEach(async () => {
  database = await freshDatabase();
  await migrate(database.url, { host: "log.test" });
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  await database?.drop();
});

/** The recorded history, extended by each line; `killed_every_ms` kills a process, and another replaces it. */
async function recorded(
  answer: Omit<ListFixture, "url" | "name" | "first">,
  { seconds, killed_every_ms, least = 0 }: { seconds: number; killed_every_ms?: number; least?: number },
): Promise<{ history: Transaction[]; killed: number }> {
  const history = new Map<string, Transaction>();
  let started = 0;
  let killed = 0;
  const start = (): Running => {
    const first = started++ * RANGE;
    const args: ListFixture = { ...answer, url: database.url, name: `p${started}`, first };
    const child = startProgram("test/histories/clients.ts", [JSON.stringify(args)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    running.add(child);
    child.once("exit", () => running.delete(child));
    const one: Running = {
      child,
      hasCommitted: false,
      ended: once(child, "close").then(([code, signal]) => {
        if (code !== 0 && signal !== "SIGKILL")
          throw new Error(`a process of the history ended with ${code}`);
      }),
    };
    createInterface({ input: child.stdout! }).on("line", (line) => {
      // A killed process may leave half a line.
      if (!line.endsWith("}")) return;
      const transaction = JSON.parse(line) as Transaction;
      history.set(transaction.id, transaction);
      one.hasCommitted ||= transaction.outcome === "ok";
    });
    return one;
  };
  const children = Array.from({ length: PROCESSES }, start);
  const end = Date.now() + seconds * 1_000;
  // A slow machine takes longer to do the least that is checked.
  const isOver = () =>
    Date.now() >= end &&
    (killed_every_ms === undefined || killed >= LEAST_KILLED) &&
    count([...history.values()], "ok") >= least;
  while (!isOver()) {
    await setTimeout(killed_every_ms ?? Math.max(100, end - Date.now()));
    if (killed_every_ms === undefined || isOver()) continue;
    const at = killed % PROCESSES;
    if (!children[at]!.hasCommitted) continue;
    killed++;
    children[at]!.child.kill("SIGKILL");
    await children[at]!.ended;
    children[at] = start();
  }
  for (const { child } of children) child.stdin!.end();
  await Promise.all(children.map(({ ended }) => ended));
  return { history: [...history.values(), ...(await lastReads())], killed };
}

/** All lists at the end. */
async function lastReads(): Promise<Transaction[]> {
  const pool = openPool(database.url);
  try {
    const store = createEventStore(pool);
    const begun = Number(process.hrtime.bigint()) / 1e6;
    const lists = new Map<string, number[]>();
    for (let after = 0; ; ) {
      const page = await store.readLog({ after, limit: 1_000 });
      for (const { stream_id, payload } of page) {
        const key = stream_id.slice(prefix.length);
        lists.set(key, [...(lists.get(key) ?? []), payload.value as number]);
      }
      if (page.length === 0) break;
      after = page.at(-1)!.position;
    }
    const ops: Op[] = [...lists].map(([key, values]) => ({ read: key, values }));
    return [{ id: "the end", ops, outcome: "ok", begun, ended: begun + 1 }];
  } finally {
    await pool.end();
  }
}

const count = (history: readonly Transaction[], outcome: Transaction["outcome"]) =>
  history.filter((one) => one.outcome === outcome).length;

test("every acknowledged append of four processes, one of them killed repeatedly, is in the log, in one order", async () => {
  const { history, killed } = await recorded(
    { clients: 6, lists: 6 },
    { seconds: SECONDS, killed_every_ms: 1_500, least: LEAST },
  );
  console.log(
    `${history.length} transactions: ${count(history, "ok")} done, ${count(history, "failed")} refused, ${count(history, "unknown")} unknown; ${killed} processes killed`,
  );
  expect(killed).toBeGreaterThanOrEqual(LEAST_KILLED);
  expect(count(history, "ok")).toBeGreaterThanOrEqual(LEAST);
  // A killed process had commits under way.
  expect(count(history, "unknown")).toBeGreaterThan(0);
  expect(anomaliesOf(history)).toEqual([]);
});

test.each(["guards", "ties"] as const)("commits without their %s are noticed", async (leaves_out) => {
  const { history } = await recorded({ clients: 6, lists: 3, leaves_out }, { seconds: SECONDS / 3 });
  expect(anomaliesOf(history)).not.toEqual([]);
});
