/** Detects keys (RFC 8032, section 5.1) that libraries accept although their signatures prove nothing. */

const P = 2n ** 255n - 19n;
/** The y coordinates of the points whose order divides 8; each stands for y and −y. */
const SMALL_ORDER = [0n, 1n, 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n];

/** True if anybody can forge signatures for the key, or if its encoding is not canonical. */
export function isWeakKey(public_key: Uint8Array): boolean {
  const y = BigInt.asUintN(255, BigInt(`0x${Buffer.from(public_key).reverse().toString("hex")}`));
  return y >= P || SMALL_ORDER.some((one) => y === one || y === P - one);
}
