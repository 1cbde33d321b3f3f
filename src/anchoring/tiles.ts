/** Addresses and bytes of a tree's hashes as tiles: C2SP tlog-tiles (c2sp.org/tlog-tiles). */
import { HASH_BYTES, type Subtree } from "./tree.ts";

/** Hashes in a full tile, which is also the number of leaves per hash of the next level. */
export const TILE_WIDTH = 256;

/** Levels of a tile's own tree, without leaf hashes. */
const TILE_HEIGHT = 8;

/**
 * `width` hashes (1 to 256) from the tile's beginning. At level 0 they are leaf hashes; at level L each is the root
 * over a full tile of level L − 1. Tile n of a level begins at its hash 256 n.
 */
export type Tile = { level: number; index: number; width: number };

/** The entries of a level-0 tile, which are hashed to its leaves. */
export type Bundle = { index: number; width: number };

/** `tile/<L>/<N>[.p/<W>]` */
export const tilePath = ({ level, ...place }: Tile): string => `tile/${level}/${placePath(place)}`;

/** `tile/entries/<N>[.p/<W>]` */
export const bundlePath = (bundle: Bundle): string => `tile/entries/${placePath(bundle)}`;

/** Three digits per element, all but the last marked: 1234067 is x001/x234/067. */
function placePath({ index, width }: Bundle): string {
  const digits = String(index);
  const elements = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.{3}/g)!;
  const name = elements.map((element, n) => (n < elements.length - 1 ? `x${element}` : element)).join("/");
  return width === TILE_WIDTH ? name : `${name}.p/${width}`;
}

/** The tile of this path; undefined unless it is the canonical spelling. */
export function parseTilePath(path: string): Tile | undefined {
  const [, level, rest] = /^tile\/(0|[1-9]\d?)\/(.+)$/.exec(path) ?? [];
  const place = parsePlace(rest);
  if (!place || Number(level) > 63) return undefined;
  return { level: Number(level), ...place };
}

/** The bundle of this path; undefined unless it is the canonical spelling. */
export const parseBundlePath = (path: string): Bundle | undefined =>
  parsePlace(/^tile\/entries\/(.+)$/.exec(path)?.[1]);

function parsePlace(text = ""): Bundle | undefined {
  const [, elements, width] = /^((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  if (elements === undefined) return undefined;
  const place = { index: Number(elements.replace(/[x/]/g, "")), width: Number(width ?? TILE_WIDTH) };
  const fits = Number.isSafeInteger(place.index) && place.width <= TILE_WIDTH;
  return fits && placePath(place) === text ? place : undefined;
}

/** A tile's width in the tree of `size` leaves; 0 if it does not exist. */
export function widthIn(size: number, { level, index }: { level: number; index: number }): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** The hashes of a tile under a perfect subtree's root: `count`, a power of two, from `begin` on. */
export type TileSlice = { level: number; index: number; begin: number; count: number };

/** The source of a subtree's root: the lowest height that its tile stores directly, or hashes inside it. */
export function sliceOf({ height, index }: Subtree): TileSlice {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height % TILE_HEIGHT);
  const first = index * count;
  return { level, index: Math.floor(first / TILE_WIDTH), begin: first % TILE_WIDTH, count };
}

export const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, n) =>
    bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
  );

/** Each entry follows its two-byte big-endian length. Our entries are event hashes. */
export function encodeBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

/** The entries of a bundle; undefined if its bytes end within one. */
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
