/** Logs for the page: events that contain markup, and packs, valid and changed. */
import { Writable } from "node:stream";
import { z } from "zod";
import { exportLog } from "../../eventstore/files/export.ts";
import { registry } from "../../eventstore/schemas.ts";
import { createEventStore } from "../../eventstore/store.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { evidenceFor } from "../../src/anchoring/gather-evidence.ts";
import type { App } from "../../src/core/app.ts";

export const HOSTILE_TYPE = `<img src=x onerror="document.title='owned'">`;
export const HOSTILE_STREAM = `anchor-<script>document.title="owned"</script>`;

/** Events whose type and stream would be markup if parsed. */
export async function appendHostile(app: App): Promise<void> {
  const meta = { actor: "test", operation: "test" };
  const schemas = registry([{ [HOSTILE_TYPE]: { 1: z.object({}) } }]);
  const store = createEventStore(app.pool, { schemas });
  const append = (to: typeof store, stream_id: string, type: string, payload: Record<string, string>) =>
    to.append({
      appends: [{ tenant: "acme", stream_id, expected_version: "absent", events: [{ type, payload }] }],
      meta,
    });
  await append(store, "hostile", HOSTILE_TYPE, {});
  await store.close();
  const reorged_at = "2026-01-02T03:04:05.678Z";
  await append(app.store, HOSTILE_STREAM, "AnchorReorged", {
    transaction: `0x${"00".repeat(32)}`,
    reorged_at,
  });
}

/** An export of the whole log with its evidence, as `tallystick export` writes it. */
export async function packOf(app: App): Promise<string> {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  await exportLog(app.pool, { log_id: MAIN_LOG, beside: evidenceFor(app) }, sink);
  return Buffer.concat(chunks).toString();
}

type Line = Record<string, unknown>;

/** The pack with the event at this position changed. */
export const changed = (pack: string, position: number, change: (event: Line) => Line): string =>
  pack.replace(new RegExp(`^\\{"position":${position},.*$`, "m"), (line) =>
    JSON.stringify(change(JSON.parse(line) as Line)),
  );
