/**
 * The bytes of every game's draws, and the numbers made of them. With a seed of 32 bytes
 *
 *   block(round) = HMAC-SHA256(seed, "v1:<tenant>:<game>:<client_seed>:<nonce>:<round>")   (UTF-8, numbers in decimal)
 *
 * and the stream is block(0), block(1), block(2) …, read from its beginning. docs/rng.md has the full specification.
 */
import { createHmac } from "node:crypto";

/** The public inputs of the bytes, apart from the secret seed: no two draws of a seed share them. */
export type Draw = { tenant: string; game: string; client_seed: string; nonce: number };

/** The text that is signed with the seed for a round. */
export const message = ({ tenant, game, client_seed, nonce }: Draw, round: number) =>
  `v1:${tenant}:${game}:${client_seed}:${nonce}:${round}`;

/** Reads the stream of a draw from its beginning. */
export class ByteStream {
  readonly #seed: Uint8Array;
  readonly #draw: Draw;
  #block = Buffer.alloc(0);
  #at = 0;
  /** The blocks read so far, in hex: the proof of what was drawn from them. */
  readonly blocks: string[] = [];

  constructor(seed: Uint8Array, draw: Draw) {
    this.#seed = seed;
    this.#draw = draw;
  }

  /** The next byte. */
  byte(): number {
    if (this.#at === this.#block.length) {
      this.#block = createHmac("sha256", this.#seed).update(message(this.#draw, this.blocks.length)).digest();
      this.blocks.push(this.#block.toString("hex"));
      this.#at = 0;
    }
    return this.#block[this.#at++]!;
  }

  /** The next `length` bytes as a big-endian number; at most six. */
  number(length: number): number {
    let value = 0;
    for (let left = length; left > 0; left--) value = value * 256 + this.byte();
    return value;
  }
}

/** The source of numbers: a stream, or fixed bytes in tests. */
export type Bytes = Pick<ByteStream, "number">;

export const MOST_CHOICES = 2 ** 32;

/** The number of bytes for a number below `n`: the least k with 256^k >= n. */
export function bytesFor(n: number): number {
  let k = 0;
  for (let reach = 1; reach < n; reach *= 256) k++;
  return k;
}

/** The number of values by count of bytes. */
const REACHES = [0, 8, 16, 24, 32].map((bits) => 2 ** bits);

/** A uniform integer from 0 to n − 1 (n from 1 to 2^32): redraws from the largest multiple of n up. */
export function below(bytes: Bytes, n: number): number {
  const k = bytesFor(n);
  const reach = REACHES[k]!;
  const limit = reach - (reach % n);
  for (;;) {
    const value = bytes.number(k);
    if (value < limit) return value % n;
  }
}

/** A number from 0 up to 1, of 53 random bits: eight bytes, without the lowest eleven bits, over 2^53. */
export function fraction(bytes: Bytes): number {
  const high = bytes.number(4);
  const low = bytes.number(4);
  return (high * 2 ** 21 + Math.floor(low / 2 ** 11)) / 2 ** 53;
}

/** The numbers 0 to n − 1 in random order: Fisher and Yates from the last place down (Knuth, TAOCP 2, 3.4.2 P). */
export function shuffled(bytes: Bytes, n: number): number[] {
  const order = Array.from({ length: n }, (_, at) => at);
  for (let last = n - 1; last > 0; last--) {
    const other = below(bytes, last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
