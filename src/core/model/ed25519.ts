/** Keys of Ed25519 (RFC 8032, section 5.1) that prove nothing, though libraries verify by them. */

/** The field's prime. */
const P = 2n ** 255n - 19n;
/** The y of the points whose order divides 8, up to its sign. */
const SMALL_ORDER = [0n, 1n, 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n];

/** True of 32 bytes under which anybody can sign something, or that are not the one spelling of their point. */
export function isWeakKey(public_key: Uint8Array): boolean {
  const y = BigInt.asUintN(255, BigInt(`0x${Buffer.from(public_key).reverse().toString("hex")}`));
  return y >= P || SMALL_ORDER.some((one) => y === one || y === P - one);
}
