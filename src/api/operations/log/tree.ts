/**
 * The Merkle tree of the log, as auditors fetch it: C2SP checkpoints and tiles (c2sp.org/tlog-tiles), and proofs by
 * number.
 */

import { z } from "zod";
import { MAIN_LOG } from "../../../../eventstore/types.ts";
import { openTree } from "../../../anchoring/tile-store.ts";
import { bundlePath, parseBundlePath, parseTilePath, tilePath, widthIn } from "../../../anchoring/tiles.ts";
import { sha256 } from "../../../core/model/fields.ts";
import { refuse, refuseField } from "../../../core/model/refusal.ts";
import { eventHashAt } from "../../../projections/anchoring/events.ts";
import { json, octets, open, operation, text } from "../../declare/index.ts";
import { eventList } from "./events.ts";
import { hex, logKey, proof } from "./fields.ts";
import { historyOperations } from "./history.ts";
import { eventProof } from "./proof.ts";
import { logSearch } from "./search.ts";
import { segmentOperations } from "./segments.ts";
import { checkSize, mirrored, newestCheckpoint } from "./signed.ts";

/** For answers that never change. */
const IMMUTABLE = "public, max-age=31536000, immutable";

const count = (least: number) =>
  z.int("is a whole number").min(least, `is at least ${least}`).max(Number.MAX_SAFE_INTEGER, "is below 2^53");
const checkpoint = operation({
  name: "log_checkpoint",
  route: "GET /log/checkpoint",
  summary: "The newest checkpoint of the log",
  description:
    "The size and root of the log's Merkle tree as a signed note (c2sp.org/tlog-checkpoint), with cosignatures of " +
    "witnesses. Tiles and proofs cover the same events.",
  access: [mirrored],
  input: z.object({}),
  output: text("A signed note: origin, size and root, a blank line, then a line per signature"),
  refuses: [404],
  example: {},
  caching: () => "public, max-age=5",
  handle: async ({ app }) => Buffer.from((await newestCheckpoint(app)).note),
});

const key = operation({
  name: "log_key",
  route: "GET /log/key",
  summary: "The key that signs the log's checkpoints",
  description:
    "The verifier key (c2sp.org/signed-note) for the log's origin; /.well-known/jwks.json has the same Ed25519 key.",
  access: [mirrored],
  input: z.object({}),
  output: text("One line: <origin>+<id>+<base64 of type and key>"),
  example: {},
  caching: () => "no-cache",
  handle: async ({ app }) => {
    const { origin } = await app.store.identity(MAIN_LOG);
    return Buffer.from(`${logKey(app, origin)}\n`);
  },
});

const isTilePath = (path: string) =>
  Boolean(parseTilePath(`tile/${path}`) ?? parseBundlePath(`tile/${path}`));

const tile = operation({
  name: "log_tile",
  route: "GET /log/tile/{+path}",
  reads: "log",
  summary: "A tile of the log's Merkle tree, or the entries below a tile",
  description:
    "256 hashes of one level of the tree, or fewer if it is partial (c2sp.org/tlog-tiles). `entries` has the " +
    "event hashes of the leaves, each after its length in two bytes. A tile never changes.",
  access: [mirrored],
  input: z.object({
    path: z
      .string()
      .max(64, "is at most 64 characters")
      .refine(
        isTilePath,
        "is <level>/<index> or entries/<index>, such as 0/000 or 1/x001/234, with .p/<width> for a partial tile",
      )
      .describe(
        "<level>/<index> or entries/<index>, three digits at a time: 0/000, entries/x001/234, 0/001.p/17",
      ),
  }),
  output: octets("32 bytes a hash; in entries, each after its length"),
  refuses: [404],
  example: { path: "0/000.p/1" },
  caching: () => IMMUTABLE,
  handle: async ({ input: { path }, app }) => {
    const { size } = await newestCheckpoint(app);
    const tree = openTree(app.pool, MAIN_LOG);
    const bundle = parseBundlePath(`tile/${path}`);
    const place = bundle ? { level: 0, ...bundle } : parseTilePath(`tile/${path}`)!;
    const width = widthIn(size, place);
    if (width === 0) refuse("not_found", `the signed tree of ${size} events does not reach this tile yet`);
    if (width < place.width) {
      const there = bundle ? bundlePath({ ...bundle, width }) : tilePath({ ...place, width });
      refuse(
        "not_found",
        `the signed tree of ${size} events has only ${width} hashes of this tile: request /log/${there}`,
      );
    }
    return bundle ? tree.readBundle(bundle) : tree.readTile(place);
  },
});

