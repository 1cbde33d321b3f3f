/**
 * Claim: a lost log of a million events is restored in less than five minutes, from a backup folder and from its
 * copy in KurrentDB.
 *
 *     npx tsx bench/restore.ts [--events 1000000] [--segment 262144]
 *
 * Every event is verified, every read model folded. The copy is in the tests' fake of a KurrentDB, a separate
 * process, written by the service's own follower. The final anchor is recorded without a chain. The limit is
 * Postgres reading the same rows by COPY.
 */
import { createHash } from "node:crypto";
import { cp, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import pino from "pino";
import { addToBackup, type BackupSegment } from "../eventstore/files/backup.ts";
import { MAIN_LOG } from "../eventstore/types.ts";
import { copyOfEpoch } from "../src/adapters/kurrentdb.ts";
import { evidenceFor } from "../src/anchoring/gather-evidence.ts";
import { sealTick } from "../src/anchoring/seal-segments.ts";
import { signTick } from "../src/anchoring/sign-growth.ts";
import { type App, withParts } from "../src/core/app.ts";
import * as apiKey from "../src/domain/access/key.ts";
import * as anchors from "../src/domain/anchoring/anchor.ts";
import * as segments from "../src/domain/log/segments.ts";
import { segmentsAfter, segmentsProjection } from "../src/projections/anchoring/segments.ts";
import { followReactor } from "../src/reactors/outside/follow.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";
import { restoreService } from "../src/runtime/restoring.ts";
import { turn } from "../test/support/turns.ts";
import { startKurrentDB } from "./kurrentdb-process.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    segment: { type: "string", default: String(2 ** 18) },
  },
});
const wanted = Number(values.events);
const silent = pino({ level: "silent" });
const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
const db = await startKurrentDB();
const rows: Record<string, string | number>[] = [];

const timed = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
  const before = performance.now();
  const result = await work();
  return [(performance.now() - before) / 1_000, result];
};
const note = (what: string, events: number, seconds: number, more: Record<string, string> = {}) => {
  rows.push({ what, seconds: Number(seconds.toFixed(1)), "events/s": Math.round(events / seconds), ...more });
  console.log(`${what}: ${seconds.toFixed(1)} s ${more.share ?? ""}`);
};

async function fill(app: App): Promise<void> {
  const appended = (from: number) => {
    const id = `bench_${from}`;
    const issued = { tenant: "acme", space: "live", label: "a key of the bench", scopes: ["read"] };
    const payload = (key_id: string) => ({
      ...{ key_id, ...issued, daily: null, monthly: null },
      secret_sha256: createHash("sha256").update(key_id).digest("hex"),
      issued_at: "2026-01-01T00:00:00.000Z",
    });
    return app.store.append({
      appends: Array.from({ length: 250 }, (_, n) => ({
        ...{ tenant: "acme", stream_id: `${apiKey.streamOf(id)}-${n}`, expected_version: 0 },
        events: [{ type: "KeyIssued", payload: payload(`${id}-${n}`) }],
      })),
      meta: { actor: "bench", operation: "bench" },
    });
  };
  for (let at = 0; at < wanted; at += 1_000)
    await Promise.all([0, 250, 500, 750].map((more) => appended(at + more)));
}

async function signAndSeal(app: App): Promise<void> {
  await signTick(app, { checkpoint_every_ms: -60_000 });
  const { origin } = await app.store.identity();
  const target = anchors.targetOf(origin);
  const { size, root } = (await app.load(anchors, target)).checkpoint!;
  const [at, transaction] = ["2026-01-01T00:00:00.000Z", `0x${"7".repeat(64)}` as const];
  const meta = { actor: "bench", operation: "bench" };
  const place = {
    network: "eip155:8453",
    contract: `0x${"c".repeat(40)}`,
    signer: `0x${"5".repeat(40)}`,
  } as const;
  const block = { block_number: 1, block_hash: transaction, timestamp: 1, fee_wei: "1" };
  const anchored = { size, root, ...place, transaction, ...block, anchored_at: at };
  await app.decide(anchors, target, anchors.anchor(anchored), { meta });
  await app.decide(anchors, target, anchors.finalise(transaction, at), { meta });
  await sealTick(app, { events: Number(values.segment) });
  await signTick(app, { checkpoint_every_ms: -60_000 });
}

