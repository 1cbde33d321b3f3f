/** With BASE_RPC_URL money is real: settings that anybody could use or guess are refused, all in one error. */
import { generateKeyPairSync, pbkdf2Sync, randomBytes } from "node:crypto";
import { HDKey, hdKeyToAccount, privateKeyToAccount } from "viem/accounts";
import { keccak256 } from "viem/utils";
import { describe, expect, test } from "vitest";
import { DEPLOYMENT_PROXY } from "../../src/core/model/deployment.ts";
import { MULTICALL3 } from "../../src/core/model/multicall.ts";
import { ANCHOR_ADDRESS } from "../../src/domain/anchoring/contract.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { AIRDROP_ADDRESS } from "../../src/domain/wallet/airdrop-contract.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { PUBLISHED_MNEMONICS } from "../../src/runtime/settings/published-accounts.ts";
import { CONTRACTS, secretSettings } from "../../src/runtime/settings/real-money.ts";
import { guessingBits } from "../../src/runtime/settings/strength.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";

type Settings = Record<string, string>;
const base: Settings = { BASE_RPC_URL: "https://mainnet.base.example", PAY_TO: PAYEE, GAS_KEY };
const hex = (bytes: number) => randomBytes(bytes).toString("hex");
const signingKey = (seed: Buffer) =>
  Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]).toString("base64");
const rootOf = (mnemonic: string) =>
  HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, "mnemonic", 2_048, 64, "sha512"));
const foundry = PUBLISHED_MNEMONICS["Foundry and Hardhat"];
const lastOfFoundry = hdKeyToAccount(rootOf(foundry.mnemonic), { addressIndex: foundry.count - 1 });
const privateKeyOf = (account: { getHdKey(): HDKey }) =>
  `0x${Buffer.from(account.getHdKey().privateKey!).toString("hex")}`;

/** The lines of the error, without its first and last. */
function faultsOf(settings: Settings): string[] {
  try {
    readConfig(settings);
    return [];
  } catch (error) {
    return (error as Error).message.split("\n").slice(1, -1);
  }
}

