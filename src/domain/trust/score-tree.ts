/**
 * The Merkle tree (RFC 9162, 2.1) over a computation's result, so that one score is shown without the others. A leaf is up to 64 of
 * the result's lines, which keeps the tree of a million agents small.
 */
import { createHash } from "node:crypto";
import { MerkleTree } from "merkletreejs";
import { lineOf, type Score } from "./score.ts";

export const LINES_A_LEAF = 64;

/** `lines`: the leaf's text; `index` from 0, of `size` leaves; `path`: hashes in hex, the lowest first. */
export type ScoreProof = { index: number; size: number; lines: string; path: string[] };

const sha256 = (...parts: (Uint8Array | string)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const leafHash = (lines: string) => sha256(Buffer.of(0), lines);
const nodeHash = (pair: Uint8Array) => sha256(Buffer.of(1), pair);

export class ScoreTree {
  readonly #leaves: { first: number; lines: string }[] = [];
  readonly #tree: MerkleTree;
  readonly root: string;

  /** `scores` ascend by number. */
  constructor(scores: readonly Pick<Score, "sx" | "score">[]) {
    const counted = scores.filter(({ score }) => score > 0);
    for (let at = 0; at < counted.length; at += LINES_A_LEAF) {
      const lines = counted
        .slice(at, at + LINES_A_LEAF)
        .map(lineOf)
        .join("");
      this.#leaves.push({ first: counted[at]!.sx, lines });
    }
    this.#tree = new MerkleTree(
      this.#leaves.map(({ lines }) => leafHash(lines)),
      nodeHash,
    );
    this.root = (counted.length === 0 ? sha256() : this.#tree.getRoot()).toString("hex");
  }

  /** The leaf that has the agent's line, or would have it between its neighbours; undefined without any score. */
  proofOf(sx: number): ScoreProof | undefined {
    if (this.#leaves.length === 0) return undefined;
    const index = Math.max(
      0,
      this.#leaves.findLastIndex(({ first }) => first <= sx),
    );
    const { lines } = this.#leaves[index]!;
    const path = this.#tree.getProof(leafHash(lines), index).map(({ data }) => data.toString("hex"));
    return { index, size: this.#leaves.length, lines, path };
  }
}

/** The root that a proof leads to (RFC 9162, 2.1.3.2); undefined if the path has another length than the place needs. */
export function rootOfProof({ index, size, lines, path }: ScoreProof): string | undefined {
  let hash = leafHash(lines);
  let [place, last] = [index, size - 1];
  for (const hex of path) {
    if (last === 0) return undefined;
    const other = Buffer.from(hex, "hex");
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(Buffer.concat([other, hash]));
      while (place % 2 === 0 && place > 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else hash = nodeHash(Buffer.concat([hash, other]));
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash.toString("hex") : undefined;
}
