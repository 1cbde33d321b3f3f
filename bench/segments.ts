/**
 * Sealing a log's segments, reading and verifying them, compared with the same rows without segments:
 *
 *     npx tsx bench/segments.ts [--events 3200000] [--segment 1048576]
 *
 * The final anchor is recorded without a chain; all else is the service's. The files are in a folder.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import pino from "pino";
import { exportFile } from "../eventstore/files/export.ts";
import { segmentsAsExport } from "../eventstore/files/segment-export.ts";
import { openSegment } from "../eventstore/files/segment-file.ts";
import { MAIN_LOG } from "../eventstore/types.ts";
import { storedPages } from "../eventstore/verify/stored-rows.ts";
import { openExport, verifyExport } from "../eventstore/verify/verify-export.ts";
import { sealTick } from "../src/anchoring/seal-segments.ts";
import { signTick } from "../src/anchoring/sign-growth.ts";
import * as apiKey from "../src/domain/access/key.ts";
import * as anchors from "../src/domain/anchoring/anchor.ts";
import * as segments from "../src/domain/log/segments.ts";
import { openRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";

const { values: args } = parseArgs({
  options: {
    events: { type: "string", default: "3200000" },
    segment: { type: "string", default: String(segments.SEGMENT_EVENTS) },
  },
});
const wanted = Number(args.events);
const segment = Number(args.segment);

const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
const config = readConfig({ DATA_DIR: dir, SANDBOX: "0" });
const { app, close } = await openRuntime(config, pino({ level: "silent" }), {
  chain: false,
  folds: "requested",
});
const timed = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
  const before = performance.now();
  const result = await work();
  return [(performance.now() - before) / 1_000, result];
};
const printRound = (name: string, events: number, seconds: number, more = "") =>
  console.log(
    `${name}: ${seconds.toFixed(1)} s, ${Math.round(events / seconds).toLocaleString("en")} events/s${more}`,
  );

try {
  const { origin } = await app.store.identity();
  const [appending] = await timed(async () => {
    const appended = async (from: number) => {
      const id = `bench_${from}`;
      const issued = { tenant: "acme", space: "live", label: "a key of the bench", scopes: ["read"] };
      const payload = (key_id: string) => ({
        ...{ key_id, ...issued, daily: null, monthly: null },
        secret_sha256: createHash("sha256").update(key_id).digest("hex"),
        issued_at: "2026-01-01T00:00:00.000Z",
      });
      await app.store.append({
        appends: Array.from({ length: 250 }, (_, n) => ({
          ...{ tenant: "acme", stream_id: `${apiKey.streamOf(id)}-${n}`, expected_version: 0 },
          events: [{ type: "KeyIssued", payload: payload(`${id}-${n}`) }],
        })),
        meta: { actor: "bench", operation: "bench" },
      });
    };
    for (let at = 0; at < wanted; at += 1_000)
      await Promise.all([0, 250, 500, 750].map((more) => appended(at + more)));
  });
  printRound("appended", wanted, appending);
  await app.pool.query("vacuum analyze eventstore.events");

  const [signing, outcome] = await timed(() => signTick(app, { checkpoint_every_ms: -60_000 }));
  if (outcome !== "done") throw new Error(`not signed: ${JSON.stringify(outcome)}`);
  const target = anchors.targetOf(origin);
  const { size, root } = (await app.load(anchors, target)).checkpoint!;
  printRound("tree and checkpoint", size, signing);
  const meta = { actor: "bench", operation: "bench" };
  const [at, transaction] = ["2026-01-01T00:00:00.000Z", `0x${"7".repeat(64)}` as const];
  const place = {
    network: "eip155:8453",
    contract: `0x${"c".repeat(40)}`,
    signer: `0x${"5".repeat(40)}`,
  } as const;
  const block = { block_number: 1, block_hash: transaction, timestamp: 1, fee_wei: "1" };
  await app.decide(
    anchors,
    target,
    anchors.anchor({ size, root, ...place, transaction, ...block, anchored_at: at }),
    { meta },
  );
  await app.decide(anchors, target, anchors.finalise(transaction, at), { meta });

  const sealed = Math.floor(size / segment) * segment;
  const range = { log_id: MAIN_LOG, after: 0, to: sealed };
  const [table] = await timed(async () => {
    for await (const _ of storedPages(app.pool, range));
  });
  printRound("read from the table", sealed, table);

  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50);
  const lag = monitorEventLoopDelay({ resolution: 5 });
  lag.enable();
  const [sealing, sealOutcome] = await timed(() => sealTick(app, { events: segment }));
  lag.disable();
  clearInterval(watch);
  if (sealOutcome !== "idle") throw new Error(`not sealed: ${JSON.stringify(sealOutcome)}`);
  const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  printRound(
    "sealed",
    sealed,
    sealing,
    `, memory ${mb(before)} before and ${mb(most)} at most, the loop held ${(lag.percentile(99) / 1e6).toFixed(0)} ms at p99 and ${(lag.max / 1e6).toFixed(0)} at most`,
  );

  const events = await app.store.readStream({ tenant: "operator", stream_id: segments.streamOf(origin) });
  const facts = events.map(({ payload }) => payload as unknown as segments.SealedSegment);
  const paths: string[] = [];
  for (const { sha256 } of facts)
    paths.push((await app.objects.localFile(segments.objectOf(origin, sha256)))!.path);
  const bytes = facts.reduce((sum, one) => sum + one.bytes, 0);
  console.log(`${facts.length} files, ${mb(bytes)}, ${Math.round(bytes / sealed)} bytes an event`);

  const [limit] = await timed(async () => {
    const file = await open(join(dir, "written"), "w");
    for (const path of paths)
      for await (const chunk of createReadStream(path)) await file.write(chunk as Buffer);
    await file.sync();
    await file.close();
  });
  printRound("the same bytes copied to the disk", sealed, limit);
  const duck = await (await DuckDBInstance.create(":memory:", { threads: "2" })).connect();
  const [peer] = await timed(() =>
    duck.run(
      `copy (select * from read_parquet([${paths.map((path) => `'${path}'`)}])) to '${join(dir, "duck.parquet")}' (format parquet, compression snappy)`,
    ),
  );
  duck.closeSync();
  printRound("the same rows written by DuckDB out of the files, nothing checked", sealed, peer);

  const [files] = await timed(async () => {
    for (const path of paths) {
      const { pages, close: done } = await openSegment(path);
      for await (const _ of pages());
      await done();
    }
  });
  printRound("read from the files", sealed, files, `, ${(table / files).toFixed(2)} of the table's`);

  const whole = join(dir, "whole.ndjson");
  const exporting = await timed(() => exportFile(app.pool, { log_id: MAIN_LOG, to: sealed }, whole));
  printRound("exported as text", sealed, exporting[0], `, ${mb((await stat(whole)).size)}`);
  const options = { max_streams: 10_000_000 };
  const [ofText, text] = await timed(() => verifyExport(openExport(whole), options));
  printRound("verified as text", text.events, ofText, text.ok ? "" : " AND FAILED");
  const [ofFiles, report] = await timed(() =>
    verifyExport(segmentsAsExport(paths), { ...options, ends_inside: true }),
  );
  printRound(
    "verified as segments",
    report.events,
    ofFiles,
    `${report.ok ? "" : " AND FAILED"}, ${(ofText / ofFiles).toFixed(2)} of the text's`,
  );

  const last = paths.at(-1)!;
  const bent = await readFile(last);
  const { rows } = await app.pool.query<{ position: number; hash: Buffer }>(
    "select position, event_hash as hash from eventstore.events where position = $1",
    [sealed - Math.floor(segment / 3)],
  );
  bent[bent.indexOf(rows[0]!.hash) + 3]! ^= 1;
  const path = join(dir, "bent.parquet");
  await writeFile(path, bent);
  const named = await verifyExport(segmentsAsExport([...paths.slice(0, -1), path]), {
    ...options,
    ends_inside: true,
  });
  const first = Math.min(...named.verdicts.flatMap(({ first_bad }) => first_bad ?? []));
  console.log(`a byte changed at ${rows[0]!.position}: named at ${first}`);
} finally {
  await close();
  await rm(dir, { recursive: true, force: true });
}
