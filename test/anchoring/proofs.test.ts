/** Inclusion and consistency proofs equal the RFC's for every size to 200, and any change is refused. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Consistency,
  consistencyFault,
  consistencySpans,
  hashesOf,
  type Inclusion,
  inclusionFault,
  inclusionSpans,
} from "../../src/anchoring/proofs.ts";
import {
  EMPTY_ROOT,
  leafHash,
  nodeHash,
  rootOver,
  type Span,
  type Subtree,
} from "../../src/anchoring/tree.ts";
import { scaled } from "../support/scale.ts";
import { ctConsistency, ctInclusion, ctInputs, ctRoots } from "./ct-vectors.ts";
import { rfc9162 } from "./rfc9162.ts";

const SIZES = 200;
const inputs = Array.from({ length: SIZES }, (_, n) => createHash("sha256").update(`event ${n}`).digest());
const leaves = inputs.map(leafHash);
const oracle = rfc9162(inputs);
const unhex = (hashes: readonly string[]) => hashes.map((hex) => Buffer.from(hex, "hex"));

const roots = new Map<string, Buffer>();
function rootOf({ height, index }: Subtree): Buffer {
  const name = `${height}/${index}`;
  let root = roots.get(name);
  if (!root) {
    root = rootOver(leaves.slice(index * 2 ** height, (index + 1) * 2 ** height));
    roots.set(name, root);
  }
  return root;
}
const proofOver = (spans: Span[]) => hashesOf(spans, rootOf);

const same = (ours: readonly Buffer[], theirs: readonly Buffer[]) =>
  ours.length === theirs.length && ours.every((hash, n) => hash.equals(theirs[n]!));

function inclusion(index: number, size: number): Inclusion {
  const proof = proofOver(inclusionSpans(index, size));
  return { index, size, leaf: leaves[index]!, root: oracle.root(size), proof };
}

function consistency(first: number, second: number): Consistency {
  const proof = proofOver(consistencySpans(first, second));
  return { first, second, first_root: oracle.root(first), second_root: oracle.root(second), proof };
}

describe("every proof for all m <= n <= 200", () => {
  test("of inclusion is the RFC's, and verifies", () => {
    const wrong: string[] = [];
    for (let size = 1; size <= SIZES; size++)
      for (let index = 0; index < size; index++) {
        const claim = inclusion(index, size);
        if (!same(claim.proof as Buffer[], oracle.inclusion(index, size))) wrong.push(`${index} in ${size}`);
        const fault = inclusionFault(claim);
        if (fault) wrong.push(`${index} in ${size}: ${fault}`);
      }
    expect(wrong).toEqual([]);
  });

  test("of consistency is the RFC's, and verifies", () => {
    const wrong: string[] = [];
    for (let second = 0; second <= SIZES; second++)
      for (let first = 0; first <= second; first++) {
        const claim = consistency(first, second);
        const theirs = first === 0 ? [] : oracle.consistency(first, second);
        if (!same(claim.proof as Buffer[], theirs)) wrong.push(`${first} to ${second}`);
        const fault = consistencyFault(claim);
        if (fault) wrong.push(`${first} to ${second}: ${fault}`);
      }
    expect(wrong).toEqual([]);
  });
});

describe("the vectors of Certificate Transparency", () => {
  const ct = (spans: Span[]) =>
    hashesOf(spans, ({ height, index }) =>
      rootOver(ctInputs.slice(index * 2 ** height, (index + 1) * 2 ** height).map(leafHash)),
    ).map((hash) => hash.toString("hex"));
  const ctRoot = (size: number) => Buffer.from(ctRoots[size - 1]!, "hex");

  test.each(ctInclusion)("prove leaf $index in a tree of $size", ({ index, size, proof }) => {
    expect(ct(inclusionSpans(index, size))).toEqual(proof);
    const leaf = leafHash(ctInputs[index]!);
    expect(inclusionFault({ index, size, leaf, root: ctRoot(size), proof: unhex(proof) })).toBeUndefined();
  });

  test.each(ctConsistency)("prove the growth from $first to $second", ({ first, second, proof }) => {
    expect(ct(consistencySpans(first, second))).toEqual(proof);
    const [first_root, second_root] = [ctRoot(first), ctRoot(second)];
    expect(consistencyFault({ first, second, first_root, second_root, proof: unhex(proof) })).toBeUndefined();
  });
});

/** The tree of seven leaves in RFC 9162, section 2.1.5, whose nodes it names a to l. */
describe("the RFC's example", () => {
  const names: Record<string, Span> = {
    a: { begin: 0, end: 1 },
    b: { begin: 1, end: 2 },
    c: { begin: 2, end: 3 },
    d: { begin: 3, end: 4 },
    e: { begin: 4, end: 5 },
    f: { begin: 5, end: 6 },
    g: { begin: 0, end: 2 },
    h: { begin: 2, end: 4 },
    i: { begin: 4, end: 6 },
    j: { begin: 6, end: 7 },
    k: { begin: 0, end: 4 },
    l: { begin: 4, end: 7 },
  };
  const named = (text: string) => [...text].map((name) => names[name]);

  test.each([
    [0, "bhl"],
    [3, "cgl"],
    [4, "fjk"],
    [6, "ik"],
  ])("inclusion of d%i is [%s]", (index, path) => {
    expect(inclusionSpans(index, 7)).toEqual(named(path));
  });

  test.each([
    [3, "cdgl"],
    [4, "l"],
    [6, "ijk"],
  ])("consistency from %i is [%s]", (first, path) => {
    expect(consistencySpans(first, 7)).toEqual(named(path));
  });
});

