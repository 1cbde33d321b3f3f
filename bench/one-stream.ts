/**
 * Commits per second of one stream by one process and by several, each depending on the previous one, and the
 * processes' shares: none may starve.
 *
 *     npx tsx bench/one-stream.ts [--seconds 5] [--processes 1,2,4] [--callers 64]
 *
 * `callers` are those of all processes together. For comparison: appends to separate streams, by one process.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { migrate } from "../eventstore/migrate.ts";
import { openPool } from "../eventstore/pool.ts";
import { registry } from "../eventstore/schemas.ts";
import { createEventStore } from "../eventstore/store.ts";
import { absentSubjects } from "../src/adapters/subject-vault.ts";
import { StreamCache } from "../src/core/commands/stream-cache.ts";
import { StreamLocks } from "../src/core/commands/stream-locks.ts";
import { transact } from "../src/core/commands/transact.ts";
import type { UnitParts } from "../src/core/commands/unit.ts";
import type { Entity, EventOf } from "../src/core/model/entity.ts";
import { Refusal } from "../src/core/model/refusal.ts";
import { appendRate, withDatabase } from "./load.ts";

const events = { Counted: { 1: z.strictObject({ to: z.int() }) } };
const counter: Entity<number, EventOf<typeof events>> = {
  prefix: "counter-",
  events,
  streamOf: (id) => `counter-${id}`,
  initialState: () => 0,
  evolve: (_, { data }) => data.to,
};

type RoundInput = { url: string; stream: string; callers: number; seconds: number };
type RoundCount = { done: number; refused: number; runs: number; most_runs: number; worst_ms: number };

if (process.send) await count(JSON.parse(process.argv[2]!) as RoundInput);
else await compare();

/** Increments the stream's counter, and returns how often. */
async function count({ url, stream, callers, seconds }: RoundInput): Promise<void> {
  const schemas = registry([events]);
  const pool = openPool(url);
  const store = createEventStore(pool, { schemas });
  const locks = new StreamLocks(pool);
  const objects = { put: () => Promise.reject(new Error("nothing is stored here")) };
  const subjects = absentSubjects();
  const parts: UnitParts = { store, schemas, cache: new StreamCache(), locks, subjects, objects };
  const counted: RoundCount = { done: 0, refused: 0, runs: 0, most_runs: 0, worst_ms: 0 };
  const end = Date.now() + seconds * 1_000;
  const caller = async () => {
    while (Date.now() < end) {
      let runs = 0;
      const begun = performance.now();
      const work = transact(parts, { meta: { actor: "bench" } }, ({ decide }) => {
        runs++;
        return decide(counter, { tenant: "bench", id: stream }, (before) => [
          { type: "Counted", data: { to: before + 1 } },
        ]);
      });
      await work.then(
        () => counted.done++,
        (error) => {
          if (!(error instanceof Refusal)) throw error;
          counted.refused++;
        },
      );
      counted.runs += runs;
      counted.most_runs = Math.max(counted.most_runs, runs);
      counted.worst_ms = Math.max(counted.worst_ms, performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await store.close();
  process.send!(counted);
  process.disconnect?.();
}

async function compare(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "5" },
      processes: { type: "string", default: "1,2,4" },
      callers: { type: "string", default: "64" },
    },
  });
  const [seconds, connections] = [Number(values.seconds), Number(values.callers)];
  await withDatabase(async (env) => {
    const url = env.DATABASE_URL!;
    await migrate(url, { host: "bench.example" });
    const appends = await appendRate(env, { seconds, connections });
    const rows = [];
    for (const processes of values.processes.split(",").map(Number)) {
      const round: RoundInput = {
        url,
        stream: String(processes),
        callers: Math.ceil(connections / processes),
        seconds,
      };
      const all = await Promise.all(Array.from({ length: processes }, () => countedBy(round)));
      const done = all.map((one) => one.done);
      const total = done.reduce((sum, one) => sum + one, 0);
      rows.push({
        processes,
        "a second": Math.round(total / seconds),
        "÷ appends": (total / seconds / appends).toFixed(2),
        "least of the processes": `${Math.round((100 * Math.min(...done)) / total)} %`,
        "runs each": (all.reduce((sum, one) => sum + one.runs, 0) / total).toFixed(2),
        "most runs": Math.max(...all.map((one) => one.most_runs)),
        "worst ms": Math.round(Math.max(...all.map((one) => one.worst_ms))),
        refused: all.reduce((sum, one) => sum + one.refused, 0),
      });
    }
    console.table(rows);
  });
}

async function countedBy(round: RoundInput): Promise<RoundCount> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [JSON.stringify(round)]);
  const [counted] = (await once(child, "message")) as [RoundCount];
  return counted;
}
