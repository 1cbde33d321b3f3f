/**
 * The Merkle tree of RFC 9162, section 2.1 (the same as RFC 6962's): SHA-256 over a log's event hashes in the order
 * of their positions. Leaves count from 0, so the event at position n is leaf n − 1.
 */
import { hash } from "node:crypto";
import { MerkleTree } from "merkletreejs";

export const HASH_BYTES = 32;

/** The root of a tree without leaves: SHA-256 of no bytes. */
export const EMPTY_ROOT: Buffer = hash("sha256", "", "buffer");

/** The hashed input with its tag. The buffers are reused, so that a million hashes allocate only their results. */
const LEAF = Buffer.alloc(1 + HASH_BYTES, 0);
const NODE = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** The cheapest form in node:crypto, with bytes from the pool. */
const digest = (bytes: Uint8Array): Buffer => Buffer.from(hash("sha256", bytes, "binary"), "latin1");

/** SHA-256(0x00 ‖ event_hash). */
export function leafHash(event_hash: Uint8Array): Buffer {
  const { length } = event_hash;
  const input = length === HASH_BYTES ? LEAF : Buffer.alloc(1 + length, 0);
  input.set(event_hash, 1);
  return digest(input);
}

/** SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const length = left.length + right.length;
  // A stranger's proof may have nodes of any length.
  const input = length === 2 * HASH_BYTES ? NODE : Buffer.alloc(1 + length, 1);
  input.set(left, 1);
  input.set(right, 1 + left.length);
  return digest(input);
}

const hashOfPair = (pair: Uint8Array): Buffer =>
  nodeHash(pair.subarray(0, HASH_BYTES), pair.subarray(HASH_BYTES));

/** The root over hashes of one height; an odd last one moves up unchanged. */
export const rootOver = (hashes: readonly Buffer[]): Buffer =>
  hashes.length === 0 ? EMPTY_ROOT : new MerkleTree([...hashes], hashOfPair).getRoot();

/** True for a valid tree size or leaf index: an integer from 0 to 2^53 − 1. */
export const isCount = (n: number): boolean => Number.isSafeInteger(n) && n >= 0;

/** A perfect subtree. `height` 0 is a leaf; `index` counts the subtrees of that height from the left. */
export type Subtree = { height: number; index: number };

/** The leaves from `begin` up to, not including, `end`. */
export type Span = { begin: number; end: number };

/** The largest power of two that is at most `n`; `n` is at least 1. */
export function powerWithin(n: number): number {
  let power = 1;
  while (power * 2 <= n) power *= 2;
  return power;
}

/** A span's perfect subtrees, the largest first; `begin` is a multiple of the largest, as in every split of the RFC. */
export function subtreesOf({ begin, end }: Span): Subtree[] {
  const found: Subtree[] = [];
  for (let at = begin; at < end; ) {
    const leaves = powerWithin(end - at);
    found.push({ height: Math.log2(leaves), index: at / leaves });
    at += leaves;
  }
  return found;
}

/** The hash over the roots of a span's `subtreesOf`. */
export const joined = (roots: readonly Buffer[]): Buffer =>
  roots.length === 0 ? EMPTY_ROOT : roots.reduceRight((right, left) => nodeHash(left, right));

/** The offsets of a node input's halves. */
const LEFT = 1;
const RIGHT = LEFT + HASH_BYTES;

/** A growing tree, as the roots of its perfect subtrees: at most 53 hashes for any number of leaves. */
export class Frontier {
  #size = 0;
  /** By height, the input of the next node above, with the tree's perfect subtree as its left half. */
  readonly #pairs: Buffer[] = [];

  /** Continues from `size` leaves; `roots` are those of their `subtreesOf`. */
  constructor(size = 0, roots: readonly Buffer[] = []) {
    const subtrees = subtreesOf({ begin: 0, end: size });
    if (roots.length !== subtrees.length)
      throw new RangeError(
        `a tree of ${size} leaves has a frontier of ${subtrees.length} hashes, not ${roots.length}`,
      );
    for (const [i, { height }] of subtrees.entries()) this.#pair(height).set(roots[i]!, LEFT);
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  get roots(): readonly Buffer[] {
    return subtreesOf({ begin: 0, end: this.#size }).map(({ height }) =>
      Buffer.from(this.#pair(height).subarray(LEFT, RIGHT)),
    );
  }

  append(leaf: Buffer): void {
    this.#grow(leaf.toString("latin1"));
  }

  appendEvent(event_hash: Uint8Array): void {
    for (let i = 0; i < HASH_BYTES; i++) LEAF[1 + i] = event_hash[i]!;
    this.#grow(hash("sha256", LEAF, "binary"));
  }

  root(): Buffer {
    return joined(this.roots);
  }

  /** Takes a leaf's hash, one character per byte. */
  #grow(leaf: string): void {
    let grown = leaf;
    let height = 0;
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) {
      const pair = this.#pair(height++);
      write(grown, pair, RIGHT);
      grown = hash("sha256", pair, "binary");
    }
    write(grown, this.#pair(height), LEFT);
    this.#size++;
  }

  #pair(height: number): Buffer {
    while (this.#pairs.length <= height) this.#pairs.push(Buffer.alloc(NODE.length, 1));
    return this.#pairs[height]!;
  }
}

/** Faster than Buffer's own methods for so few bytes. */
function write(binary: string, into: Buffer, at: number): void {
  for (let i = 0; i < HASH_BYTES; i++) into[at + i] = binary.charCodeAt(i);
}
