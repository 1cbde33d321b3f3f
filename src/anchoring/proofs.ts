/** Inclusion and consistency proofs of RFC 9162, section 2.1: their hashes and their verification. */
import {
  EMPTY_ROOT,
  HASH_BYTES,
  isCount,
  joined,
  nodeHash,
  powerWithin,
  type Span,
  type Subtree,
  subtreesOf,
} from "./tree.ts";

/** The spans whose hashes prove that leaf `index` is in the tree of `size` leaves, the leaf's sibling first. */
export function inclusionSpans(index: number, size: number): Span[] {
  if (!isCount(size) || !isCount(index) || index >= size)
    throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  return siblingsOnTheWay(
    size,
    (split) => index < split,
    () => false,
  ).spans;
}

/**
 * The spans whose hashes prove that a perfect subtree is a node of the tree of `size` leaves. They equal a leaf's
 * spans in the tree over such subtrees, since every split above is at a multiple of its width.
 */
export function subtreeSpans({ begin, end }: Span, size: number): Span[] {
  const width = end - begin;
  if (begin % width !== 0 || powerWithin(width) !== width || end > size)
    throw new RangeError(`the leaves ${begin} to ${end - 1} are not a subtree of a tree of ${size}`);
  return inclusionSpans(begin / width, Math.ceil(size / width)).map((span) => ({
    begin: span.begin * width,
    end: Math.min(span.end * width, size),
  }));
}

/** Why the path of a perfect subtree is invalid; undefined if it is valid. */
export const subtreeFault = (
  { begin, end }: Span,
  { size, node, root, proof }: Omit<Inclusion, "index" | "leaf"> & { node: Uint8Array },
): string | undefined => {
  const width = end - begin;
  if (!isCount(begin) || width < 1 || powerWithin(width) !== width || begin % width !== 0 || end > size)
    return `the leaves ${begin} to ${end - 1} are not a subtree of a tree of ${size}`;
  return inclusionFault({ index: begin / width, size: Math.ceil(size / width), leaf: node, root, proof });
};

/** The spans whose hashes prove that the tree of `second` leaves begins with that of `first`, neither empty. */
export function consistencySpans(first: number, second: number): Span[] {
  if (!isCount(first) || !isCount(second) || first > second)
    throw new RangeError(`a tree of ${second} leaves cannot extend one of ${first}`);
  if (first === 0) return [];
  const { spans, end } = siblingsOnTheWay(
    second,
    (split) => first <= split,
    (span) => span.end === first,
  );
  // The verifier knows the whole old tree.
  return end.begin === 0 ? spans : [end, ...spans];
}

/** Descends from the root; `spans` are the halves not taken, the last first. */
function siblingsOnTheWay(
  size: number,
  goLeft: (split: number) => boolean,
  arrived: (span: Span) => boolean,
): { spans: Span[]; end: Span } {
  const spans: Span[] = [];
  let { begin, end }: Span = { begin: 0, end: size };
  while (end - begin > 1 && !arrived({ begin, end })) {
    const split = begin + powerWithin(end - begin - 1);
    if (goLeft(split)) {
      spans.unshift({ begin: split, end });
      end = split;
    } else {
      spans.unshift({ begin, end: split });
      begin = split;
    }
  }
  return { spans, end: { begin, end } };
}

/** A proof's hashes, combined from those of perfect subtrees. */
export const hashesOf = (spans: readonly Span[], rootOf: (subtree: Subtree) => Buffer): Buffer[] =>
  spans.map((span) => joined(subtreesOf(span).map(rootOf)));

/** Claims that the leaf hash `leaf` is at `index` in the tree with this size and root. */
export type Inclusion = {
  index: number;
  size: number;
  leaf: Uint8Array;
  root: Uint8Array;
  proof: readonly Uint8Array[];
};