describe("impossible proofs are refused", () => {
  test.each([
    [0, 0],
    [5, 5],
    [-1, 5],
    [0.5, 5],
    [1, 2 ** 53],
  ])("leaf %d of %d", (index, size) => {
    expect(() => inclusionSpans(index, size)).toThrow(`a tree of ${size} leaves has no leaf ${index}`);
  });

  test.each([
    [6, 5],
    [-1, 5],
    [1.5, 5],
    [0, Number.NaN],
  ])("from %d to %d", (first, second) => {
    expect(() => consistencySpans(first, second)).toThrow(
      `a tree of ${second} leaves cannot extend one of ${first}`,
    );
  });
});

describe("a false claim has a named fault", () => {
  const good = inclusion(5, 11);
  const root = good.root;
  const inclusionCases: [string, Partial<Inclusion>, RegExp][] = [
    ["index beyond size", { index: 11 }, /there is no leaf 11 in a tree of 11/],
    ["an empty tree", { index: 0, size: 0, proof: [] }, /no leaf 0 in a tree of 0/],
    ["a negative index", { index: -1 }, /whole numbers/],
    ["half an index", { index: 5.5 }, /whole numbers/],
    ["a size past 2^53", { size: 2 ** 53 }, /whole numbers/],
    ["too long", { proof: [...good.proof, root] }, /too long/],
    ["too short", { proof: good.proof.slice(0, -1) }, /too short/],
    ["none", { proof: [] }, /too short/],
    ["padded at the front", { proof: [root, ...good.proof] }, /too long/],
    ["a node of 31 bytes", { proof: [good.proof[0]!.subarray(1), ...good.proof.slice(1)] }, /32 bytes/],
    ["an empty node", { proof: [...good.proof, Buffer.alloc(0)] }, /32 bytes/],
    ["a root of 33 bytes", { root: Buffer.concat([root, Buffer.of(0)]) }, /32 bytes/],
    ["another leaf", { leaf: leaves[6]! }, /another root/],
    ["a node in a leaf's place", { leaf: nodeHash(leaves[4]!, leaves[5]!) }, /another root/],
    ["the event hash itself", { leaf: inputs[5]! }, /another root/],
    ["another root", { root: EMPTY_ROOT }, /another root/],
  ];
  test.each(inclusionCases)("inclusion: %s", (_, change, fault) => {
    expect(inclusionFault({ ...good, ...change })).toMatch(fault);
  });

  test("inclusion: a subtree's root as a leaf of a smaller tree is refused", () => {
    const whole = inclusion(0, 8);
    const lifted = { ...whole, size: 4, leaf: nodeHash(leaves[0]!, leaves[1]!), proof: whole.proof.slice(1) };
    // The hashes match: only the leaf's own prefix, which the caller computes, distinguishes leaf from node.
    expect(inclusionFault(lifted)).toBeUndefined();
    expect(inclusionFault({ ...lifted, leaf: leafHash(Buffer.concat([leaves[0]!, leaves[1]!])) })).toMatch(
      /root/,
    );
  });

  const grown = consistency(6, 11);
  const perfect = consistency(8, 11);
  const cases: [string, Consistency, RegExp][] = [
    ["backwards", { ...grown, first: 11, second: 6 }, /cannot extend/],
    ["a negative size", { ...grown, first: -1 }, /whole numbers/],
    ["a size that is none", { ...grown, second: Number.NaN }, /whole numbers/],
    ["too long", { ...grown, proof: [...grown.proof, grown.second_root] }, /too long/],
    ["too short", { ...grown, proof: grown.proof.slice(0, -1) }, /too short/],
    ["none", { ...grown, proof: [] }, /too short/],
    [
      "the perfect tree's root repeated",
      { ...perfect, proof: [perfect.first_root, ...perfect.proof] },
      /too long/,
    ],
    [
      "roots changed places",
      { ...grown, first_root: grown.second_root, second_root: grown.first_root },
      /first root/,
    ],
    ["another first root", { ...grown, first_root: EMPTY_ROOT }, /first root/],
    ["another second root", { ...grown, second_root: EMPTY_ROOT }, /second root/],
    ["an empty tree with a root", { ...grown, first: 0, proof: [] }, /empty tree has another root/],
    ["an empty tree with a proof", { ...grown, first: 0, first_root: EMPTY_ROOT }, /too long/],
    ["one size, two roots", { ...grown, first: 11, proof: [] }, /two roots for one size/],
    ["one size with a proof", { ...grown, first: 11, first_root: grown.second_root }, /too long/],
    [
      "two empty trees, one with a root",
      { ...grown, first: 0, second: 0, first_root: EMPTY_ROOT, proof: [] },
      /two roots/,
    ],
    ["a root of no bytes", { ...grown, first_root: Buffer.alloc(0) }, /32 bytes/],
  ];
  test.each(cases)("consistency: %s", (_, claim, fault) => {
    expect(consistencyFault(claim)).toMatch(fault);
  });

  test("consistency: a proof from the empty tree or from the same tree has no hash", () => {
    for (const first of [0, 11]) {
      const claim = consistency(first, 11);
      expect(claim.proof).toEqual([]);
      expect(consistencyFault(claim)).toBeUndefined();
    }
  });
});

