/** The list of published accounts matches their mnemonics and keys. */
import { createHash, pbkdf2Sync } from "node:crypto";
import { HDKey, hdKeyToAccount } from "viem/accounts";
import { keccak256, stringToHex } from "viem/utils";
import { expect, test } from "vitest";
import {
  addressOfKey,
  COMMON_WORDS,
  GUESSERS,
  ORDER,
  PUBLISHED_KEYS,
  PUBLISHED_MNEMONICS,
  publisherOf,
} from "../../src/runtime/settings/published-accounts.ts";

const hexOf = (number: bigint) => number.toString(16).padStart(64, "0");
const byte = (at: number) => at.toString(16).padStart(2, "0");

/** Keys without an owner, which everybody tries. */
const guessed = [
  ...Array.from({ length: 256 }, (_, at) => hexOf(BigInt(at + 1))),
  ...Array.from({ length: 16 }, (_, at) => hexOf(ORDER - BigInt(at + 1))),
  ...Array.from({ length: 254 }, (_, at) => byte(at + 1).repeat(32)),
  "deadbeef".repeat(8),
  "0123456789abcdef".repeat(4),
  ...COMMON_WORDS.flatMap((word) => [
    keccak256(stringToHex(word)).slice(2),
    createHash("sha256").update(word).digest("hex"),
  ]),
];

test("every account of a published mnemonic or key, or of a simple key, is named", () => {
  const owners: Record<string, string[]> = { [GUESSERS]: guessed.map((key) => addressOfKey(key)!) };
  for (const [owner, { mnemonic, count }] of Object.entries(PUBLISHED_MNEMONICS)) {
    const root = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, "mnemonic", 2_048, 64, "sha512"));
    owners[owner] = Array.from({ length: count }, (_, addressIndex) =>
      hdKeyToAccount(root, { addressIndex }).address.toLowerCase(),
    );
  }
  for (const [owner, keys] of Object.entries(PUBLISHED_KEYS))
    owners[owner] = keys.map((key) => addressOfKey(key)!);
  for (const [owner, addresses] of Object.entries(owners))
    expect(
      addresses.filter((address) => publisherOf(address) === undefined),
      owner,
    ).toEqual([]);
});