/** Why an inclusion proof is invalid; undefined if it is valid (RFC 9162, 2.1.3.2). */
export function inclusionFault({ index, size, leaf, root, proof }: Inclusion): string | undefined {
  const malformed = formFault([...proof, leaf, root]);
  if (malformed) return malformed;
  if (!isCount(size) || !isCount(index)) return "index and size are whole numbers from 0 to 2^53 - 1";
  if (index >= size) return `there is no leaf ${index} in a tree of ${size}`;
  const way = new TreeClimb(index, size - 1);
  let found = leaf;
  for (const sibling of proof) {
    if (way.ended) return "the proof is too long";
    found = way.siblingIsLeft() ? nodeHash(sibling, found) : nodeHash(found, sibling);
    way.up();
  }
  if (!way.ended) return "the proof is too short";
  return same(found, root) ? undefined : "the proof leads to another root";
}

/** Claims that the tree with the second size and root begins with the first one. */
export type Consistency = {
  first: number;
  second: number;
  first_root: Uint8Array;
  second_root: Uint8Array;
  proof: readonly Uint8Array[];
};

/**
 * Why a consistency proof is invalid; undefined if it is valid (RFC 9162, 2.1.4.2). For an empty first tree and for
 * two equal sizes, which the RFC leaves out, the proof is empty.
 */
export function consistencyFault(claim: Consistency): string | undefined {
  const { first, second, first_root, second_root, proof } = claim;
  const malformed = formFault([...proof, first_root, second_root]);
  if (malformed) return malformed;
  if (!isCount(first) || !isCount(second)) return "sizes are whole numbers from 0 to 2^53 - 1";
  if (first > second) return `a tree of ${second} leaves cannot extend one of ${first}`;
  if (first === 0 && !same(first_root, EMPTY_ROOT)) return "the empty tree has another root";
  if (first === 0 || first === second) {
    if (proof.length > 0) return "the proof is too long";
    return first === second && !same(first_root, second_root) ? "two roots for one size" : undefined;
  }
  if (proof.length === 0) return "the proof is too short";
  // A perfect first tree's root is the first hash, which the proof omits because the verifier has it.
  const [start, ...rest] = powerWithin(first) === first ? [first_root, ...proof] : proof;
  const way = new TreeClimb(first - 1, second - 1);
  way.leaveRightEdge();
  let old = start!;
  let grown = start!;
  for (const sibling of rest) {
    if (way.ended) return "the proof is too long";
    if (way.siblingIsLeft()) {
      old = nodeHash(sibling, old);
      grown = nodeHash(sibling, grown);
    } else {
      grown = nodeHash(grown, sibling);
    }
    way.up();
  }
  if (!way.ended) return "the proof is too short";
  if (!same(old, first_root)) return "the proof leads to another first root";
  return same(grown, second_root) ? undefined : "the proof leads to another second root";
}

/** The climb from a node to the root, next to the tree's last node of the same height: fn and sn of the RFC. */
class TreeClimb {
  #node: number;
  #last: number;

  constructor(node: number, last: number) {
    this.#node = node;
    this.#last = last;
  }

  get ended(): boolean {
    return this.#last === 0;
  }

  /** While the node is its parent's right half, it ends a perfect subtree: start with the largest. */
  leaveRightEdge(): void {
    while (this.#node % 2 === 1) this.up();
  }

  /** Also climbs to where the node has a sibling, because the last node of a height may move up without one. */
  siblingIsLeft(): boolean {
    if (this.#node % 2 === 1) return true;
    if (this.#node !== this.#last) return false;
    while (this.#node % 2 === 0 && this.#node !== 0) this.up();
    return true;
  }

  up(): void {
    this.#node = Math.floor(this.#node / 2);
    this.#last = Math.floor(this.#last / 2);
  }
}

const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

const formFault = (hashes: readonly Uint8Array[]): string | undefined =>
  hashes.every(({ length }) => length === HASH_BYTES) ? undefined : `every hash has ${HASH_BYTES} bytes`;