/** A proof changed in one way: a bit, a node dropped, added, repeated, or two swapped. */
const tampering = fc.record({
  how: fc.constantFrom("flip", "drop", "add", "repeat", "swap"),
  at: fc.nat(),
  other: fc.nat(),
  bit: fc.nat({ max: 255 }),
  fresh: fc.uint8Array({ minLength: 32, maxLength: 32 }),
});
type Tampering = typeof tampering extends fc.Arbitrary<infer T> ? T : never;

/** Undefined if the change would have no effect. */
function tampered(proof: readonly Uint8Array[], { how, at, other, bit, fresh }: Tampering) {
  const nodes = proof.map((node) => Buffer.from(node));
  const n = nodes.length;
  if (how === "add") nodes.splice(at % (n + 1), 0, Buffer.from(fresh));
  else if (n === 0) return undefined;
  else if (how === "flip") nodes[at % n]![bit >> 3]! ^= 1 << (bit & 7);
  else if (how === "drop") nodes.splice(at % n, 1);
  else if (how === "repeat") nodes.splice(at % n, 0, nodes[at % n]!);
  else {
    if (at % n === other % n) return undefined;
    const [one, two] = [nodes[at % n]!, nodes[other % n]!];
    nodes[at % n] = two;
    nodes[other % n] = one;
  }
  return nodes;
}

const RUNS = { numRuns: scaled(1_000, 10) };
const twoSizes = fc.tuple(fc.integer({ min: 1, max: SIZES }), fc.nat()).map(([n, m]) => [m % n, n] as const);

describe("tampering", () => {
  test("any change to an inclusion proof is refused", () => {
    fc.assert(
      fc.property(twoSizes, tampering, ([index, size], change) => {
        const claim = inclusion(index, size);
        const proof = tampered(claim.proof, change);
        if (proof) expect(inclusionFault({ ...claim, proof })).toBeDefined();
      }),
      RUNS,
    );
  });

  test("any change to a consistency proof is refused", () => {
    fc.assert(
      fc.property(twoSizes, tampering, ([first, second], change) => {
        const claim = consistency(first, second);
        const proof = tampered(claim.proof, change);
        if (proof) expect(consistencyFault({ ...claim, proof })).toBeDefined();
      }),
      RUNS,
    );
  });

  test("no leaf verifies at another index", () => {
    fc.assert(
      fc.property(twoSizes, fc.integer({ min: 0, max: SIZES }), ([index, size], other) => {
        fc.pre(other !== index);
        expect(inclusionFault({ ...inclusion(index, size), index: other })).toBeDefined();
      }),
      RUNS,
    );
  });

  test("a flipped bit of a leaf or a root is refused", () => {
    const flip = (hash: Uint8Array, bit: number) => {
      const copy = Buffer.from(hash);
      copy[bit >> 3]! ^= 1 << (bit & 7);
      return copy;
    };
    fc.assert(
      fc.property(twoSizes, fc.nat({ max: 255 }), ([m, n], bit) => {
        const held = inclusion(m, n);
        expect(inclusionFault({ ...held, leaf: flip(held.leaf, bit) })).toBeDefined();
        expect(inclusionFault({ ...held, root: flip(held.root, bit) })).toBeDefined();
        const grown = consistency(m, n);
        expect(consistencyFault({ ...grown, first_root: flip(grown.first_root, bit) })).toBeDefined();
        // An empty first tree leaves nothing to check in the second.
        if (m > 0)
          expect(consistencyFault({ ...grown, second_root: flip(grown.second_root, bit) })).toBeDefined();
      }),
      RUNS,
    );
  });
});
