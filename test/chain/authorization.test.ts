/** The digest of a TransferWithAuthorization and its signer, compared with viem. */
import fc from "fast-check";
import { hashTypedData, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import type { TransferAuthorization } from "../../src/core/model/ports/settlement.ts";
import {
  authorizationDigest,
  domainSeparator,
  readSignature,
  signerOf,
  writeSignature,
} from "../../src/domain/payments/authorization.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { typedData } from "../support/wallets.ts";

const separator = domainSeparator(USDC, 8453);
const digestOf = authorizationDigest(separator);
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => toHex(bytes) as Hex);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const transfers: fc.Arbitrary<TransferAuthorization> = fc.record({
  from: hex(20),
  to: hex(20),
  value: uint256,
  valid_after: uint256,
  valid_before: uint256,
  nonce: hex(32),
});

test("the domain separator equals USDC's on Base", () => {
  // Source: DOMAIN_SEPARATOR() of 0x8335…2913 on Base.
  expect(toHex(separator)).toBe("0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f");
});

test("the digest equals viem's for any transfer", () => {
  fc.assert(
    fc.property(transfers, (transfer) => {
      expect(toHex(digestOf(transfer))).toBe(hashTypedData(typedData(transfer)));
    }),
  );
});

test.each([
  ["a value below zero", { value: -1n }],
  ["a value above a uint256", { value: 2n ** 256n }],
  ["a short address", { from: "0x12" }],
  ["a long nonce", { nonce: `0x${"ab".repeat(33)}` }],
  ["an address that is not hex", { to: `0x${"zz".repeat(20)}` }],
] as const)("%s has no digest", (_, wrong) => {
  const [transfer] = fc.sample(transfers, 1);
  expect(() => digestOf({ ...transfer!, ...wrong })).toThrow(RangeError);
});

describe("recovery", () => {
  test("finds the signer, with v as 27 or 28 and as 0 or 1, and nobody for another message", async () => {
    const cases = fc.sample(fc.tuple(transfers, hex(32)), 20);
    for (const [message, key] of cases) {
      if (BigInt(key) === 0n || BigInt(key) >= ORDER) continue;
      const account = privateKeyToAccount(key);
      const address = account.address.toLowerCase();
      const signed = await account.signTypedData(typedData(message));
      const signature = readSignature(signed)!;
      expect(signerOf(digestOf(message), signature, recoverKey)).toBe(address);
      expect(writeSignature(signature)).toBe(signed);
      const small = `${signed.slice(0, -2)}${signed.endsWith("1b") ? "00" : "01"}`;
      expect(readSignature(small)).toEqual(signature);
      const other = digestOf({ ...message, value: message.value ^ 1n });
      expect(signerOf(other, signature, recoverKey)).not.toBe(address);
    }
  });

  test("returns undefined, and does not throw, if no key could have signed", () => {
    const digest = digestOf(fc.sample(transfers, 1)[0]!);
    const zero = { rs: new Uint8Array(64), recovery: 0 } as const;
    expect(signerOf(digest, zero, recoverKey)).toBeUndefined();
    const tooLarge = { rs: new Uint8Array(64).fill(255), recovery: 1 } as const;
    expect(signerOf(digest, tooLarge, recoverKey)).toBeUndefined();
  });

  test("succeeds for random signatures", () => {
    fc.assert(
      fc.property(transfers, hex(65), (transfer, text) => {
        const signature = readSignature(text);
        if (signature) signerOf(digestOf(transfer), signature, recoverKey);
      }),
    );
  });
});

describe("an invalid signature is refused", () => {
  const low = `0x${"11".repeat(32)}${"22".repeat(32)}1b`;
  const upper = (s: bigint) => `0x${"11".repeat(32)}${s.toString(16).padStart(64, "0")}1b`;
  test("next to a valid one", () => {
    expect(readSignature(low)).toBeDefined();
    expect(readSignature(upper(ORDER / 2n))).toBeDefined();
  });
  test.each([
    ["an s in the upper half", upper(ORDER / 2n + 1n)],
    ["an s of zero", upper(0n)],
    ["a v of 29", `${low.slice(0, -2)}1d`],
    ["a v of 2", `${low.slice(0, -2)}02`],
    ["a v of 26", `${low.slice(0, -2)}1a`],
    ["64 bytes", low.slice(0, -2)],
    ["66 bytes", `${low}00`],
    ["a newline at the end", `${low}\n`],
    ["digits that are not hex", `${low.slice(0, -2)}zz`],
    ["nothing", "0x"],
    ["a megabyte", `0x${"1b".repeat(1_000_000)}`],
  ])("%s", (_, text) => {
    expect(readSignature(text)).toBeUndefined();
  });
});
