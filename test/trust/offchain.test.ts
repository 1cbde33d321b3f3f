/** Vectors of eas-sdk 2.10.0; its UIDs and its verification of our signature were checked by hand. */
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { type AttestationContent, dataOf, offchainOf, SCHEMA_UID } from "../../src/domain/trust/eas.ts";

const said: AttestationContent = {
  attestation_id: "ab".repeat(16),
  from: 42,
  to: 7,
  skill: "translation",
  weight_micro: 2_500_000,
  recipient: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
};
const chain = { chain_id: 8453, contract_version: "1.0.1", time_s: 1_790_000_000 };

test("an offchain attestation has eas-sdk's UID and digest", async () => {
  const { offchain, digest } = offchainOf(said, chain);
  expect(offchain.uid).toBe("0xfdb61c45a3329d71fca20b78d80965a818eecc4caa6b80a528aa058d0ac4708f");
  const signature = await privateKeyToAccount(`0x${"11".repeat(32)}`).sign({ hash: digest });
  expect(signature).toBe(
    "0xe2719033f33fa79793f56ea2ac43ada674b1de8146bda0ffcbbd475f9179635e112c1c2a44a2075c1d77d03f978364527aee8ea869f902f02b3305acff7c5cc81c",
  );
});

test("another subject, weight, time, chain or contract version gives another attestation", () => {
  const uidOf = (more: Partial<AttestationContent>, of = {}) =>
    offchainOf({ ...said, ...more }, { ...chain, ...of });
  const { offchain, digest } = uidOf({});
  for (const other of [uidOf({ to: 8 }), uidOf({ weight_micro: 2_500_100 }), uidOf({}, { time_s: 1 })]) {
    expect(other.offchain.uid).not.toBe(offchain.uid);
    expect(other.digest).not.toBe(digest);
  }
  for (const other of [uidOf({}, { chain_id: 1 }), uidOf({}, { contract_version: "1.4.0" })])
    expect(other.digest).not.toBe(digest);
});

test("a subject without a wallet has no recipient, and the schema is the published one", () => {
  const { offchain } = offchainOf({ ...said, recipient: null }, chain);
  expect(offchain.message.recipient).toBe(`0x${"0".repeat(40)}`);
  expect(dataOf(said)).toContain("ab".repeat(16) + "0".repeat(32));
  expect(offchain.message.schema).toBe(SCHEMA_UID);
});
