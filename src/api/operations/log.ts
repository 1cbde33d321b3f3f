/** The tree over the log as auditors fetch it: C2SP checkpoints and tiles (c2sp.org/tlog-tiles), and proofs. */
import { z } from "zod";
import { MAIN_LOG } from "../../../eventstore/types.ts";
import { formatVerifierKey, verifierKey } from "../../anchoring/note.ts";
import { openTree } from "../../anchoring/tile-store.ts";
import { bundlePath, parseBundlePath, parseTilePath, tilePath, widthIn } from "../../anchoring/tiles.ts";
import type { App } from "../../app.ts";
import * as anchors from "../../domain/anchoring/anchor.ts";
import { refuse } from "../../domain/refusal.ts";
import { octets, open, operation, text } from "../operation.ts";

/** What never changes once it is there. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** The newest checkpoint; refuses while there is none. */
async function newestCheckpoint(app: App): Promise<anchors.SignedCheckpoint> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const { checkpoint } = await app.load(anchors, anchors.targetOf(origin));
  return checkpoint ?? refuse("not_found", noCheckpoint(app));
}

const noCheckpoint = ({ settings }: App) =>
  settings.anchoring
    ? "no checkpoint is signed yet: the first follows within a minute or so of the first event"
    : "no checkpoint is signed: this service runs without ANCHORING";

export const logCheckpoint = operation({
  name: "log_checkpoint",
  area: "log",
  route: "GET /log/checkpoint",
  summary: "The newest checkpoint of the log",
  description:
    "The size and root of the log's Merkle tree as a signed note (c2sp.org/tlog-checkpoint), with the cosignatures of " +
    "witnesses. Tiles and proofs reach as far as it does.",
  access: [open()],
  input: z.object({}),
  output: text("A signed note: origin, size and root, a blank line, and a line for each signature"),
  refuses: [404],
  example: {},
  caching: () => "no-cache",
  handle: async ({ app }) => Buffer.from((await newestCheckpoint(app)).note),
});

export const logKey = operation({
  name: "log_key",
  area: "log",
  route: "GET /log/key",
  summary: "The key that signs the log's checkpoints",
  description:
    "The verifier key (c2sp.org/signed-note) under the log's origin; the same Ed25519 key stands in /.well-known/jwks.json.",
  access: [open()],
  input: z.object({}),
  output: text("One line: <origin>+<id>+<base64 of type and key>"),
  example: {},
  caching: () => "no-cache",
  handle: async ({ app }) => {
    const { origin } = await app.store.identity(MAIN_LOG);
    return Buffer.from(`${formatVerifierKey(verifierKey(origin, "ed25519", app.signer.public_key))}\n`);
  },
});

const isTilePath = (path: string) => Boolean(parseTilePath(`tile/${path}`) ?? parseBundlePath(`tile/${path}`));

export const logTile = operation({
  name: "log_tile",
  area: "log",
  route: "GET /log/tile/{+path}",
  summary: "A tile of the log's Merkle tree, or the entries under one",
  description:
    "256 hashes of one level of the tree, or fewer of one that is not full (c2sp.org/tlog-tiles). Under `entries` stand the " +
    "event hashes that the leaves are made of, each after its length in two bytes. All of it stays as it is for good.",
  access: [open()],
  input: z.object({
    path: z
      .string()
      .max(64, "is at most 64 characters")
      .refine(
        isTilePath,
        "is <level or entries>/<index>, such as 0/000, 1/x001/234 or entries/000, and where it is not full .p/<width>",
      )
      .describe("<level>/<index> or entries/<index>, the index in groups of three digits: 0/000, 0/x001/234.p/17"),
  }),
  output: octets("32 bytes a hash, or an entry after each length"),
  refuses: [404],
  example: { path: "0/000.p/1" },
  caching: () => IMMUTABLE,
  handle: async ({ input: { path }, app }) => {
    const { size } = await newestCheckpoint(app);
    const tree = openTree(app.pool, MAIN_LOG);
    const bundle = parseBundlePath(`tile/${path}`);
    const tile = bundle ? { level: 0, ...bundle } : parseTilePath(`tile/${path}`)!;
    const width = widthIn(size, tile);
    if (width === 0) refuse("not_found", `the signed tree ends before this tile: it has ${size} events`);
    if (width < tile.width) {
      const there = bundle ? bundlePath({ ...bundle, width }) : tilePath({ ...tile, width });
      refuse("not_found", `of this tile ${width} are there in the signed tree of ${size} events: ask for /log/${there}`);
    }
    return bundle ? tree.readBundle(bundle) : tree.readTile(tile);
  },
});

export const logOperations = [logCheckpoint, logKey, logTile];
