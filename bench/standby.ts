/**
 * Reads from replicas: their rate, and whether a reader ever gets less than it required. Each standby is a copy of
 * the primary's folder that streams later changes, on the same machine.
 *
 *   pairs      one process appends, another lists from a standby with alternating replay: with the token, and without
 *   reads      lists and explorer pages per second of a process with no, one and two standbys, next to the list's
 * query alone on the primary
 *
 *     npx tsx bench/standby.ts [--pairs 10000] [--callers 16] [--seconds 5] [--rounds 3]
 *
 * Figures are medians over alternating rounds.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { openPool } from "../eventstore/pool.ts";
import { recentStreams } from "../src/projections/anchoring/streams.ts";
import { type Standby, startCluster } from "../test/support/standby.ts";
import { orderKey, startDrawingService, takeTurns, tellRates, withService } from "./load.ts";
import { type ServiceProcess, startServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "10000" },
    callers: { type: "string", default: "16" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
  },
});
const wanted = Number(values.pairs);
const callers = Number(values.callers);
const seconds = Number(values.seconds);

type Headers = Record<string, string>;

/**
 * A read's result. `stale`: less than required; `unsaid`: and its `as_of_position` claims more; `refused`: a 503,
 * to be retried.
 */
type Outcome = "fresh" | "stale" | "unsaid" | "refused";

/** One write and one read of its change. */
async function pair(
  { writer, reader, headers }: { writer: string; reader: string; headers: Headers },
  by_token: boolean,
): Promise<Outcome> {
  const written = await fetch(`${writer}/v1/agent/rng/roll`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ client_seed: "bench" }),
  });
  const token = written.headers.get("log-position");
  if (written.status !== 200 || !token) throw new Error(`a roll: ${written.status} ${await written.text()}`);
  const read = await fetch(`${reader}/log/streams?limit=1`, {
    headers: by_token ? { "Min-Log-Position": token } : {},
  });
  if (read.status === 503) return "refused";
  if (read.status !== 200) throw new Error(`a list: ${read.status} ${await read.text()}`);
  const { streams, as_of_position } = (await read.json()) as {
    streams: { last_position: number }[];
    as_of_position: number;
  };
  const position = Number(token.split(".")[1]);
  if (streams[0]!.last_position >= position) return "fresh";
  return as_of_position < position ? "stale" : "unsaid";
}

/** Pauses replay for a third of every half second, until stopped. */
async function disturb(standby: Standby, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await standby.pause();
    await pause(300);
    await standby.resume();
    await pause(200);
  }
}

async function pairs(at: Parameters<typeof pair>[0], standby: Standby, by_token: boolean) {
  const ending = new AbortController();
  const disturbing = disturb(standby, ending.signal);
  let left = wanted;
  const counts = { fresh: 0, stale: 0, unsaid: 0, refused: 0 };
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) counts[await pair(at, by_token)]++;
    }),
  );
  const took_s = (performance.now() - began) / 1_000;
  ending.abort();
  await disturbing;
  return { pairs: wanted, ...counts, "a second": Math.round(wanted / took_s) };
}

async function gets(url: string): Promise<number> {
  const answer = await autocannon({ url, connections: callers, duration: seconds });
  if (answer.non2xx + answer.errors > 0) throw new Error(JSON.stringify(answer.statusCodeStats));
  return answer["2xx"] / answer.duration;
}

async function queries(database_url: string): Promise<number> {
  const pool = openPool(database_url, { max: callers });
  const end = performance.now() + seconds * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (; performance.now() < end; done++) await recentStreams(pool, 10);
    }),
  );
  await pool.end();
  return done / seconds;
}

const cluster = await startCluster();
const DATA_DIR = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
const services: ServiceProcess[] = [];
try {
  const env = {
    ...{ DATABASE_URL: cluster.url, DATA_DIR, ANCHORING: "0", LOG_LEVEL: "error" },
    ...{ SEED_ROLLS: "1000000000", OPEN_CALLS_PER_MINUTE: "1000000" },
  };
  const headers = await withService(env, (app) => orderKey(app, "acme"));
  const none = await startDrawingService(env, headers);
  services.push(none);
  const standbys = [await cluster.standby(), await cluster.standby()];
  const over = async (count: number) => {
    const READ_DATABASE_URLS = standbys
      .slice(0, count)
      .map(({ url }) => url)
      .join(",");
    const service = await startServiceProcess({ ...env, READ_DATABASE_URLS });
    services.push(service);
    return service;
  };
  const one = await over(1);
  const at = { writer: none.url, reader: one.url, headers };
  console.table({
    "with tokens": await pairs(at, standbys[0]!, true),
    "without tokens": await pairs(at, standbys[0]!, false),
  });
  const two = await over(2);
  const measured: [string, () => Promise<number>][] = [
    ["the list's query alone, on the primary", () => queries(cluster.url)],
  ];
  for (const [kind, path] of [
    ["list", "/log/streams?limit=10"],
    ["explorer", "/log/events?limit=10"],
  ])
    for (const [name, { url }] of [
      ["no standby", none],
      ["1 standby", one],
      ["2 standbys", two],
    ] as const)
      measured.push([`${kind}, ${name}`, () => gets(url + path)]);
  tellRates(await takeTurns(measured, Number(values.rounds)), { "÷ query alone": measured[0]![0] });
} finally {
  for (const service of services) await service.stop();
  await cluster.stop();
  await rm(DATA_DIR, { recursive: true, force: true });
}
