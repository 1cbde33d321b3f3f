/** The sealed segments of the log: a list, the files, and the proof from a segment to a checkpoint. */

import { z } from "zod";
import { MAIN_LOG } from "../../../../eventstore/types.ts";
import { openTree } from "../../../anchoring/tile-store.ts";
import type { App } from "../../../core/app.ts";
import { limit, sha256 } from "../../../core/model/fields.ts";
import { ObjectsUnavailable } from "../../../core/model/ports/objects.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import * as segments from "../../../domain/log/segments.ts";
import { notesOf } from "../../../projections/anchoring/heads.ts";
import { segmentFrom, segmentsAfter, segmentsProjection } from "../../../projections/anchoring/segments.ts";
import { file, internal, json, operation } from "../../declare/index.ts";
import { hex, logKey, proof } from "./fields.ts";
import { checkSize, mirrored, newestCheckpoint } from "./signed.ts";

const position = (of: string) =>
  z
    .int("is a whole number")
    .min(1, "is at least 1")
    .max(Number.MAX_SAFE_INTEGER, "is below 2^53")
    .describe(of);

const from = position("Position of its first event, from log_segments");

const list = operation({
  name: "log_segments",
  route: "GET /log/segments",
  summary: "The sealed segments of the log",
  description:
    "Full runs of events below a final anchor, each in its own Parquet file, oldest first. Each entry has the positions, the file's " +
    "digest and size, the log hashes around the run, and its tree node. docs/event-log.md, section 11, describes the file.",
  access: [mirrored],
  lists: segmentsProjection,
  input: z.object({
    after: position("Only segments after this position: the `next` of the previous page").optional(),
    limit: limit("How many", { most: 200, usual: 50 }),
  }),
  output: json(
    z.object({
      segments: z.array(segments.events.LogSegmentSealed[1]),
      next: z.int().nullable().describe("`after` of the next page; null on the last"),
    }),
  ),
  example: { limit: 10 },
  handle: async ({ input: { after, limit }, app }) => {
    const found = await segmentsAfter(app.pool, { after, limit: limit + 1 });
    const shown = found.slice(0, limit);
    return { segments: shown, next: found.length > limit ? shown.at(-1)!.from : null };
  },
});

async function segmentOf(app: App, first: number): Promise<segments.SealedSegment> {
  await app.caughtUp(segmentsProjection);
  const found = await segmentFrom(app.pool, first);
  return (
    found ?? refuse("not_found", `no sealed segment begins at position ${first}; log_segments lists them`)
  );
}

const fileOperation = operation({
  name: "log_segment_file",
  route: "GET /log/segments/{from}",
  summary: "The file of a sealed segment",
  description:
    "All events of the segment, every column, as Parquet, with range requests. It contains payloads of all tenants, so it is for " +
    "the operator's own servers.",
  access: [internal()],
  input: z.object({ from }),
  output: file("application/vnd.apache.parquet", "The segment's events (docs/event-log.md, section 11)"),
  refuses: [404],
  example: { from: 1 },
  caching: () => "private, max-age=31536000, immutable, no-transform",
  handle: async ({ input, app }) => {
    const { to, sha256: digest } = await segmentOf(app, input.from);
    const { origin } = await app.store.identity(MAIN_LOG);
    const found = await app.objects.localFile(segments.objectOf(origin, digest)).catch(unavailable);
    if (!found) return refuse("not_found", "this service has no copy of the segment's file");
    return { ...found, sha256: digest, name: `log-${input.from}-${to}.parquet` };
  },
});

const unavailable = (error: unknown): never => {
  if (error instanceof ObjectsUnavailable)
    return refuse("unavailable", "the store of segment files is unavailable; retry later");
  throw error;
};

const proofOperation = operation({
  name: "log_segment_proof",
  route: "GET /log/segments/{from}/proof",
  summary: "The path from a segment to a checkpoint",
  description:
    "Proves that the segment's subtree is a node of the tree of `size` events, by the sibling hashes up to its root. " +
    "Their order is RFC 9162's for leaves. `bin/tallystick verify FILE --proof ANSWER` checks the file.",
  access: [mirrored],
  input: z.object({
    from,
    size: position("Events in the tree; default: the newest checkpoint's size").optional(),
  }),
  output: json(
    z.object({
      origin: z.string(),
      key: z.string().describe("The log's verifier key"),
      from: z.int(),
      to: z.int(),
      subtree_root: sha256,
      size: z.int(),
      root: sha256,
      proof,
      checkpoint: z.string().nullable().describe("The signed note of this size; null if none was signed"),
    }),
  ),
  refuses: [404],
  example: { from: 1 },
  caching: ({ size }) => (size === undefined ? "no-cache" : "public, max-age=31536000, immutable"),
  handle: async ({ input, app }) => {
    const { to, subtree_root } = await segmentOf(app, input.from);
    const newest = await newestCheckpoint(app);
    const size = input.size ?? newest.size;
    checkSize(size, newest.size);
    if (size < to) refuseField("size", `is at least ${to}, the position of the segment's last event`);
    const tree = openTree(app.pool, MAIN_LOG);
    const span = { begin: input.from - 1, end: to };
    const [root, hashes, notes] = await Promise.all([
      tree.rootAt(size),
      tree.subtreeProof(span, size),
      notesOf(app.pool, [size]),
    ]);
    const checkpoint = size === newest.size ? newest.note : (notes[0]?.note ?? null);
    const { origin } = newest;
    const facts = { from: input.from, to, subtree_root, size, root: hex(root), proof: hashes.map(hex) };
    return { origin, key: logKey(app, origin), ...facts, checkpoint };
  },
});

export const segmentOperations = [list, fileOperation, proofOperation];
