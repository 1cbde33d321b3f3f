/** Tile addresses and bytes, with the examples of c2sp.org/tlog-tiles. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bundlePath,
  decodeBundle,
  encodeBundle,
  parseBundlePath,
  parseTilePath,
  sliceOf,
  tilePath,
  widthIn,
} from "../../src/anchoring/tiles.ts";

describe("paths", () => {
  test.each([
    [{ level: 0, index: 1234067, width: 256 }, "tile/0/x001/x234/067"],
    [{ level: 0, index: 0, width: 256 }, "tile/0/000"],
    [{ level: 1, index: 999, width: 17 }, "tile/1/999.p/17"],
    [{ level: 2, index: 1000, width: 1 }, "tile/2/x001/000.p/1"],
    [{ level: 63, index: 273, width: 255 }, "tile/63/273.p/255"],
    [{ level: 0, index: Number.MAX_SAFE_INTEGER, width: 256 }, "tile/0/x009/x007/x199/x254/x740/991"],
  ])("%o is %s", (tile, path) => {
    expect(tilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
    const { index, width } = tile;
    expect(bundlePath({ index, width })).toBe(path.replace(/^tile\/\d+/, "tile/entries"));
    expect(parseBundlePath(bundlePath({ index, width }))).toEqual({ index, width });
  });

  test("every tile round-trips through its path", () => {
    const place = { index: fc.maxSafeNat(), width: fc.integer({ min: 1, max: 256 }) };
    fc.assert(
      fc.property(fc.record({ level: fc.integer({ min: 0, max: 63 }), ...place }), (tile) => {
        expect(parseTilePath(tilePath(tile))).toEqual(tile);
      }),
    );
  });

  test.each([
    "tile/0/0",
    "tile/0/0001",
    "tile/0/x000/001",
    "tile/0/001/002",
    "tile/0/x001/x002",
    "tile/0/x001",
    "tile/00/000",
    "tile/64/000",
    "tile/-1/000",
    "tile/0/000.p/0",
    "tile/0/000.p/01",
    "tile/0/000.p/256",
    "tile/0/000.p/999",
    "tile/0/000.p/",
    "tile/0/000.p",
    "tile/0/000/",
    "/tile/0/000",
    "tile/0/000\n",
    "tile/0/x999/x999/x999/x999/x999/999",
    "tile/0/x001/x000/x000/x000/x000/x000/000",
    "tile/0/٠٠٠",
    "tile/entries/000",
    "",
  ])("%j is not a tile", (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });

  test.each(["tile/entries/0", "tile/entries/x000/001", "tile/0/000", "tile/entries/000.p/256"])(
    "%j is not a bundle",
    (path) => {
      expect(parseBundlePath(path)).toBeUndefined();
    },
  );
});

describe("widths", () => {
  test("of a tree of 70,000 match the specification", () => {
    const width = (level: number, index: number) => widthIn(70_000, { level, index });
    expect([width(0, 0), width(0, 272), width(0, 273), width(0, 274)]).toEqual([256, 256, 112, 0]);
    expect([width(1, 0), width(1, 1), width(1, 2)]).toEqual([256, 17, 0]);
    expect([width(2, 0), width(2, 1), width(3, 0)]).toEqual([1, 0, 0]);
  });

  test("of a tree of 256 are a full tile, and one hash above it", () => {
    expect([0, 1].map((level) => widthIn(256, { level, index: 0 }))).toEqual([256, 1]);
    expect(widthIn(255, { level: 1, index: 0 })).toBe(0);
    expect(widthIn(0, { level: 0, index: 0 })).toBe(0);
    expect(widthIn(Number.MAX_SAFE_INTEGER, { level: 63, index: 0 })).toBe(0);
  });
});

test("a subtree's root consists of hashes of one tile", () => {
  expect(sliceOf({ height: 0, index: 70_000 })).toEqual({ level: 0, index: 273, begin: 112, count: 1 });
  expect(sliceOf({ height: 7, index: 3 })).toEqual({ level: 0, index: 1, begin: 128, count: 128 });
  expect(sliceOf({ height: 8, index: 256 })).toEqual({ level: 1, index: 1, begin: 0, count: 1 });
  expect(sliceOf({ height: 17, index: 1 })).toEqual({ level: 2, index: 0, begin: 2, count: 2 });
});

describe("bundles", () => {
  test("each entry follows its length", () => {
    const bytes = encodeBundle([Buffer.from("abc"), Buffer.alloc(0), Buffer.alloc(300, 7)]);
    expect(bytes.subarray(0, 9).toString("hex")).toBe("00036162630000012c");
    expect(decodeBundle(bytes)?.map(({ length }) => length)).toEqual([3, 0, 300]);
  });

  test("one that ends within an entry is invalid", () => {
    const bytes = encodeBundle([Buffer.alloc(32), Buffer.alloc(32)]);
    for (const cut of [1, 33, 35, 67]) expect(decodeBundle(bytes.subarray(0, cut))).toBeUndefined();
    expect(decodeBundle(bytes.subarray(0, 34))).toHaveLength(1);
  });
});
