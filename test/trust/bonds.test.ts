/** Agents that an agent may not attest: each bond alone, so a missing rule shows. */
import { describe, expect, test } from "vitest";
import { refuseSelf, type Side } from "../../src/domain/trust/attestation.ts";

const from: Side = { sx_number: 1, wallets: ["0xaa"], delegates: [] };
const to: Side = { sx_number: 2, wallets: ["0xbb"], delegates: [] };

test("an unrelated agent may attest, whatever wallet of its own pays", () => {
  expect(() => refuseSelf(from, to, undefined)).not.toThrow();
  expect(() => refuseSelf(from, to, "0xaa")).not.toThrow();
  expect(() => refuseSelf(from, to, "0xcc")).not.toThrow();
  expect(() => refuseSelf({ ...from, delegates: [3] }, { ...to, delegates: [3] }, "0xaa")).not.toThrow();
});

describe("an attestation is refused", () => {
  test.each<[string, Side, Side, string | undefined, RegExp]>([
    ["itself", from, { ...to, sx_number: 1 }, "0xaa", /is the subject/],
    ["an agent whose wallet pays", from, to, "0xbb", /paying wallet belongs to SX#2/],
    [
      "an agent with a shared wallet",
      from,
      { ...to, wallets: ["0xbb", "0xaa"] },
      undefined,
      /share a wallet/,
    ],
    ["its delegate", { ...from, delegates: [7, 2] }, to, undefined, /SX#2 acts for the attestor/],
    ["its principal", from, { ...to, delegates: [1] }, undefined, /acts for SX#2/],
  ])("%s", (_, attestor, subject, payer, answer) =>
    expect(() => refuseSelf(attestor, subject, payer)).toThrow(answer),
  );
});
