import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteStream, below, bytesFor, type Draw, fraction, shuffled } from "../../src/domain/games/bytes.ts";
import { scaled } from "../support/scale.ts";

const draw: Draw = { tenant: "acme", game: "dice", client_seed: "my seed", nonce: 7 };
const seed = Buffer.alloc(32, 0xab);
/** Bytes that were chosen, and how many of them were read. */
const chosen = (bytes: number[]) => {
  let at = 0;
  return {
    get read() {
      return at;
    },
    number(length: number) {
      let value = 0;
      for (let left = length; left > 0; left--) {
        if (at === bytes.length) throw new RangeError("no bytes are left");
        value = value * 256 + bytes[at++]!;
      }
      return value;
    },
  };
};

describe("the bytes of a draw", () => {
  test("are HMAC-SHA256 blocks over numbered messages, one after the other", () => {
    const stream = new ByteStream(seed, draw);
    const read = Buffer.from(Array.from({ length: 70 }, () => stream.byte()));
    const blocks = [0, 1, 2].map((round) =>
      createHmac("sha256", seed).update(`v1:acme:dice:my seed:7:${round}`, "utf8").digest(),
    );
    expect(read.equals(Buffer.concat(blocks).subarray(0, 70))).toBe(true);
    expect(stream.blocks).toEqual(blocks.map((block) => block.toString("hex")));
  });

  test("are read only as far as needed", () => {
    const stream = new ByteStream(seed, draw);
    expect(stream.blocks).toEqual([]);
    for (let n = 0; n < 32; n++) stream.byte();
    expect(stream.blocks).toHaveLength(1);
  });

  test("depend on each part of the draw", () => {
    const others: Draw[] = [
      { ...draw, tenant: "other" },
      { ...draw, game: "coin" },
      { ...draw, client_seed: "my Seed" },
      { ...draw, nonce: 8 },
    ];
    const texts = [draw, ...others].map((one) => new ByteStream(seed, one).number(6));
    expect(new Set(texts).size).toBe(5);
  });
});

describe("a number below n", () => {
  test("takes the fewest bytes that reach n", () => {
    expect([1, 2, 256, 257, 65_536, 65_537, 2 ** 24, 2 ** 24 + 1, 2 ** 32].map(bytesFor)).toEqual([
      0, 1, 1, 2, 2, 3, 3, 4, 4,
    ]);
  });

  /** The result of a value from the bytes; undefined where it is redrawn. */
  const drawnFrom = () => {
    // Hundreds of thousands of calls: a local avoids the import's lookup, which would double their time.
    const drawn = below;
    let [value, requests] = [0, 0];
    const bytes = { number: () => (requests++ === 0 ? value : 0) };
    return (n: number, from: number): number | undefined => {
      [value, requests] = [from, 0];
      const result = drawn(bytes, n);
      return requests > 1 ? undefined : result;
    };
  };

  test("is exactly uniform for every n up to 1024: each result has equally many byte values", () => {
    const drawn = drawnFrom();
    for (let n = 1; n <= 1_024; n++) {
      const reach = 256 ** bytesFor(n);
      const times = new Uint32Array(n);
      let again = 0;
      for (let value = 0; value < reach; value++) {
        const result = drawn(n, value);
        if (result === undefined) again++;
        else times[result]!++;
      }
      const each = Math.floor(reach / n);
      expect(times.every((count) => count === each)).toBe(true);
      expect(again).toBe(reach - each * n);
    }
  });

  test("is the remainder for every n up to 16 Mi at the edges of its rounds, and redrawn from the end of the last", () => {
    const drawn = drawnFrom();
    fc.assert(
      fc.property(fc.integer({ min: 1_025, max: 2 ** 24 }), (n) => {
        const reach = 256 ** bytesFor(n);
        const end = reach - (reach % n);
        const uneven: number[] = [];
        for (let round = 0; round < end; round += n * Math.ceil(end / n / 64))
          if (drawn(n, round) !== 0 || drawn(n, round + n - 1) !== n - 1) uneven.push(round);
        expect(uneven).toEqual([]);
        expect([drawn(n, end - 1), end < reach ? drawn(n, end) : undefined]).toEqual([n - 1, undefined]);
        expect(end < reach ? drawn(n, reach - 1) : undefined).toBeUndefined();
      }),
      { numRuns: scaled(2_000, 10) },
    );
  });

  test("draws again where the remainder would favour small numbers", () => {
    // 256 = 25 * 10 + 6: 250 to 255 are passed over.
    const bytes = chosen([250, 255, 251, 249]);
    expect(below(bytes, 10)).toBe(9);
    expect(bytes.read).toBe(4);
  });

  test("is big-endian", () => expect(below(chosen([1, 2]), 65_536)).toBe(258));

  test("with one choice reads no byte", () => expect(below(chosen([]), 1)).toBe(0));
});

test("a fraction is the upper 53 of 64 bits", () => {
  expect(fraction(chosen([0, 0, 0, 0, 0, 0, 0, 0]))).toBe(0);
  expect(fraction(chosen([0x80, 0, 0, 0, 0, 0, 0, 0]))).toBe(0.5);
  expect(fraction(chosen(Array<number>(8).fill(255)))).toBe(1 - 2 ** -53);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
      const whole = Buffer.from(bytes).readBigUInt64BE() >> 11n;
      expect(fraction(chosen([...bytes]))).toBe(Number(whole) / 2 ** 53);
    }),
  );
});

describe("a shuffle", () => {
  test("gives each order of four equally often, over all its possible draws", () => {
    const times = new Map<string, number>();
    // Bytes below 252 = 4 * 63 = 3 * 84 = 2 * 126 are taken for each of the three draws, so 12 values stand for all.
    for (let a = 0; a < 4; a++)
      for (let b = 0; b < 3; b++)
        for (let c = 0; c < 2; c++) {
          const order = shuffled(chosen([a, b, c]), 4).join("");
          times.set(order, (times.get(order) ?? 0) + 1);
        }
    expect(times.size).toBe(24);
    expect([...times.values()].every((count) => count === 1)).toBe(true);
  });

  test("swaps from the last index down", () => expect(shuffled(chosen([0, 0, 0]), 4)).toEqual([1, 2, 3, 0]));
});
