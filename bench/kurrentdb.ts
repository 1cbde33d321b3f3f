/**
 * Claim: the copy in a KurrentDB is the log, or the follower names why it is not; under deletes, truncation, kills and foreign writers.
 *
 *     npx tsx bench/kurrentdb.ts --url 'esdb://admin:changeit@127.0.0.1:2113?tls=false' [--events 20000,1000000] [--kills 50]
 *         [--stop 'docker kill kurrent' --start 'docker start kurrent'] [--http http://127.0.0.1:2113]
 *     npx tsx bench/kurrentdb.ts --fake --events 300 --kills 2
 *
 * Each scenario ends in one line, PASS, FAIL or SKIP, and one FAIL makes the exit code 1. `--stop` and `--start` are the shell commands
 * that kill and start the server. `--only delete` runs the scenarios with that word in their names. `--http` is the address that starts a scavenge. `--fake` starts the fake of the tests as the server.
 */
import { execSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import pino from "pino";
import { MAIN_LOG } from "../eventstore/types.ts";
import { verifyDatabase } from "../eventstore/verify/verify-database.ts";
import { copyStreamOf, kurrentLog, partsOf } from "../src/adapters/kurrentdb.ts";
import { type App, withParts } from "../src/core/app.ts";
import { type OutsideLog, OutsideUnavailable } from "../src/core/model/ports/outside-log.ts";
import { compareOutside } from "../src/outside/copy.ts";
import { followReactor } from "../src/reactors/outside/follow.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";
import { restoreService } from "../src/runtime/restoring.ts";
import { killFollowers } from "../test/outside/kill-followers.ts";
import { compile } from "../test/support/compiled.ts";
import { KurrentDB } from "../test/support/kurrentdb.ts";
import { turn } from "../test/support/turns.ts";
import { withDatabase } from "./load.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    fake: { type: "boolean", default: false },
    events: { type: "string", default: "20000,1000000" },
    kills: { type: "string", default: "50" },
    stop: { type: "string" },
    start: { type: "string" },
    http: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const fake = values.fake ? new KurrentDB() : undefined;
await fake?.open();
const url = fake?.url ?? values.url;
if (url === undefined) throw new Error("--url is missing: give the server's address, esdb://…, or --fake");

const silent = pino({ level: "silent" });
const run = randomUUID().slice(0, 8);
const client = EventStoreDBClient.connectionString(url);
/** With credentials an append is one call; the client's batches wait forever when a connection breaks. */
const { username, password } = partsOf(url);
const credentials = { username, password };
const opened: OutsideLog[] = [];
const copyAt = (name: string, at = url): OutsideLog => {
  const outside = kurrentLog({ url: at, stream: async () => name });
  opened.push(outside);
  return outside;
};

class Skipped extends Error {}

/** Runs a scenario and prints its verdict; the scenario returns its evidence, or throws. */
async function scenario(name: string, work: () => Promise<string>): Promise<void> {
  if (!name.includes(values.only)) return;
  const began = performance.now();
  const line = (verdict: string, text: string) =>
    console.log(`${verdict}  ${name}: ${text} (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
  try {
    line("PASS", await work());
  } catch (error) {
    if (error instanceof Skipped) return line("SKIP", error.message);
    line("FAIL", (error as Error).message);
    process.exitCode = 1;
  }
}

function check(holds: boolean, found: unknown): asserts holds {
  if (!holds) throw new Error(`found ${JSON.stringify(found)}`);
}

let made = 0;
async function grow(app: App, count: number): Promise<void> {
  const meta = { actor: "bench", operation: "bench" };
  for (let left = count; left > 0; left -= 250) {
    const appends = Array.from({ length: Math.min(250, left) }, () => ({
      ...{ tenant: "acme", stream_id: `bench-${made++}`, expected_version: 0 },
      events: [
        { type: "KeyRevoked", payload: { key_id: `k${made}`, revoked_at: "2026-01-01T00:00:00.000Z" } },
      ],
    }));
    await app.store.append({ appends, meta });
  }
}

const headOf = async (app: App) => (await app.store.head()).position;

async function follow(app: App, outside: OutsideLog): Promise<void> {
  const begun = followReactor.begin();
  let unreached = 0;
  while ((outside.copied ?? 0) < (await headOf(app))) {
    const outcome = await turn(withParts(app, { outside }), followReactor, { begun, patient: true });
    // A busy server may miss a deadline; the service's reactor continues too.
    unreached = outcome.status === "unreached" ? unreached + 1 : 0;
    if (unreached > 0 && unreached < 60) await pause(1_000);
    else check(outcome.status === "done" || outcome.status === "idle", outcome);
  }
}

async function isWhole(app: App, outside: OutsideLog): Promise<string> {
  const compared = await compareOutside(app, outside);
  const head = await headOf(app);
  check("same" in compared && compared.same === head && compared.missing === 0, compared);
  return `${head} events are the log's`;
}

/** The first status with which a follower stops: the previous one, and a new one. */
async function stops(app: App, name: string, attack: () => Promise<void>, wanted: string[]): Promise<string> {
  const outside = copyAt(name);
  const begun = followReactor.begin();
  const step = (one = begun) =>
    turn(withParts(app, { outside }), followReactor, { begun: one, patient: true });
  await grow(app, 20);
  await follow(app, outside);
  await step();
  await attack();
  await grow(app, 1);
  const followed = await step();
  check(wanted.includes(followed.status), followed);
  const begunAnew = await step(followReactor.begin());
  check(wanted.includes(begunAnew.status), begunAnew);
  return `${followed.status}, then ${begunAnew.status}: ${begunAnew.reason}`;
}

async function scavenge(): Promise<void> {
  if (fake) return fake.scavenge();
  if (!values.http) throw new Skipped("--http is missing: the address that starts a scavenge");
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  const answer = await fetch(`${values.http}/admin/scavenge`, { method: "POST", headers: { authorization } });
  check(answer.ok, { status: answer.status, body: await answer.clone().text() });
  const { scavengeId } = (await answer.json()) as { scavengeId: string };
  for (;;) {
    await pause(500);
    const range = { direction: "backwards", fromRevision: "end", maxCount: 1 } as const;
    let newest = "";
    try {
      for await (const { event } of client.readStream(`$scavenges-${scavengeId}`, range))
        newest = event?.type ?? "";
    } catch (error) {
      if ((error as { type?: string }).type !== "stream-not-found") throw error;
    }
    if (newest === "$scavengeCompleted") return;
  }
}

async function serverKilled(app: App): Promise<string> {
  if (!fake && !(values.stop && values.start)) throw new Skipped("--stop and --start are missing");
  const outside = copyAt(`bench-server-${run}`);
  await follow(app, outside);
  const begun = followReactor.begin();
  const step = () => turn(withParts(app, { outside }), followReactor, { begun, patient: true });
  if (fake) fake.close();
  else execSync(values.stop!);
  await grow(app, 100);
  const away = await step();
  if (fake) await fake.open();
  else execSync(values.start!);
  check(away.status === "unreached", away);
  let back = await step();
  while (back.status === "unreached") {
    await pause(1_000);
    back = await step();
  }
  check(back.status === "done" || back.status === "idle", back);
  return isWhole(app, outside);
}

async function large(app: App, size: number): Promise<string> {
  const newest = await copyAt(copyStreamOf((await app.store.identity()).epoch, 1)).newest();
  check(newest !== undefined, newest);
  const payload = Buffer.from(JSON.stringify("x".repeat(size - 2)));
  const metadata = { ...newest.event.metadata, position: 1 };
  const event = { ...newest.event, event_id: randomUUID(), payload, metadata };
  try {
    check(await copyAt(`bench-${size}-${run}`).append(0, [event]), "another revision");
    return "the server takes it";
  } catch (error) {
    if (!(error instanceof OutsideUnavailable)) throw error;
    check(error.status === "oversized" && size > 1_000_000, error.message);
    return `the server refuses it by name: ${error.message}`;
  }
}

async function wrongUser(): Promise<string> {
  if (!fake && (username === "" || /[?&]tls=false/i.test(url!)))
    throw new Skipped("the client sends users over TLS alone: give an address with a user and TLS");
  const wrong = fake ? url! : url!.replace(`${username}:${encodeURIComponent(password)}@`, "nobody:wrong@");
  if (fake) fake.denies = true;
  const error = await copyAt(`bench-user-${run}`, wrong)
    .newest()
    .then(
      () => undefined,
      (one) => one as OutsideUnavailable,
    );
  if (fake) fake.denies = false;
  check(error?.status === "denied", error?.message ?? "an answer");
  return error.message;
}

async function restored(app: App): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-restored-"));
  try {
    const { epoch } = await app.store.identity();
    const config = readConfig({ DATA_DIR: dir, SANDBOX: "0", ANCHORING: "0", LOG_LEVEL: "error" });
    const { events } = await restoreService(config, silent, url!, { epoch });
    const options = { chain: false, folds: "requested" } as const;
    const verdict = await withRuntime(
      config,
      silent,
      (runtime) => verifyDatabase(runtime.app.pool, MAIN_LOG),
      options,
    );
    check(verdict.ok, verdict);
    return `${events} events restored and verified`;
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 10 });
  }
}

