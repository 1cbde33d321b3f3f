/**
 * Claims: wal-since over HTTP gives a consumer in another process at least half the events per second of COPY TO
 * STDOUT for the same rows, and the service's memory does not depend on its consumers' speed.
 *
 *     npx tsx bench/feed.ts [--events 1000000] [--rounds 3]
 *
 * The contenders alternate, each in a separate process; figures are medians over the rounds.
 */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { to } from "pg-copy-streams";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { issueReadKey, median, startServiceProcess } from "./service-process.ts";

const run = promisify(execFile);

const COLUMNS = "position, stream_id, version, event_id, type, schema_version, recorded_at_us";
const copied = (columns: string) =>
  `copy (select ${COLUMNS}, ${columns} from eventstore.events
          where log_id = 1 and tenant = 'acme' order by position) to stdout`;
const COPIES = {
  "COPY, bytea in hex": copied("payload, meta, event_hash, prev_hash"),
  "COPY, JSON as text": copied(
    "convert_from(payload, 'UTF8'), convert_from(meta, 'UTF8'), encode(event_hash, 'hex'), encode(prev_hash, 'hex')",
  ),
};

type RoundFigures = { lines: number; bytes: number; seconds: number };

/** Reads to the end, counting lines. */
async function consume(open: () => Promise<Readable>): Promise<RoundFigures> {
  const begun = performance.now();
  let lines = 0;
  let bytes = 0;
  for await (const chunk of await open()) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  }
  return { lines, bytes, seconds: (performance.now() - begun) / 1000 };
}

const feedOf = (url: string, secret: string): Promise<IncomingMessage> =>
  new Promise((done, fail) => {
    const path = "/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z";
    get(url + path, { headers: { Authorization: `Bearer ${secret}` } }, (response) => {
      if (response.statusCode === 200) done(response);
      else fail(new Error(`the feed answered ${response.statusCode}`));
    }).once("error", fail);
  });

/** The consumer's process: one round, printed as JSON. */
async function turn([contender, ...args]: string[]): Promise<RoundFigures> {
  if (contender === "feed") return consume(() => feedOf(args[0]!, args[1]!));
  const client = new pg.Client({ connectionString: args[0]! });
  await client.connect();
  const read = await consume(async () => client.query(to(COPIES[contender as keyof typeof COPIES])));
  await client.end();
  return read;
}

async function inChild(...args: string[]): Promise<RoundFigures> {
  const script = fileURLToPath(import.meta.url);
  const { stdout } = await run(process.execPath, [...process.execArgv, script, "--", "turn", ...args]);
  return JSON.parse(stdout) as RoundFigures;
}

/** Rows of real size after the head; their hashes are no chain, which a feed does not check. */
async function fill(url: string, events: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into eventstore.events
     select 1, head + n, 'acme', 'order-' || n / 5, n % 5 + 1, gen_random_uuid(), 'OrderPlaced', 1, now_us + n,
            convert_to('{"currency":"EUR","customer":{"country":"LV","name":"'
              || case when n % 10 = 0 then 'Jānis Bērziņš' else 'Smith & Sons' end
              || '","vat":"LV40003000000"},"lines":[{"price":"12.500000","product":"44013100","quantity":' || n % 33
              || '}],"note":"deliver to the \\"yard\\"","order_id":"' || n || '"}', 'UTF8'),
            convert_to('{"actor":"key:k_0123456789abcdef01234567","commit":"' || encode(h, 'hex')
              || '","operation":"orders.create","request_id":"' || n || '"}', 'UTF8'),
            h, h, h, h, h, null, null, 1
       from generate_series(1, ${events}) n, lateral sha256(int8send(n)) h,
            (select coalesce(max(position), 0) as head from eventstore.events) as log,
            (select (extract(epoch from clock_timestamp()) * 1e6)::int8 as now_us) as clock`,
  );
  await client.query("vacuum analyze eventstore.events");
  await client.query("checkpoint");
  await client.end();
}

/** Otherwise projections would read the new events during the first rounds. */
async function projectionsRest(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const behind = `select from read.checkpoints
                   where position < (select max(position) from eventstore.events) limit 1`;
  while ((await client.query(behind)).rowCount !== 0) await pause(200);
  await client.end();
}

/** Peak memory while `readers` consumers take a chunk every few milliseconds and stop after `seconds`. */
async function slowReaders(
  service: { url: string; memory(): number },
  secret: string,
  readers: number,
  seconds: number,
) {
  const end = performance.now() + seconds * 1000;
  let peak = 0;
  let bytes = 0;
  const read = async () => {
    const response = await feedOf(service.url, secret);
    for await (const chunk of response) {
      bytes += chunk.length;
      await pause(20);
      if (performance.now() > end) break;
    }
    response.destroy();
  };
  const sampler = setInterval(() => {
    peak = Math.max(peak, service.memory());
  }, 250);
  await Promise.all(Array.from({ length: readers }, read));
  clearInterval(sampler);
  return { peak, bytes };
}

async function main(events: number, rounds: number): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  const server = await embeddedPostgres({
    dir: join(dir, "postgres"),
    settings: { shared_buffers: "'1GB'", max_wal_size: "'8GB'" },
  });
  const env = { DATABASE_URL: server.ownerUrl, DATA_DIR: join(dir, "data") };
  try {
    const secret = await issueReadKey(env, "acme");
    await fill(server.ownerUrl, events);
    const service = await startServiceProcess(env);
    await projectionsRest(server.ownerUrl);
    const idle = service.memory();
    const turns = new Map<string, RoundFigures[]>();
    const keep = (name: string, made: RoundFigures) => turns.set(name, [...(turns.get(name) ?? []), made]);
    let peak = 0;
    for (let round = 0; round < rounds; round++) {
      for (const name of Object.keys(COPIES)) keep(name, await inChild(name, server.ownerUrl));
      keep("wal-since", await inChild("feed", service.url, secret));
      peak = Math.max(peak, service.memory());
    }
    const rateOf = (made: RoundFigures) => made.lines / made.seconds;
    const feed = turns.get("wal-since")!;
    console.log(`${feed[0]!.lines - 1} events of one tenant; medians of ${rounds} rounds`);
    console.table(
      Object.fromEntries(
        [...turns].map(([name, made]) => [
          name,
          {
            "events/s": Math.round(median(made.map(rateOf))),
            "MB/s": Math.round(median(made.map((m) => m.bytes / m.seconds / 1e6))),
            "wal-since beside it": median(feed.map((m, i) => rateOf(m) / rateOf(made[i]!))).toFixed(2),
          },
        ]),
      ),
    );
    const one = await slowReaders(service, secret, 1, 15);
    const fifty = await slowReaders(service, secret, 50, 15);
    const mb = (n: number) => `${Math.round(n)} MB`;
    console.log(`memory of the service: ${mb(idle)} idle, ${mb(peak)} after the rounds above`);
    console.log(`  ${mb(one.peak)} with one slow reader (${mb(one.bytes / 1e6)} in 15 s)`);
    console.log(`  ${mb(fifty.peak)} with 50 slow readers (${mb(fifty.bytes / 1e6)} in 15 s)`);
    await service.stop();
  } finally {
    await server.leave();
    await rm(dir, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
  },
  allowPositionals: true,
});
if (positionals[0] === "turn") console.log(JSON.stringify(await turn(positionals.slice(1))));
else await main(Number(values.events), Number(values.rounds));
