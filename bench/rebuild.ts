/**
 * Claim: all read models are rebuilt from a log of a million events at 20,000 a second, ten times the rate of
 * emmett's consumer for one, in constant memory, while the service answers from the existing ones.
 *
 *     npx tsx bench/rebuild.ts [--events 1000000] [--emmett 20000] [--rps 20]
 *
 * The domain decides the log (mixed-log.ts). A service folds it and gets requests for orders at a steady rate;
 * another process builds each read model as a new version. CPU times depend less on the machine's other load.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openPool } from "../eventstore/pool.ts";
import { createEventStore } from "../eventstore/store.ts";
import { database, orderKey, withDatabase, withService } from "./load.ts";
import { fillMixed } from "./mixed-log.ts";
import { paced } from "./paced.ts";
import { emmettRate } from "./rebuild-emmett.ts";
import type { Rebuilt } from "./rebuild-process.ts";
import { AS_STARTED, type ServiceProcess, startServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    emmett: { type: "string", default: "20000" },
    rps: { type: "string", default: "20" },
  },
});
const seconds = (since: number) => Number(((performance.now() - since) / 1_000).toFixed(1));

async function rebuilt(DATABASE_URL: string): Promise<Rebuilt> {
  const file = fileURLToPath(new URL("rebuild-process.ts", import.meta.url));
  const env = { ...process.env, DATABASE_URL };
  const child = fork(file, { execArgv: [AS_STARTED, "--import", "tsx"], env });
  let result: Rebuilt | undefined;
  child.on("message", (answer) => {
    if (answer !== "begun") result = answer as Rebuilt;
  });
  const [code] = await once(child, "exit");
  if (!result) throw new Error(`the process that rebuilds ended with ${code}`);
  return result;
}

/** Requests orders until `work` is done; the worst second by its p95, and all of them together. */
async function askedMeanwhile<T>(service: ServiceProcess, headers: Record<string, string>, work: Promise<T>) {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const p95_ms: number[] = [];
  while (!isDone) {
    const pace = { rps: Number(values.rps), seconds: 5, connections: 8 };
    p95_ms.push(
      (await paced(service.url, () => ({ path: "/v1/agent/orders?limit=10", headers }), pace)).p95_ms,
    );
  }
  const sorted = p95_ms.toSorted((a, b) => a - b);
  return { result: await done, p95_ms: sorted[sorted.length >> 1]! };
}

await withDatabase(async (bare) => {
  const url = bare.DATABASE_URL!;
  // Orders are read with their sealed values: nobody has the keys, and a service without a vault would not answer.
  const env = { ...bare, SUBJECT_KEYS_URL: await database(url, "vault") };
  const emmett = await emmettRate(await database(url, "emmett"), Number(values.emmett));
  console.log(
    `emmett: ${Math.round(emmett)} events a second into one read model, load ${loadavg()[0]!.toFixed(1)}`,
  );
  const headers = await withService(env, (app) => orderKey(app, "tenant-1"));
  const pool = openPool(url, { max: 4 });
  const store = createEventStore(pool);
  let began = performance.now();
  await fillMixed(store, Number(values.events));
  const { position } = await store.head();
  console.log(`${position} events appended in ${seconds(began)} s`);
  await pool.query("vacuum analyze eventstore.events");
  await store.close();
  began = performance.now();
  const service = await startServiceProcess(env);
  const left = () =>
    pool.query<{ n: number }>("select count(*)::int as n from read.checkpoints where position < $1", [
      position,
    ]);
  while ((await left()).rows[0]!.n > 0) await pause(200);
  console.log(`folded by the service, started anew, in ${seconds(began)} s`);
  await pool.end();
  const quiet = await askedMeanwhile(service, headers, pause(5_000));
  const { result, p95_ms } = await askedMeanwhile(service, headers, rebuilt(url));
  await service.stop();
  const rate = position / result.seconds;
  console.table({
    "events a second": Math.round(rate),
    "× emmett": Number((rate / emmett).toFixed(1)),
    seconds: Number(result.seconds.toFixed(1)),
    "its processor s": Number(result.cpu_s.toFixed(1)),
    "peak MB": result.peak_mb,
    "MB at each tenth": result.memory_mb.join(" "),
    "p95 ms of a read before": quiet.p95_ms,
    "p95 ms of a read meanwhile": p95_ms,
    load: Number(loadavg()[0]!.toFixed(1)),
  });
});