compile();
await withDatabase(async (bare) => {
  const config = readConfig({ ...bare, SANDBOX: "0", ANCHORING: "0" });
  const work = async ({ app }: { app: App }) => {
    const { epoch } = await app.store.identity();
    const named = (name: string) => `bench-${name}-${run}`;
    for (const [at, size] of values.events.split(",").map(Number).entries()) {
      await scenario(`copy of ${size} events`, async () => {
        await grow(app, size - (await headOf(app)));
        const outside = copyAt(at === 0 ? copyStreamOf(epoch, 1) : named(`copy-${size}`));
        await follow(app, outside);
        return isWhole(app, outside);
      });
      if (at > 0) continue;
      await scenario("restore and verify", () => restored(app));
      await scenario("event of 1,000,000 bytes", () => large(app, 1_000_000));
      await scenario("event of 1,048,576 bytes", () => large(app, 1_048_576));
      await scenario("followers killed", async () => {
        const STREAM = named("killed");
        const env = { DATABASE: bare.DATABASE_URL!, COPY: url!, STREAM };
        await killFollowers({
          kills: Number(values.kills),
          env,
          grow: () => grow(app, 20).then(() => pause(20)),
        });
        const outside = copyAt(STREAM);
        await follow(app, outside);
        return isWhole(app, outside);
      });
      await scenario("server killed", () => serverKilled(app));
      await scenario("second writer", () => {
        const name = named("writer");
        const foreign = jsonEvent({ type: "Foreign", data: {} });
        return stops(
          app,
          name,
          async () => void (await client.appendToStream(name, foreign, { credentials })),
          ["diverged"],
        );
      });
      await scenario("soft delete", () => {
        const name = named("deleted");
        const attack = async () => void (await client.deleteStream(name));
        return stops(app, name, attack, ["deleted", "truncated"]);
      });
      await scenario("soft delete and scavenge", () => {
        const name = named("scavenged");
        const attack = async () => {
          await client.deleteStream(name);
          await scavenge();
        };
        return stops(app, name, attack, ["deleted", "truncated"]);
      });
      await scenario("tombstone", () => {
        const name = named("tombstone");
        return stops(app, name, async () => void (await client.tombstoneStream(name)), ["deleted"]);
      });
      await scenario("$maxCount", () => {
        const name = named("count");
        return stops(
          app,
          name,
          async () => void (await client.setStreamMetadata(name, { maxCount: 10 }, { credentials })),
          ["truncated"],
        );
      });
      await scenario("wrong user", wrongUser);
    }
  };
  try {
    await withRuntime(config, silent, work, { chain: false, folds: "requested" });
  } finally {
    for (const outside of opened) await outside.close();
  }
});
await client.dispose();
fake?.close();