async function sealedOf(app: App): Promise<BackupSegment[]> {
  const { origin } = await app.store.identity();
  await app.caughtUp(segmentsProjection);
  return (await segmentsAfter(app.pool, {})).map(({ from, to, log_hash, sha256, bytes }) => ({
    ...{ first: from, last: to, log_hash, sha256, bytes },
    write: async (path) => void (await app.objects.getFile(segments.objectOf(origin, sha256), path)),
  }));
}

/** Postgres alone: the rows copied out and into a table with the same columns and indexes. */
async function limit(url: string, file: string): Promise<number> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const { createReadStream, createWriteStream } = await import("node:fs");
  await pipeline(
    owner.query(copyTo("copy eventstore.events to stdout (format binary)")),
    createWriteStream(file),
  );
  await owner.query("create table public.taken (like eventstore.events including all)");
  const [seconds] = await timed(() =>
    pipeline(createReadStream(file), owner.query(copyFrom("copy public.taken from stdin (format binary)"))),
  );
  await owner.query("drop table public.taken");
  await owner.end();
  return seconds;
}

async function restored(what: string, from: string, epoch?: string): Promise<void> {
  const own = await mkdtemp(join(dir, "restored-"));
  await cp(join(dir, "own", "signing.key"), join(own, "signing.key"));
  const began = performance.now();
  let checked = 0;
  const [seconds, { events, contradiction }] = await timed(() =>
    restoreService(readConfig({ DATA_DIR: own, SANDBOX: "0" }), silent, from, {
      epoch,
      progress: (stage) => {
        if (stage === "check") checked = performance.now() - began;
      },
    }),
  );
  if (contradiction !== null) throw new Error(contradiction);
  const share = `${(checked / 1_000).toFixed(1)} s until the last row, ${(seconds - checked / 1_000).toFixed(1)} s for read models`;
  note(what, events, seconds, { share });
  await rm(own, { recursive: true, force: true });
}

try {
  const config = readConfig({ DATA_DIR: join(dir, "own"), SANDBOX: "0", ANCHORING: "0" });
  const [packs, sealed] = [join(dir, "packs"), join(dir, "sealed")];
  const options = { chain: false, folds: "requested" } as const;
  const epoch = await withRuntime(
    config,
    silent,
    async ({ app }) => {
      const [appending] = await timed(() => fill(app));
      note("appended", wanted, appending);
      await app.pool.query("vacuum analyze eventstore.events").catch(() => undefined);
      const [sealing] = await timed(() => signAndSeal(app));
      note("signed, and sealed in segments", wanted, sealing);
      const { position } = await app.store.head();
      const beside = evidenceFor(app);
      const [packing] = await timed(() => addToBackup(app.pool, packs, { log_id: MAIN_LOG, beside }));
      note("backup as a pack", position, packing);
      const parts = await sealedOf(app);
      const [copying] = await timed(() =>
        addToBackup(app.pool, sealed, { log_id: MAIN_LOG, beside, segments: parts }),
      );
      note(`backup as ${parts.length} segments and the rest`, position, copying);
      const identity = await app.store.identity();
      const outside = copyOfEpoch(db.url, identity.epoch, 1);
      const begun = followReactor.begin();
      const [following] = await timed(async () => {
        while ((outside.copied ?? 0) < position) {
          const { status, reason } = await turn(withParts(app, { outside }), followReactor, { begun });
          if (status !== "done") throw new Error(`${status}: ${reason}`);
        }
      });
      note("copied by the follower", position, following);
      await outside.close();
      return identity.epoch;
    },
    options,
  );
  const { startDatabase } = await import("../src/runtime/database.ts");
  const database = await startDatabase(config, silent);
  const file = join(dir, "rows.bin");
  note(
    "limit: Postgres takes the same rows, unchecked, by COPY",
    wanted,
    await limit(database.ownerUrl, file),
    {
      share: `${Math.round((await stat(file)).size / 1e6)} MB`,
    },
  );
  await rm(file);
  await database.release();
  await restored("restored from the pack", packs);
  await restored("restored from segments and the rest", sealed);
  await restored("restored from the copy", db.url, epoch);
  console.table(rows);
} finally {
  db.stop();
  await rm(dir, { recursive: true, force: true });
}
