/**
 * Duration of a process's first decision on a long stream, with and without a snapshot:
 *
 *     npx tsx bench/stream-snapshots.ts [--events 10000,100000] [--rounds 7]
 *
 * The stream is a log's checkpoints, the longest of every service. Each round decides twice in a process without
 * cached folds, and appends; figures are medians.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openPool } from "../eventstore/pool.ts";
import { registry } from "../eventstore/schemas.ts";
import { createEventStore } from "../eventstore/store.ts";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { absentSubjects } from "../src/adapters/subject-vault.ts";
import { areas, entitiesOf } from "../src/areas/index.ts";
import { StreamCache } from "../src/core/commands/stream-cache.ts";
import { foldAfresh } from "../src/core/commands/stream-folds.ts";
import { SNAPSHOT_EVERY, StreamSnapshots } from "../src/core/commands/stream-snapshots.ts";
import { transact } from "../src/core/commands/transact.ts";
import type { UnitParts } from "../src/core/commands/unit.ts";
import * as anchors from "../src/domain/anchoring/anchor.ts";
import { prepareDatabase } from "../src/runtime/database.ts";

const { values: args } = parseArgs({
  options: { events: { type: "string", default: "10000,100000" }, rounds: { type: "string", default: "7" } },
});
const rounds = Number(args.rounds);

const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
await chmod(dir, 0o755);
const server = await embeddedPostgres({
  dir: join(dir, "postgres"),
  settings: { shared_buffers: "'512MB'" },
});
const { ownerUrl } = server;
const pool = openPool(ownerUrl);
try {
  await prepareDatabase({ ownerUrl, appUrl: ownerUrl, app_password: undefined }, "bench", []);
  const entities = entitiesOf(areas);
  const schemas = registry(entities.map(({ events }) => events));
  const store = createEventStore(pool, { schemas });
  const snapshots = new StreamSnapshots(pool, Buffer.alloc(32, 1), entities);
  const meta = { actor: "bench" };
  const checkpoint = (size: number): anchors.SignedCheckpoint => ({
    size,
    root: `0x${"9f".repeat(32)}`,
    note: `bench\n${size}\n${"A".repeat(44)}\n\n— bench ${"B".repeat(92)}\n`,
    signed_at: "2026-01-01T00:00:00.000Z",
  });

  for (const events of args.events.split(",").map(Number)) {
    const target = anchors.targetOf(`bench-${events}`);
    const stream = { tenant: target.tenant, stream_id: anchors.streamOf(target.id) };
    const grow = async (from: number, to: number) => {
      for (let version = from; version < to; version += 400)
        await store.append({
          appends: [
            {
              ...stream,
              expected_version: version,
              events: Array.from({ length: Math.min(400, to - version) }, (_, n) => ({
                type: "CheckpointSigned",
                payload: checkpoint(version + n + 1),
              })),
            },
          ],
          meta,
        });
    };
    const started = (): UnitParts => ({
      store,
      schemas,
      cache: new StreamCache(),
      subjects: absentSubjects(),
      objects: { put: () => Promise.reject(new Error("nothing is stored here")) },
    });
    // The snapshot has the highest age: the next is due.
    await grow(0, events - SNAPSHOT_EVERY);
    const { state } = await foldAfresh(started(), anchors, target);
    await snapshots.keep(pool, anchors, stream, { state, ...(await store.streamHead(stream))! });
    await grow(events - SNAPSHOT_EVERY, events);
    await pool.query("vacuum analyze eventstore.events");

    let size = events;
    const decide = async (parts: UnitParts): Promise<number> => {
      const before = performance.now();
      await transact(parts, { meta }, ({ decide }) =>
        decide(anchors, target, anchors.sign(checkpoint(++size))),
      );
      return performance.now() - before;
    };
    const measured = { without: [] as number[], with: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      measured.without.push(await decide(started()));
      measured.with.push(await decide({ ...started(), snapshots }));
    }
    const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!.toFixed(1);
    console.log(
      `${events} events: ${median(measured.without)} ms without a snapshot, ${median(measured.with)} ms with one that is ${SNAPSHOT_EVERY} events old`,
    );
  }
  await store.close();
} finally {
  await pool.end();
  await server.leave();
  await rm(dir, { recursive: true, force: true });
}
