/** Where the hashes of a tree stand as tiles: C2SP tlog-tiles (c2sp.org/tlog-tiles), addresses and bytes. */
import { HASH_BYTES, type Subtree } from "./tree.ts";

/** Hashes in a full tile, and so leaves under each hash of the level above. */
export const TILE_WIDTH = 256;

/** Levels of a tile's own tree, leaf hashes not counted. */
const TILE_HEIGHT = 8;

/**
 * `width` hashes (1 to 256) from the tile's beginning. At level 0 they are leaf hashes; at level L each is the root over a
 * full tile of level L − 1. Tile n of a level begins at its hash 256 n.
 */
export type Tile = { level: number; index: number; width: number };

/** The entries under a tile of level 0: what its leaf hashes are made of. */
export type Bundle = { index: number; width: number };

/** `tile/<L>/<N>[.p/<W>]` */
export const tilePath = ({ level, ...place }: Tile): string => `tile/${level}/${placePath(place)}`;

/** `tile/entries/<N>[.p/<W>]` */
export const bundlePath = (bundle: Bundle): string => `tile/entries/${placePath(bundle)}`;

/** Three digits an element, all but the last marked: 1234067 is x001/x234/067. */
function placePath({ index, width }: Bundle): string {
  const digits = String(index);
  const elements = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.{3}/g)!;
  const name = elements.map((element, n) => (n < elements.length - 1 ? `x${element}` : element)).join("/");
  return width === TILE_WIDTH ? name : `${name}.p/${width}`;
}

/** The tile of this path; undefined unless it is the one way to write it. */
export function parseTilePath(path: string): Tile | undefined {
  const [, level, rest] = /^tile\/(0|[1-9]\d?)\/(.+)$/.exec(path) ?? [];
  const place = parsePlace(rest);
  if (!place || Number(level) > 63) return undefined;
  return { level: Number(level), ...place };
}

/** The bundle of this path; undefined unless it is the one way to write it. */
export const parseBundlePath = (path: string): Bundle | undefined =>
  parsePlace(/^tile\/entries\/(.+)$/.exec(path)?.[1]);

function parsePlace(text = ""): Bundle | undefined {
  const [, elements, width] = /^((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  if (elements === undefined) return undefined;
  const place = { index: Number(elements.replace(/[x/]/g, "")), width: Number(width ?? TILE_WIDTH) };
  const fits = Number.isSafeInteger(place.index) && place.width <= TILE_WIDTH;
  return fits && placePath(place) === text ? place : undefined;
}

/** How wide a tile is in the tree of `size` leaves; 0: it is not there. */
export function widthIn(size: number, { level, index }: { level: number; index: number }): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** The hashes of a tile that a perfect subtree's root is made of: `count`, a power of two, from `begin` on. */
export type TileSlice = { level: number; index: number; begin: number; count: number };

/** Where a subtree's root comes from: the lowest height that its tile stores directly, or hashes inside it. */
export function sliceOf({ height, index }: Subtree): TileSlice {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height % TILE_HEIGHT);
  const first = index * count;
  return { level, index: Math.floor(first / TILE_WIDTH), begin: first % TILE_WIDTH, count };
}

/** A tile's bytes as hashes. */
export const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, n) =>
    bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
  );

/** A bundle's bytes: each entry after its length in two bytes, big-endian. Our entries are event hashes. */
export function encodeBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** The entries of a bundle; undefined when its bytes end in the middle of one. */
export function decodeBundle(bytes: Buffer): Buffer[] | undefined {
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 2 > bytes.length) return undefined;
    const end = at + 2 + bytes.readUInt16BE(at);
    if (end > bytes.length) return undefined;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
