/**
 * Speed of appending events, next to other ways of writing them, on one Postgres with fsync on:
 *
 *     npx tsx bench/append.ts [--callers 1,16,64,256] [--seconds 1] [--rounds 5] [--preload 0]
 *
 * The contenders alternate in short rounds, and figures are medians over the rounds. `--preload` adds a contender
 * whose log has that many events already, to show that the cost does not grow.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import {
  type Contender,
  emmettPostgres,
  insertSelect,
  plainInsert,
  tallystick,
  tallystickSigned,
} from "./append-contenders.ts";

const { values: args } = parseArgs({
  options: {
    callers: { type: "string", default: "1,16,64,256" },
    seconds: { type: "string", default: "1" },
    rounds: { type: "string", default: "5" },
    preload: { type: "string", default: "0" },
  },
});
const seconds = Number(args.seconds);
const rounds = Number(args.rounds);
const preload = Number(args.preload);

type Round = { rate: number; p50_us: number; p99_us: number };

let serial = 0;

/** Requests per second, and latencies, of `callers` callers that each wait for their answer. */
async function round(contender: Contender, callers: number, duration: number): Promise<Round> {
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + duration * 1000;
  const caller = async () => {
    for (let before = performance.now(); before < end; ) {
      await contender.request(serial++);
      const now = performance.now();
      latencies.push(now - before);
      before = now;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const rate = latencies.length / ((performance.now() - started) / 1000);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))]! * 1000;
  return { rate, p50_us: at(0.5), p99_us: at(0.99) };
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

async function inDatabase(ownerUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return ownerUrl.replace(/\/[^/]*$/, `/${name}`);
}

/** Rows of real size; their hashes are made up, which costs the same. */
async function fill(url: string, events: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`insert into eventstore.events
    select 1, n, 'tenant-' || n % 50, 'old-' || n / 5, n % 5 + 1, gen_random_uuid(), 'PaymentClaimed', 1, n,
           convert_to(repeat('x', 300), 'UTF8'), convert_to(repeat('y', 150), 'UTF8'),
           h, h, h, h, h, 'old-' || n, h, 1
      from generate_series(1, ${events}) n, lateral sha256(int8send(n)) h`);
  await client.query("vacuum analyze eventstore.events");
  await client.query("checkpoint");
  await client.end();
}

async function compare(ownerUrl: string, callers: number): Promise<void> {
  const ours = await inDatabase(ownerUrl, `ours_${callers}`);
  const contenders = [
    await plainInsert(await inDatabase(ownerUrl, `plain_${callers}`), callers),
    await emmettPostgres(await inDatabase(ownerUrl, `emmett_${callers}`)),
    await tallystick(ours, "one"),
    await tallystickSigned(await inDatabase(ownerUrl, `signed_${callers}`), join(dir, `signed_${callers}`)),
    await tallystick(await inDatabase(ownerUrl, `three_${callers}`), "three"),
  ];
  if (preload > 0) {
    const full = await inDatabase(ownerUrl, `full_${callers}`);
    const contender = await tallystick(full, "one");
    await fill(full, preload);
    contenders.push({ ...contender, name: `tallystick after ${preload} events` });
  }
  for (const contender of contenders) await round(contender, callers, seconds / 2);
  const results = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]));
  const limits: number[] = [];
  for (let i = 0; i < rounds; i++) {
    for (const contender of contenders)
      results.get(contender)!.push(await round(contender, callers, seconds));
    limits.push(await insertSelect(ours, 20_000));
  }
  const plain = results.get(contenders[0]!)!;
  const emmett = results.get(contenders[1]!)!;
  const limit = median(limits);
  const ratio = (mine: Round[], other: Round[], of: keyof Round) =>
    median(mine.map((r, i) => r[of] / other[i]![of])).toFixed(2);
  console.log(`\n${callers} callers`);
  console.table(
    Object.fromEntries(
      [...results].map(([contender, mine]) => [
        contender.name,
        {
          "requests/s": Math.round(median(mine.map((r) => r.rate))),
          "p50 µs": Math.round(median(mine.map((r) => r.p50_us))),
          "p99 µs": Math.round(median(mine.map((r) => r.p99_us))),
          "× emmett": ratio(mine, emmett, "rate"),
          "× plain": ratio(mine, plain, "rate"),
          "latency × plain": ratio(mine, plain, "p50_us"),
          "events/s ÷ limit": (
            (median(mine.map((r) => r.rate)) * (contender.name.includes("3 events") ? 3 : 1)) /
            limit
          ).toFixed(2),
        },
      ]),
    ),
  );
  console.log(`limit: one INSERT … SELECT of the same rows and indexes: ${Math.round(limit)} events/s`);
  for (const contender of contenders) await contender.close();
}

const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
await chmod(dir, 0o755);
const server = await embeddedPostgres({
  dir: join(dir, "postgres"),
  settings: { shared_buffers: "'1GB'", max_wal_size: "'8GB'", max_connections: "200" },
});
try {
  for (const callers of args.callers.split(",").map(Number)) await compare(server.ownerUrl, callers);
} finally {
  await server.leave();
  await rm(dir, { recursive: true, force: true });
}
