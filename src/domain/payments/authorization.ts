/** EIP-3009 TransferWithAuthorization: the digest that a payer signs (EIP-712), and the signer of a digest. */

import { keccak256 } from "viem/utils";
import type { Hex, RecoverKey } from "../../core/model/chain.ts";
import type { TransferAuthorization } from "../../core/model/ports/settlement.ts";

/** r and s (64 bytes) and the parity of the point. */
export type Signature = { rs: Uint8Array; recovery: 0 | 1 };

/** Source: EIP-3009, and `TRANSFER_WITH_AUTHORIZATION_TYPEHASH` of Circle's EIP3009.sol. */
const TRANSFER_TYPE =
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";
const DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";

/** Half the order of secp256k1: of two equivalent signatures, the chain accepts the one with s at most this (EIP-2). */
export const HALF_ORDER = BigInt("0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0");
const WORD = 32;

const hashOf = (text: string) => keccak256(Buffer.from(text), "bytes");

/** The EIP-712 domain separator of a token; 32 bytes. */
export function domainSeparator(token: { name: string; version: string; address: Hex }, chainId: number) {
  const words = Buffer.alloc(5 * WORD);
  words.set(hashOf(DOMAIN_TYPE), 0);
  words.set(hashOf(token.name), WORD);
  words.set(hashOf(token.version), 2 * WORD);
  putNumber(words, 3, BigInt(chainId));
  putAddress(words, 4, token.address);
  return keccak256(words, "bytes");
}

/** Returns a digest function for one token. It reuses its buffer, so threads must not share it. */
export function authorizationDigest(separator: Uint8Array): (transfer: TransferAuthorization) => Uint8Array {
  const words = Buffer.alloc(7 * WORD);
  words.set(hashOf(TRANSFER_TYPE), 0);
  const envelope = Buffer.alloc(2 + 2 * WORD);
  envelope.set([0x19, 0x01], 0);
  envelope.set(separator, 2);
  return (transfer) => {
    putAddress(words, 1, transfer.from);
    putAddress(words, 2, transfer.to);
    putNumber(words, 3, transfer.value);
    putNumber(words, 4, transfer.valid_after);
    putNumber(words, 5, transfer.valid_before);
    putHex(words, 6 * WORD, transfer.nonce, WORD);
    envelope.set(keccak256(words, "bytes"), 2 + WORD);
    return keccak256(envelope, "bytes");
  };
}

/**
 * Reads the 65 bytes r, s, v like the token's contract, which refuses an s in the upper half of the order; v may also
 * be 0 or 1, as some wallets write it. undefined = no such signature, though a payer's own contract may accept it.
 */
export function readSignature(text: string): Signature | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(text)) return undefined;
  const bytes = Buffer.from(text.slice(2), "hex");
  const v = bytes[64]!;
  const recovery = v >= 27 ? v - 27 : v;
  if (recovery !== 0 && recovery !== 1) return undefined;
  const s = BigInt(`0x${bytes.toString("hex", WORD, 2 * WORD)}`);
  if (s === 0n || s > HALF_ORDER) return undefined;
  return { rs: bytes.subarray(0, 2 * WORD), recovery };
}

/** The contract takes v as 27 or 28. */
export const writeSignature = ({ rs, recovery }: Signature): Hex =>
  `0x${Buffer.from(rs).toString("hex")}${recovery === 0 ? "1b" : "1c"}`;

/** Recovers the signer's address from a digest. */
export function signerOf(
  digest: Uint8Array,
  { rs, recovery }: Signature,
  recover: RecoverKey,
): Hex | undefined {
  const key = recover(digest, rs, recovery);
  return key && `0x${keccak256(key.subarray(1)).slice(-40)}`;
}

function putAddress(into: Buffer, word: number, address: Hex): void {
  putHex(into, word * WORD + 12, address, 20);
}

function putNumber(into: Buffer, word: number, value: bigint): void {
  if (value < 0n || value >> 256n !== 0n) throw new RangeError(`${value} is not a uint256`);
  into.write(value.toString(16).padStart(2 * WORD, "0"), word * WORD, "hex");
}

function putHex(into: Buffer, at: number, hex: Hex, length: number): void {
  if (hex.length !== 2 + 2 * length || into.write(hex.slice(2), at, "hex") !== length)
    throw new RangeError(`not ${length} bytes of hex`);
}
