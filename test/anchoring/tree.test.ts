/** The tree against the RFC's own definitions and against the vectors of Certificate Transparency. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  EMPTY_ROOT,
  Frontier,
  joined,
  leafHash,
  nodeHash,
  powerWithin,
  rootOver,
  subtreesOf,
} from "../../src/anchoring/tree.ts";
import { ctInputs, ctRoots } from "./ct-vectors.ts";
import { rfc9162 } from "./rfc9162.ts";

const SIZES = 300;
const inputs = Array.from({ length: SIZES }, (_, n) => createHash("sha256").update(`event ${n}`).digest());
const leaves = inputs.map(leafHash);
const oracle = rfc9162(inputs);

test("the roots equal those of Certificate Transparency's reference tree", () => {
  const roots = ctRoots.map((_, n) => rootOver(ctInputs.slice(0, n + 1).map(leafHash)).toString("hex"));
  expect(roots).toEqual(ctRoots);
});

test("the empty tree's root is SHA-256 of no bytes", () => {
  expect(EMPTY_ROOT.toString("hex")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(rootOver([])).toEqual(EMPTY_ROOT);
  expect(new Frontier().root()).toEqual(EMPTY_ROOT);
});

test("merkletreejs and the frontier give the RFC's root at every size to 300", () => {
  const frontier = new Frontier();
  for (let size = 0; size <= SIZES; size++) {
    expect(rootOver(leaves.slice(0, size))).toEqual(oracle.root(size));
    expect(frontier.size).toBe(size);
    expect(frontier.root()).toEqual(oracle.root(size));
    if (size < SIZES) frontier.append(leaves[size]!);
  }
});

test("a frontier continues from another one's hashes", () => {
  const first = new Frontier();
  for (const leaf of leaves.slice(0, 107)) first.append(leaf);
  const second = new Frontier(first.size, first.roots);
  for (const leaf of leaves.slice(107)) second.append(leaf);
  expect(second.root()).toEqual(oracle.root(SIZES));
  expect(first.root()).toEqual(oracle.root(107));
});

test("a frontier takes an event as its leaf, and its earlier roots stay", () => {
  const byLeaf = new Frontier();
  const byEvent = new Frontier();
  for (const [n, leaf] of leaves.entries()) {
    const { roots } = byEvent;
    const before = roots.map((root) => root.toString("hex"));
    byLeaf.append(leaf);
    byEvent.appendEvent(inputs[n]!);
    expect(byEvent.root()).toEqual(byLeaf.root());
    expect(roots.map((root) => root.toString("hex"))).toEqual(before);
  }
});

test("a frontier of the wrong length is refused", () => {
  expect(() => new Frontier(3, leaves.slice(0, 1))).toThrow(
    "a tree of 3 leaves has a frontier of 2 hashes, not 1",
  );
  expect(() => new Frontier(0, leaves.slice(0, 1))).toThrow("of 0 hashes, not 1");
});

test("a leaf is not a node, and a node's halves are ordered", () => {
  const [a, b] = leaves as [Buffer, Buffer];
  expect(leafHash(Buffer.concat([a, b]))).not.toEqual(nodeHash(a, b));
  expect(nodeHash(b, a)).not.toEqual(nodeHash(a, b));
});

test("perfect subtrees cover a span in order, up to the largest sizes", () => {
  expect(subtreesOf({ begin: 0, end: 0 })).toEqual([]);
  expect(subtreesOf({ begin: 8, end: 15 })).toEqual([
    { height: 2, index: 2 },
    { height: 1, index: 6 },
    { height: 0, index: 14 },
  ]);
  const all = subtreesOf({ begin: 0, end: Number.MAX_SAFE_INTEGER });
  expect(all.map(({ height }) => height)).toEqual(Array.from({ length: 53 }, (_, n) => 52 - n));
  expect(all.every(({ index }) => Number.isSafeInteger(index))).toBe(true);
  expect(powerWithin(2 ** 52 + 1)).toBe(2 ** 52);
});

test("the roots of perfect subtrees combine to the root of their span", () => {
  const roots = subtreesOf({ begin: 256, end: 299 }).map(({ height, index }) =>
    rootOver(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height)),
  );
  expect(joined(roots)).toEqual(rootOver(leaves.slice(256, 299)));
});
