/** The signed data and calls of a check, compared with the digests of payments and with viem. */
import { decodeFunctionData, parseAbi } from "viem/utils";
import { describe, expect, test } from "vitest";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import type { Refusal } from "../../src/core/model/refusal.ts";
import type { CheckFacts } from "../../src/domain/checks/check.ts";
import { hashPassphrase, isPassphrase, MOST_WAITING, queued } from "../../src/domain/checks/passphrase.ts";
import { keySignature } from "../../src/domain/checks/redemption.ts";
import {
  cancelTypedData,
  checkTypedData,
  digestOf,
  redemptionCall,
  revocationCall,
  transferOf,
} from "../../src/domain/checks/typed-data.ts";
import { authorizationDigest, domainSeparator } from "../../src/domain/payments/authorization.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { signShown } from "../support/checked.ts";
import { addressOf, typedData, wallet } from "../support/wallets.ts";

const facts: CheckFacts = {
  check_id: "c".repeat(32),
  network: "eip155:8453",
  asset: USDC.address.toLowerCase() as Hex,
  from: addressOf(wallet(0)),
  to: addressOf(wallet(1)),
  amount_micro: 12_500_001,
  mode: "transfer",
  valid_before: 1_800_000_000,
  nonce: `0x${"e1".repeat(32)}`,
  passphrase: null,
  created_at: "2026-01-01T00:00:00.000Z",
};
const receive: CheckFacts = { ...facts, mode: "receive" };
const recover = recoverKey;

describe("typed data", () => {
  test("of a transfer equals that of a payment with the same authorization", async () => {
    const digest = authorizationDigest(domainSeparator(USDC, 8453));
    expect(Buffer.from(digestOf(checkTypedData(facts)))).toEqual(Buffer.from(digest(transferOf(facts))));
    expect(await signShown(0, checkTypedData(facts))).toBe(
      await wallet(0).signTypedData(typedData(transferOf(facts))),
    );
  });

  test("of each kind has a digest of its own", () => {
    const digests = [checkTypedData(facts), checkTypedData(receive), cancelTypedData(facts)].map((data) =>
      Buffer.from(digestOf(data)).toString("hex"),
    );
    expect(new Set(digests).size).toBe(3);
  });

  test("survives JSON, as it travels to a wallet", async () => {
    const shown = JSON.parse(JSON.stringify(checkTypedData(receive)));
    expect(
      keySignature(digestOf(checkTypedData(receive)), facts.from, await signShown(0, shown), recover),
    ).toBeDefined();
  });
});

describe("a key's signature", () => {
  test("is the wallet's own, with v in the form of the contract", async () => {
    const data = checkTypedData(facts);
    const signature = await signShown(0, data);
    const low: Hex = `0x${signature.slice(2, -2)}${signature.endsWith("1b") ? "00" : "01"}`;
    expect(keySignature(digestOf(data), facts.from, low, recover)).toBe(signature);
    expect(keySignature(digestOf(data), facts.to, signature, recover)).toBeUndefined();
    expect(keySignature(digestOf(checkTypedData(receive)), facts.from, signature, recover)).toBeUndefined();
    expect(keySignature(digestOf(data), facts.from, "0x00", recover)).toBeUndefined();
  });
});

describe("a call to USDC", () => {
  const move =
    "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce";
  const abi = parseAbi([
    `function transferWithAuthorization(${move}, bytes signature)`,
    `function receiveWithAuthorization(${move}, bytes signature)`,
    "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
  ]);
  const read = ({ data }: { data: Hex }) => decodeFunctionData({ abi, data });
  const lower = (args: readonly unknown[]) =>
    args.map((arg) => (typeof arg === "string" ? arg.toLowerCase() : arg));

  test.each([
    ["transferWithAuthorization", facts],
    ["receiveWithAuthorization", receive],
  ] as const)("%s draws the check", (name, check) => {
    const { functionName, args } = read(redemptionCall(check, "0xabcd"));
    expect(functionName).toBe(name);
    const { from, to, nonce } = check;
    expect(lower(args)).toEqual([from, to, 12_500_001n, 0n, 1_800_000_000n, nonce, "0xabcd"]);
  });

  test("cancelAuthorization voids the check", () => {
    const { functionName, args } = read(revocationCall(facts, "0xabcd"));
    expect([functionName, ...lower(args)]).toEqual([
      "cancelAuthorization",
      facts.from,
      facts.nonce,
      "0xabcd",
    ]);
  });
});

describe("a passphrase", () => {
  test("matches in any Unicode composition, and no other text matches", async () => {
    const kept = await hashPassphrase("Zürich", Buffer.alloc(16, 7));
    expect(JSON.stringify(kept)).not.toContain("rich");
    expect(await isPassphrase("Zu\u0308rich", kept)).toBe(true);
    expect(
      await Promise.all(["zürich", "Zurich", "", "Zürich "].map((one) => isPassphrase(one, kept))),
    ).toEqual([false, false, false, false]);
  });

  test("is queued, and refused with a retry where too many wait", async () => {
    let under_way = 0;
    const work = async () => {
      expect(++under_way).toBeLessThanOrEqual(2);
      await new Promise((wake) => setImmediate(wake));
      under_way--;
      return "hashed";
    };
    const take = () => queued(work).catch(({ code, type }: Refusal) => [code, type.slug]);
    const answers = await Promise.all(Array.from({ length: MOST_WAITING + 5 }, take));
    expect(answers.slice(0, -3)).toEqual(Array(MOST_WAITING + 2).fill("hashed"));
    expect(answers.slice(-3)).toEqual(Array(3).fill(["unavailable", "busy"]));
    expect(await take()).toBe("hashed");
  });
});
