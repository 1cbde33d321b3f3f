/**
 * Tree hashes and consistency proofs by the recursive definitions of RFC 9162, sections 2.1.1 and 2.1.4.1; slow and
 * plain.
 */
import { createHash } from "node:crypto";
import type { Hex } from "../../src/core/model/chain.ts";

export const sha256 = (...parts: readonly (string | Uint8Array)[]): Hex => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return `0x${hash.digest("hex")}`;
};

const bytes = (hex: Hex) => Buffer.from(hex.slice(2), "hex");

const node = (left: Hex, right: Hex): Hex => sha256(Buffer.of(1), bytes(left), bytes(right));

/** The hash of the `size` leaves from `start` on, unless it is composed of smaller ones. */
export type Subtree = (start: bigint, size: bigint) => Hex;

/** The largest power of two below `size`. */
function half(size: bigint): bigint {
  let k = 1n;
  while (2n * k < size) k *= 2n;
  return k;
}

/** MTH(D[start : start + size]), split down to the subtrees in `given`. */
function treeHash(size: bigint, given: Subtree, isGiven: (size: bigint) => boolean, start = 0n): Hex {
  if (isGiven(size)) return given(start, size);
  const k = half(size);
  const left = treeHash(k, given, isGiven, start);
  return node(left, treeHash(size - k, given, isGiven, start + k));
}

/** PROOF(m, D_n), with the roots of both trees. */
export type Growth = { first: bigint; first_root: Hex; second: bigint; second_root: Hex; proof: Hex[] };

/** One log's growth from `first` leaves to `second`; another history has other leaves everywhere. */
export type Grow = (first: bigint, second: bigint, history?: string) => Growth;

const isLeaf = (size: bigint) => size === 1n;

const known = new Map<string, Hex>();

/** Subtrees of a log small enough to be hashed completely, once each. */
const smallTree =
  (history: string): Subtree =>
  (start, size) => {
    const name = `${history}: ${size} leaves from ${start}`;
    const leaf: Subtree = (index) => sha256(Buffer.of(0), `${history}: ${index}`);
    const hash = known.get(name) ?? treeHash(size, leaf, isLeaf, start);
    known.set(name, hash);
    return hash;
  };

export const smallRoot = (size: bigint): Hex => smallTree("log")(0n, size);

export const smallGrowth: Grow = (first, second, history = "log") => {
  const tree = smallTree(history);
  const proof = subproof(first, 0n, second, true, tree);
  return { first, first_root: tree(0n, first), second, second_root: tree(0n, second), proof };
};

/** SUBPROOF(m, D[start : start + size], complete). */
function subproof(m: bigint, start: bigint, size: bigint, complete: boolean, hash: Subtree): Hex[] {
  if (m === size) return complete ? [] : [hash(start, size)];
  const k = half(size);
  return m <= k
    ? [...subproof(m, start, k, complete, hash), hash(start + k, size - k)]
    : [...subproof(m - k, start + k, size - k, false, hash), hash(start, k)];
}

/**
 * The same for trees too large to hash: every subtree that the first size does not split gets a hash of its own, and
 * proofs and roots consist of those alone.
 */
export const largeGrowth: Grow = (first, second, history = "log") => {
  const given: Subtree = (start, size) => sha256(`${history}: ${size} leaves from ${start}`);
  const isPerfect = (size: bigint) => (size & (size - 1n)) === 0n;
  const whole = (start: bigint, size: bigint): Hex => {
    const cut = first - start;
    if (cut <= 0n || cut >= size) return given(start, size);
    const k = half(size);
    return node(whole(start, k), whole(start + k, size - k));
  };
  return {
    first,
    first_root: treeHash(first, given, isPerfect),
    second,
    second_root: whole(0n, second),
    proof: subproof(first, 0n, second, true, given),
  };
};

/** The hashes a verifier computes: a node left of the path counts for both trees. */
export function hashesOf({ first, second }: Growth): number {
  let [fn, sn, hashes] = [first - 1n, second - 1n, 0];
  while (fn & 1n) [fn, sn] = [fn >> 1n, sn >> 1n];
  for (; sn > 0n; [fn, sn] = [fn >> 1n, sn >> 1n]) {
    if (fn & 1n || fn === sn) {
      hashes += 2;
      while (fn > 0n && !(fn & 1n)) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else hashes += 1;
  }
  return hashes;
}

/** Verifies a proof by rebuilding both roots in the order in which SUBPROOF was taken apart. */
export function holds({ first, first_root, second, second_root, proof }: Growth): boolean {
  const rest = [...proof];
  const rebuild = (m: bigint, size: bigint, complete: boolean): [Hex, Hex] | undefined => {
    if (m === size) {
      const hash = complete ? first_root : rest.shift();
      return hash && [hash, hash];
    }
    const k = half(size);
    const below = m <= k ? rebuild(m, k, complete) : rebuild(m - k, size - k, false);
    const sibling = rest.shift();
    if (!below || !sibling) return undefined;
    const [old, grown] = below;
    return m <= k ? [old, node(grown, sibling)] : [node(sibling, old), node(sibling, grown)];
  };
  const roots = rebuild(first, second, true);
  return rest.length === 0 && roots?.[0] === first_root && roots[1] === second_root;
}
