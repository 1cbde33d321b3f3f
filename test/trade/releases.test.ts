import pg from "pg";
import { expect, test } from "vitest";
import { registry } from "../../eventstore/schemas.ts";
import type { RecordedEvent } from "../../eventstore/types.ts";
import { Folding } from "../../src/core/read-models/folding.ts";
import type { ReleaseFacts } from "../../src/domain/trade/dataset.ts";
import * as dataset from "../../src/domain/trade/dataset.ts";
import { currentReleases, releasesProjection, releasesSince } from "../../src/projections/trade/releases.ts";
import { freshDatabase } from "../support/database.ts";

function released(position: number, dataset: string, letter: string, day: number): RecordedEvent {
  const payload = {
    dataset,
    source: "invented",
    synthetic: true,
    vintage: letter.repeat(64),
    periods: { from: 202401, to: 202412 },
    rows: 68_000_000_000,
    control_totals: { import_eur: 5, export_eur: 6, import_kg: 1.5, export_kg: 2 },
    partitions: [{ year: 2024, content_sha256: letter.repeat(64), rows: 10 }],
    inputs: [],
    replaces: null,
    released_at: new Date(Date.UTC(2026, 0, day)).toISOString(),
  } satisfies ReleaseFacts;
  return {
    log_id: 1,
    position,
    tenant: "operator",
    stream_id: `dataset-${dataset}`,
    version: position,
    event_id: "00000000-0000-7000-8000-000000000000",
    type: "DatasetReleased",
    schema_version: 1,
    recorded_at_us: position,
    payload,
    meta: {},
    prev_hash: new Uint8Array(32),
    event_hash: new Uint8Array(32),
    log_hash: new Uint8Array(32),
  };
}

test("the newest release of each dataset is current; replaced ones stay listed and stored for their days", async () => {
  const database = await freshDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
    await pool.query(`create schema read; ${releasesProjection.ddl}`);
    const events = [
      released(1, "sandbox", "a", 1),
      { ...released(2, "sandbox", "z", 2), type: "SomethingElse" },
      released(3, "comext-bulk", "b", 3),
      released(4, "sandbox", "c", 10),
      released(9, "sandbox", "d", 20),
    ];
    const client = await pool.connect();
    await client.query("begin");
    await new Folding(registry([dataset.events])).of(releasesProjection, events)?.(client);
    await client.query("commit");
    client.release();

    const current = await currentReleases(pool);
    expect(current.map(({ dataset, vintage }) => [dataset, vintage[0]])).toEqual([
      ["comext-bulk", "b"],
      ["sandbox", "d"],
    ]);
    const { inputs, ...facts } = events[4]!.payload;
    expect(inputs).toEqual([]);
    expect(current[1]).toEqual({ ...facts, position: 9 });
    // On the 5th "a" was current, so it can be queried; before it nothing was.
    const kept = await releasesSince(pool, new Date(Date.UTC(2026, 0, 15)));
    expect(new Set(kept.map(({ vintage }) => vintage))).toEqual(
      new Set(["b", "c", "d"].map((letter) => letter.repeat(64))),
    );
  } finally {
    await pool.end();
    await database.drop();
  }
});