test("one error lists all reasons, each with its setting and the remedy", () => {
  const faults = faultsOf({
    BASE_RPC_URL: "https://mainnet.base.example",
    PAY_TO: `0x${"0".repeat(40)}`,
    GAS_KEY: privateKeyOf(lastOfFoundry).toUpperCase().replace("0X", "0x"),
    SEED_SECRET: "a".repeat(40),
    METRICS_TOKEN: "abcabcabcabcabcabc",
    INTERNAL_TOKEN: "qwertyuiopasdfghjklzxcvbnm1234567890",
    SUBJECT_MASTER_KEY: "0123456789abcdef".repeat(4),
    SUBJECT_PEPPER: "deadbeef".repeat(8),
    SIGNING_KEY: signingKey(Buffer.alloc(32)),
    SUBJECT_KEYS_URL: "postgres://vault:changeme@10.0.0.1/vault",
    GAS_BUGDET_ETH: "1",
    PORT: "many",
  });
  const named = [
    /^PORT is a whole number/,
    /^PAY_TO is the zero address.*; give an address/,
    /^SIGNING_KEY can be guessed.*; make one by `openssl genpkey/,
    /^GAS_KEY is a private key that Foundry and Hardhat publish; make a new account/,
    /^SEED_SECRET can be guessed.*; make one by `openssl rand -hex 32`/,
    /^SUBJECT_MASTER_KEY can be guessed/,
    /^SUBJECT_PEPPER can be guessed/,
    /^INTERNAL_TOKEN can be guessed/,
    /^METRICS_TOKEN can be guessed/,
    /^SUBJECT_KEYS_URL has a password that everybody tries first/,
    /^GAS_BUGDET_ETH is not a setting; the nearest is GAS_BUDGET_ETH/,
  ];
  expect(faults).toEqual(
    named.map((pattern) => expect.stringMatching(new RegExp(`^  ${pattern.source.slice(1)}`))),
  );
});

test("random secrets, made as documented, are accepted", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  for (let n = 0; n < 40; n++) {
    const random = {
      ...base,
      SIGNING_KEY:
        n === 0
          ? privateKey.export({ type: "pkcs8", format: "pem" }).toString()
          : signingKey(randomBytes(32)),
      GAS_KEY: `0x${hex(32)}`,
      REFUND_KEY: `0x${hex(32)}`,
      PAY_TO: `0x${hex(20)}`,
      SEED_SECRET: n % 2 ? hex(32) : randomBytes(24).toString("base64url"),
      SUBJECT_MASTER_KEY: hex(32),
      SUBJECT_PEPPER: hex(32),
      INTERNAL_TOKEN: n % 2 ? hex(16) : randomBytes(24).toString("base64"),
      METRICS_TOKEN: n % 2 ? hex(8) : hex(24),
      FACILITATOR_TOKEN: hex(16),
      AWS_SECRET_ACCESS_KEY: randomBytes(30).toString("base64"),
    };
    expect(faultsOf(random), JSON.stringify(random)).toEqual([]);
  }
});

test("the same settings start a development chain", () => {
  expect(faultsOf({ GAS_KEY: privateKeyOf(lastOfFoundry), SEED_SECRET: "a".repeat(40) })).toEqual([]);
});

describe("published accounts", () => {
  test("are refused for each setting that is a private key or an address", () => {
    const address = lastOfFoundry.address;
    const key = privateKeyOf(lastOfFoundry);
    expect(faultsOf({ ...base, PAY_TO: address })).toEqual([
      expect.stringMatching(/PAY_TO is an account whose/),
    ]);
    expect(faultsOf({ ...base, PLATFORM_TOKEN: address })).toEqual([
      expect.stringMatching(/PLATFORM_TOKEN is an/),
    ]);
    for (const setting of ["GAS_KEY", "REFUND_KEY"])
      expect(faultsOf({ ...base, [setting]: key })).toEqual([
        expect.stringMatching(`${setting} is a private key`),
      ]);
    for (const setting of ["SUBJECT_MASTER_KEY", "SUBJECT_PEPPER", "SEED_SECRET", "INTERNAL_TOKEN"])
      expect(faultsOf({ ...base, [setting]: key.slice(2) })).toEqual([expect.stringMatching(setting)]);
  });
});

const small = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
test.each([
  ...[1, 9, 0x0100, 0xff, 0xdead].map((n): [string, RegExp] => [small(n), /precompile/]),
  [USDC.address, /contract of USDC itself/],
  ["0x4200000000000000000000000000000000000006", /contract of Base/],
  [`0x${"1".repeat(40)}`, /nobody has its private key/],
  [`0x${"dEaD".repeat(10)}`, /nobody has its private key/],
  [`0x${"f".repeat(39)}e`, /nobody has its private key/],
  [`0x${"abc".repeat(13)}a`, /nobody has its private key/],
  [`0x${"abcdef".repeat(6)}abcd`, /nobody has its private key/],
  ["0x1234567890123456789012345678901234567890", /nobody has its private key/],
  ["0xDeadDeAddeAddEAddeadDEaDDEAdDeaDDeAD0000", /nobody has its private key/],
  ["0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001", /nobody has its private key/],
  ["0xc0D3C0d3C0d3C0D3c0d3C0d3c0D3C0d3c0d30006", /nobody has its private key/],
  ["0x4200000000000000000000000000000000000420", /contract of Base/],
  ["0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02", /EIP-4788/],
  ["0x0000F90827F1C53a10cb7A02335B175320002935", /EIP-2935/],
  ["0x000000000022D473030F116dDEE9F6B43aC78BA3", /Permit2/],
  ["0x0000000071727De22E5E9d8BAf0edAc6f37da032", /EntryPoint/],
  ["0x2Ce6311ddAE708829bc0784C967b7d77D19FD779", /USDC's proxy/],
  ...[`${"0".repeat(62)}ff`, "01".repeat(32), "deadbeef".repeat(8), keccak256("0x").slice(2)].map(
    (key): [string, RegExp] => [privateKeyToAccount(`0x${key}`).address, /everybody who tries simple keys/],
  ),
  ...[ANCHOR_ADDRESS, AIRDROP_ADDRESS, MULTICALL3, DEPLOYMENT_PROXY.address].map(
    (address): [string, RegExp] => [address, new RegExp(CONTRACTS[address.toLowerCase()] ?? "no name")],
  ),
])("PAY_TO %s is refused", (address, reason) => {
  expect(faultsOf({ ...base, PAY_TO: address })).toEqual([expect.stringMatching(reason)]);
});

test("PAY_TO may begin with zeros, and is not the platform token", () => {
  expect(faultsOf({ ...base, PAY_TO: `0x00000000000${hex(15).slice(1)}` })).toEqual([]);
  const token = `0x${hex(20)}`;
  expect(
    faultsOf({ ...base, PAY_TO: token, PLATFORM_TOKEN: token.toUpperCase().replace("0X", "0x") }),
  ).toHaveLength(1);
});

/** Typical secrets, of 64 characters or as long as needed. */
const WEAK = [
  "0".repeat(64),
  `${"0".repeat(63)}1`,
  "ab".repeat(32),
  "deadbeefcafe".repeat(6),
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
  "qwertyuiopasdfghjklzxcvbnmqwertyuiop",
  "abcdefghijklmnopqrstuvwxyz0123456789",
  "9876543210987654321098765432109876543210",
  "AaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAa",
  "change-me-change-me-change-me-change-me",
  "this is an example that somebody copied from a page",
  "my super secret value of more than 32 characters",
  "what the seeds of this fixture are made from",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
  "3141592653589793238462643383279502884197169399375105820974944592",
  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  "correct horse battery staple correct horse battery staple",
];
test.each(WEAK)("SEED_SECRET and INTERNAL_TOKEN are not %s", (weak) => {
  for (const setting of ["SEED_SECRET", "INTERNAL_TOKEN"])
    expect(faultsOf({ ...base, [setting]: weak })).toEqual([expect.stringMatching(setting)]);
});

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
test.each([
  [0n, /not a private key/],
  [ORDER, /not a private key/],
  [2n ** 256n - 1n, /not a private key/],
  [ORDER - 1n, /everybody/],
  [ORDER - 2n, /everybody/],
  [200n, /everybody/],
  [BigInt(keccak256("0x")), /everybody/],
  [0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63n, /Besu/],
])("GAS_KEY and REFUND_KEY are not %s", (key, reason) => {
  for (const setting of ["GAS_KEY", "REFUND_KEY"])
    expect(faultsOf({ ...base, [setting]: `0x${key.toString(16).padStart(64, "0")}` })).toEqual([
      expect.stringMatching(new RegExp(`${setting}.*${reason.source}`)),
    ]);
});

test("the key of a model is not a common word, and is never sent unencrypted", () => {
  const model = {
    ...base,
    MODEL_NAME: "m",
    MODEL_BASE_URL: "https://models.example/v1",
    MODEL_API_KEY: hex(16),
  };
  expect(faultsOf(model)).toEqual([]);
  expect(faultsOf({ ...model, MODEL_API_KEY: "changeme" })).toEqual([expect.stringMatching(/MODEL_API_KEY/)]);
  expect(faultsOf({ ...model, MODEL_BASE_URL: "http://10.0.0.5/v1" })).toEqual([
    expect.stringMatching(/MODEL_BASE_URL is http/),
  ]);
  expect(faultsOf({ ...model, MODEL_BASE_URL: "http://127.0.0.1:8000/v1" })).toEqual([]);
});

test("only unpredictable bits are counted", () => {
  expect(guessingBits("a".repeat(1_000))).toBe(0);
  expect(guessingBits("0123456789abcdef".repeat(4))).toBeLessThan(80);
  expect(guessingBits(hex(32))).toBeGreaterThan(200);
});

test("published keys are refused: those of RFC 8032, and those of the vectors in docs", () => {
  const printed = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
  expect(faultsOf({ ...base, SIGNING_KEY: printed })).toEqual([
    expect.stringMatching(/SIGNING_KEY.*published as an example/),
  ]);
});

test("one secret serves one purpose; refunds alone may be paid from the gas account", () => {
  const secret = hex(32);
  expect(faultsOf({ ...base, SEED_SECRET: secret, SUBJECT_PEPPER: secret.toUpperCase() })).toEqual([
    expect.stringMatching(/SUBJECT_PEPPER is the same as SEED_SECRET/),
  ]);
  expect(faultsOf({ ...base, REFUND_KEY: GAS_KEY })).toEqual([]);
  expect(faultsOf({ ...base, SEED_SECRET: GAS_KEY.slice(2) })).toHaveLength(1);
});

test("a weak master key is accepted as the old key, so that it can be replaced", () => {
  expect(faultsOf({ ...base, SUBJECT_MASTER_KEY_OLD: "ab".repeat(32) })).toEqual([]);
});

test.each([
  ["DATABASE_URL", "postgres://tallystick_app:tallystick_app@db/tallystick"],
  ["DATABASE_URL", "postgres://postgres@h/db?password=postgres"],
  ["DATABASE_URL", "postgres://postgres:%70ostgres@h/db"],
  ["DATABASE_URL", "postgres:///db?host=h&user=postgres&password=postgres"],
  ["DATABASE_URL", "postgres://app:tallystick-dev@h/db"],
  ["DATABASE_URL", "postgres://app:letmein@h/db"],
  ["KURRENTDB_URL", "esdb://admin:changeit@127.0.0.1:2113?tls=false"],
  ["READ_DATABASE_URLS", `postgres://a:${hex(8)}@b/c,postgres://a:postgres@b/c`],
])("%s with the password of an example is refused", (setting, url) => {
  expect(faultsOf({ ...base, [setting]: url })).toEqual([expect.stringMatching(`${setting} has a password`)]);
  expect(faultsOf({ [setting]: url })).toEqual([]);
});

test("each setting with the name of a secret is checked, or is issued by others", () => {
  const secret = /KEY|SECRET|TOKEN|PEPPER/;
  const given_by_others = ["AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN"];
  const no_secret = ["PLATFORM_TOKEN", "SUBJECT_KEYS_URL", "SUBJECT_KEYS_ANEW", "MODEL_DAILY_TOKENS"];
  const all = Object.keys(readConfig({})).filter((name) => secret.test(name));
  const rest = ["SIGNING_KEY", ...secretSettings, ...given_by_others, ...no_secret, "SUBJECT_MASTER_KEY_OLD"];
  expect(all.filter((name) => !rest.includes(name))).toEqual([]);
});
