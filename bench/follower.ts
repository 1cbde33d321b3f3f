/**
 * Claim: the log's copy in KurrentDB has each event once, however often its writer is killed; it takes at least
 * 2,000 events a second, and lags less than two seconds while the log grows by 500 a second. For comparison, the
 * same client writes as many events to a stream each, 64 at a time, like a stream per aggregate.
 *
 *     npx tsx bench/follower.ts [--kills 1000] [--seconds 20] [--rate 500]
 *
 * The store is the tests' fake in a separate process; followers are processes that are killed at random moments,
 * three at a time. At the end the copy is compared with the log, event by event.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pino from "pino";
import { kurrentLog } from "../src/adapters/kurrentdb.ts";
import { type App, withParts } from "../src/core/app.ts";
import { compareOutside } from "../src/outside/copy.ts";
import { followReactor } from "../src/reactors/outside/follow.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";
import { killFollowers, startFollower } from "../test/outside/kill-followers.ts";
import { compile } from "../test/support/compiled.ts";
import { turn } from "../test/support/turns.ts";
import { startKurrentDB } from "./kurrentdb-process.ts";
import { withDatabase } from "./load.ts";
import { median } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    rate: { type: "string", default: "500" },
  },
});
const [kills, seconds, rate] = [values.kills, values.seconds, values.rate].map(Number) as [
  number,
  number,
  number,
];

const STREAM = "bench";
/** Events that are written to a stream each. */
const BESIDE = 20_000;
let made = 0;

/** Appends events of some 300 bytes to their own streams, in one commit. */
async function grow(app: App, count: number): Promise<void> {
  const appends = Array.from({ length: count }, () => ({
    ...{ tenant: "acme", stream_id: `bench-${made++}`, expected_version: 0 },
    events: [{ type: "KeyRevoked", payload: { key_id: `k${made}`, revoked_at: "2026-01-01T00:00:00.000Z" } }],
  }));
  await app.store.append({ appends, meta: { actor: "bench", operation: "bench" } });
}

compile();
await withDatabase(async (bare) => {
  const db = await startKurrentDB();
  const config = readConfig({ ...bare, SANDBOX: "0", ANCHORING: "0" });
  const open = () => kurrentLog({ url: db.url, stream: async () => STREAM });
  const outside = open();
  const env = { DATABASE: bare.DATABASE_URL!, COPY: db.url, STREAM };
  try {
    await withRuntime(
      config,
      pino({ level: "silent" }),
      async ({ app }) => {
        const own: App = withParts(app, { outside });
        const began = performance.now();
        await killFollowers({
          kills,
          env,
          grow: async () => {
            await grow(app, 20);
            await pause(20);
          },
          killed: (count) => {
            if (count % 50 === 0) console.error(`${count} killed`);
          },
        });
        const took = (performance.now() - began) / 1_000;
        const { position } = await app.store.head();
        while ((outside.copied ?? 0) < position) await turn(own, followReactor, { patient: true });
        const whole = await compareOutside(own, outside);
        console.log(
          `${kills} followers killed in ${took.toFixed(0)} s over ${position} events: ${JSON.stringify(whole)}`,
        );

        // Speed: a new follower copies the existing events.
        for (let at = 0; at < 40; at++) await grow(app, 500);
        const head = (await app.store.head()).position;
        const before = performance.now();
        while ((outside.copied ?? 0) < head) await turn(own, followReactor, { patient: true });
        const copying = (performance.now() - before) / 1_000;
        console.log(`copied: ${Math.round((head - position) / copying)} events/s`);

        const { EventStoreDBClient, jsonEvent } = await import("@eventstore/db-client");
        const client = EventStoreDBClient.connectionString(db.url);
        const credentials = { username: "admin", password: "changeit" };
        const writing = performance.now();
        await Promise.all(
          Array.from({ length: 64 }, async (_, one) => {
            for (let at = one; at < BESIDE; at += 64)
              await client.appendToStream(
                `aggregate-${at}`,
                jsonEvent({ type: "KeyRevoked", data: { key_id: `k${at}` } }),
                { credentials },
              );
          }),
        );
        console.log(
          `a stream each: ${Math.round((1_000 * BESIDE) / (performance.now() - writing))} events/s`,
        );
        await client.dispose();

        // Lag: another follower copies the growing log.
        const follower = startFollower(env);
        await new Promise((done) => follower.once("message", done));
        const lags: number[] = [];
        /** When each position was copied. */
        const grown: { position: number; at: number }[] = [];
        const watching = open();
        const end = performance.now() + seconds * 1_000;
        const growing = (async () => {
          for (let next = performance.now(); next < end; next += 100) {
            await grow(app, rate / 10);
            grown.push({ position: (await app.store.head()).position, at: performance.now() });
            await pause(Math.max(0, next + 100 - performance.now()));
          }
        })();
        const until = () => performance.now() < end || grown.length > 0;
        while (until()) {
          const copied = (await watching.newest())?.event.metadata.position ?? 0;
          const now = performance.now();
          while (grown[0] && grown[0].position <= copied) lags.push(now - grown.shift()!.at);
          await pause(10);
        }
        await growing;
        follower.kill("SIGKILL");
        await watching.close();
        lags.sort((a, b) => a - b);
        console.log(
          `lag at ${rate} events/s over ${seconds} s: p50 ${median(lags).toFixed(0)} ms, p99 ${lags[Math.floor(0.99 * (lags.length - 1))]!.toFixed(0)}, at most ${lags.at(-1)!.toFixed(0)}`,
        );
      },
      { chain: false, folds: "requested" },
    );
  } finally {
    await outside.close();
    db.stop();
  }
});
