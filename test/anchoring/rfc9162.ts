/** RFC 9162, section 2.1, word for word: slow, recursive, and independent of the tested code. */
import { createHash } from "node:crypto";

const sha256 = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** "Let k be the largest power of two smaller than n (i.e., k < n <= 2k)." */
function splitOf(n: number): number {
  let k = 1;
  while (2 * k < n) k *= 2;
  return k;
}

/** The definitions of sections 2.1.1, 2.1.3.1 and 2.1.4.1 over a list of inputs; D[a:b] is written (a, b). */
export function rfc9162(inputs: readonly Uint8Array[]) {
  const known = new Map<string, Buffer>();

  function MTH(a = 0, b = inputs.length): Buffer {
    const name = `${a}:${b}`;
    const before = known.get(name);
    if (before) return before;
    const n = b - a;
    let found: Buffer;
    if (n === 0) found = sha256();
    else if (n === 1) found = sha256(Buffer.of(0), inputs[a]!);
    else {
      const k = splitOf(n);
      found = sha256(Buffer.of(1), MTH(a, a + k), MTH(a + k, b));
    }
    known.set(name, found);
    return found;
  }

  function PATH(m: number, a: number, b: number): Buffer[] {
    const n = b - a;
    if (n === 1) return [];
    const k = splitOf(n);
    if (m < k) return [...PATH(m, a, a + k), MTH(a + k, b)];
    return [...PATH(m - k, a + k, b), MTH(a, a + k)];
  }

  function SUBPROOF(m: number, a: number, b: number, whole: boolean): Buffer[] {
    const n = b - a;
    if (m === n) return whole ? [] : [MTH(a, b)];
    const k = splitOf(n);
    if (m <= k) return [...SUBPROOF(m, a, a + k, whole), MTH(a + k, b)];
    return [...SUBPROOF(m - k, a + k, b, false), MTH(a, a + k)];
  }

  return {
    root: (size: number) => MTH(0, size),
    leaf: (index: number) => MTH(index, index + 1),
    inclusion: (index: number, size: number) => PATH(index, 0, size),
    consistency: (first: number, second: number) => SUBPROOF(first, 0, second, true),
  };
}