const consistency = operation({
  name: "log_consistency",
  route: "GET /log/consistency",
  reads: "log",
  summary: "Proof that the log only grew",
  description:
    "Proves that the tree of `second` events begins with that of `first` (RFC 9162, section 2.1.4). Compare roots with " +
    "checkpoints or anchors you have.",
  access: [open()],
  input: z.object({
    first: count(0).describe("The smaller size, in events"),
    second: count(1).describe("The larger size; default: the newest checkpoint's").optional(),
  }),
  output: json(
    z.object({
      origin: z.string(),
      first: z.int(),
      second: z.int().describe("Size of the larger tree, in events"),
      first_root: sha256,
      second_root: sha256,
      proof,
    }),
  ),
  refuses: [404],
  example: { first: 1, second: 2 },
  caching: ({ second }) => (second === undefined ? "no-cache" : IMMUTABLE),
  handle: async ({ input: { first, second: requested }, app }) => {
    const newest = await newestCheckpoint(app);
    const second = requested ?? newest.size;
    if (first > second) refuseField("first", `is larger than second, which is ${second}`);
    checkSize(second, newest.size);
    const tree = openTree(app.pool, MAIN_LOG);
    const [first_root, second_root, hashes] = await Promise.all([
      tree.rootAt(first),
      tree.rootAt(second),
      tree.consistencyProof(first, second),
    ]);
    return {
      origin: newest.origin,
      first,
      second,
      first_root: hex(first_root),
      second_root: hex(second_root),
      proof: hashes.map(hex),
    };
  },
});

const inclusion = operation({
  name: "log_inclusion",
  route: "GET /log/inclusion",
  reads: "log",
  summary: "Prove by position that the log has an event",
  description:
    "Proves that the event at `position` is leaf `position` − 1 of the tree of `size` events (RFC 9162, section 2.1.3). For " +
    "an event's whole proof with checkpoint and anchor use log_proof.",
  access: [open()],
  input: z.object({
    position: count(1).describe("The event's position in the log"),
    size: count(1).describe("Events in the tree; default: the newest checkpoint's size").optional(),
  }),
  output: json(
    z.object({
      origin: z.string(),
      position: z.int(),
      event_hash: sha256,
      size: z.int(),
      root: sha256,
      proof,
    }),
  ),
  refuses: [404],
  example: { position: 1, size: 2 },
  caching: ({ size }) => (size === undefined ? "no-cache" : IMMUTABLE),
  handle: async ({ input: { position, size: requested }, app }) => {
    const newest = await newestCheckpoint(app);
    const size = requested ?? newest.size;
    checkSize(size, newest.size);
    if (position > size) refuse("not_found", `a tree of ${size} events has no event at position ${position}`);
    const tree = openTree(app.pool, MAIN_LOG);
    const [event_hash, root, hashes] = await Promise.all([
      eventHashAt(app.pool, position),
      tree.rootAt(size),
      tree.inclusionProof(position - 1, size),
    ]);
    return {
      origin: newest.origin,
      position,
      event_hash: hex(event_hash!),
      size,
      root: hex(root),
      proof: hashes.map(hex),
    };
  },
});

export const logOperations = [
  checkpoint,
  key,
  tile,
  consistency,
  inclusion,
  eventProof,
  ...historyOperations,
  eventList,
  logSearch,
  ...segmentOperations,
];
