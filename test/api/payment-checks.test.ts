/** Each check of a payment is switched off in turn: then the payment that only it refuses must pass. */
import { describe, expect, test } from "vitest";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import {
  type ChallengedCall,
  challengeFault,
  challengeIssuer,
  challengeNonce,
} from "../../src/api/serve/mpp/challenge.ts";
import { examine, paymentChecks, type RequiredPayment } from "../../src/api/serve/x402/checks.ts";
import { readPayment } from "../../src/api/serve/x402/payload.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { addressOf, PAYEE, payment, wallet } from "../support/wallets.ts";
import { PRICE, presentedV1, presentedV2 } from "../support/x402.ts";

const now = new Date();
const seconds = BigInt(Math.floor(now.getTime() / 1000));
const required: RequiredPayment = {
  pay_to: PAYEE,
  amount_micro: PRICE,
  resource: "https://ours.example/v1/agent/count?limit=3",
};
const recover = recoverKey;

const OURS = { public_url: "https://ours.example", pay_to: PAYEE, secret: Buffer.alloc(32, 7) };
const PATH = "/v1/agent/count?limit=3";
const expires = new Date(now.getTime() + 300_000);
required.challengeFault = (challenge, nonce, at) =>
  challengeFault(challenge, OURS, { nonce, path: PATH, now: at });

/** The credential of a challenge, whose authorization has the nonce that the challenge wants. */
async function answered(changes: object = {}, issued: ChallengedCall = inTime, issuer = OURS) {
  const { challenge } = challengeIssuer(issuer)(issued);
  const { transfer, signature } = await payment(payer, PRICE, { nonce: challengeNonce(challenge) });
  return {
    challenge: { ...challenge, ...changes },
    payload: {
      type: "authorization",
      signature,
      from: transfer.from,
      to: transfer.to,
      value: String(transfer.value),
      validAfter: String(transfer.valid_after),
      validBefore: String(transfer.valid_before),
      nonce: transfer.nonce,
    },
  };
}
const inTime = { amount_micro: String(PRICE), path: PATH, expires };
const payer = wallet(0);

const sound = await payment(payer, PRICE);
const elsewhere = addressOf(wallet(5));
const stranger = `0x${"77".repeat(20)}` as Hex;

const credential = await answered();

type Attack = { presented: object; code: string };

const signed = async (value: bigint, more: Parameters<typeof payment>[2]) =>
  presentedV1(await payment(payer, value, more));

/** For each check a payment that only this check refuses. */
const attacks: Record<string, Attack[]> = {
  scheme: [
    { presented: presentedV1(sound, { scheme: "upto" }), code: "invalid_scheme" },
    { presented: presentedV2(sound, PAYEE, { accepted: { scheme: "upto" } }), code: "invalid_scheme" },
  ],
  network: [
    { presented: presentedV1(sound, { network: "base-sepolia" }), code: "invalid_network" },
    { presented: presentedV1(sound, { network: "eip155:8453" }), code: "invalid_network" },
    { presented: presentedV2(sound, PAYEE, { accepted: { network: "base" } }), code: "invalid_network" },
  ],
  asset: [
    {
      presented: presentedV2(sound, PAYEE, { accepted: { asset: stranger } }),
      code: "invalid_payment_requirements",
    },
  ],
  terms: [
    { amount: "1" },
    { payTo: elsewhere },
    { maxTimeoutSeconds: 86_400 },
    { extra: { name: "USDC", version: "2" } },
    { extra: { name: "USD Coin", version: "1" } },
    { extra: null },
  ].map((accepted) => ({
    presented: presentedV2(sound, PAYEE, { accepted }),
    code: "invalid_payment_requirements",
  })),
  resource: [
    "https://ours.example/v1/agent/count?limit=4",
    "https://ours.example/v1/agent/count",
    "https://ours.example/v1/agent/misfit?limit=3",
    "no url",
  ].map((url) => ({
    presented: presentedV2(sound, PAYEE, { resource: { url } }),
    code: "invalid_payment_requirements",
  })),
  payee: [
    {
      presented: await signed(PRICE, { to: elsewhere }),
      code: "invalid_exact_evm_payload_recipient_mismatch",
    },
  ],
  "too little": [
    { presented: await signed(PRICE - 1n, {}), code: "invalid_exact_evm_payload_authorization_value" },
    { presented: await signed(0n, {}), code: "invalid_exact_evm_payload_authorization_value" },
  ],
  "too much": [
    {
      presented: await signed(PRICE + 1n, {}),
      code: "invalid_exact_evm_payload_authorization_value_mismatch",
    },
  ],
  "not yet valid": [
    {
      presented: await signed(PRICE, { valid_after: seconds }),
      code: "invalid_exact_evm_payload_authorization_valid_after",
    },
  ],
  expired: [
    {
      presented: await signed(PRICE, { valid_before: seconds + 5n }),
      code: "invalid_exact_evm_payload_authorization_valid_before",
    },
  ],
  "too far ahead": [
    {
      presented: await signed(PRICE, { valid_before: seconds + 3601n }),
      code: "invalid_exact_evm_payload_authorization_valid_before",
    },
    {
      presented: await signed(PRICE, { valid_before: 2n ** 256n - 1n }),
      code: "invalid_exact_evm_payload_authorization_valid_before",
    },
  ],
  challenge: [
    await answered({ id: "of-somebody-else" }),
    await answered({ realm: "other.example" }),
    await answered({ expires: new Date(now.getTime() + 900_000).toISOString() }),
    await answered({ id: challengeIssuer(OURS)(inTime).challenge.id }),
    await answered({}, { ...inTime, path: "/v1/agent/count?limit=4" }),
    await answered({}, { ...inTime, expires: new Date(now.getTime() - 1_000) }),
    await answered({}, inTime, { ...OURS, secret: Buffer.alloc(32, 8) }),
    await answered({}, inTime, { ...OURS, public_url: "https://proxy.example" }),
    { ...(await answered()), payload: { ...(await answered()).payload } },
  ].map((presented) => ({ presented, code: "invalid_payment_requirements" })),
  payer: [
    { presented: await signed(PRICE, { from: PAYEE }), code: "invalid_payload" },
    { presented: await signed(PRICE, { from: `0x${"00".repeat(20)}` }), code: "invalid_payload" },
  ],
};

const judged = (presented: object, checks = paymentChecks) =>
  examine(readPayment(presented), required, now, recover, checks);

describe("every check of a payment", () => {
  test("has an attack", () => {
    expect(Object.keys(attacks).sort()).toEqual(paymentChecks.map(({ name }) => name).sort());
  });

  test.each(paymentChecks.map(({ name }) => name))(
    "%s refuses its attacks, and no other check does",
    (name) => {
      const without = paymentChecks.filter((check) => check.name !== name);
      for (const { presented, code } of attacks[name]!) {
        expect(() => judged(presented)).toThrow(expect.objectContaining({ name: "PaymentRefused", code }));
        expect(judged(presented, without)).toHaveProperty("signed");
      }
    },
  );
});

describe("a valid payment", () => {
  test("is accepted in either version, under any name of the service", () => {
    expect(judged(presentedV1(sound))).toEqual({ signed: sound, contract: false });
    expect(judged(credential)).toHaveProperty("contract", false);
    for (const url of [required.resource, "http://127.0.0.1:4021/v1/agent/count?limit=3"])
      expect(judged(presentedV2(sound, PAYEE, { resource: { url } }))).toEqual({
        signed: sound,
        contract: false,
      });
    expect(judged(presentedV2(sound, PAYEE))).toEqual({ signed: sound, contract: false });
  });

  test("may be valid for an hour, and must be valid for six seconds", async () => {
    for (const valid_before of [seconds + 6n, seconds + 3600n])
      expect(judged(await signed(PRICE, { valid_before }))).toMatchObject({ contract: false });
  });

  test("gets its signature in the contract's form", () => {
    const body = sound.signature.slice(0, -2);
    const short = sound.signature.endsWith("1b") ? "00" : "01";
    const upper = `0x${(body.slice(2) + short).toUpperCase()}`;
    expect(judged(presentedV1({ ...sound, signature: upper as Hex }))).toEqual({
      signed: sound,
      contract: false,
    });
  });
});

describe("a signature by another key than the payer's", () => {
  test.each([
    ["of another wallet", async () => (await payment(wallet(1), PRICE, sound.transfer)).signature],
    ["of other terms", async () => (await payment(payer, PRICE)).signature],
    ["with its parity turned", async () => turned(sound.signature)],
    ["with an s in the upper half", async () => highS(sound.signature)],
    ["of zeros", async () => `0x${"00".repeat(65)}`],
    ["of another length", async () => `0x${"ab".repeat(200)}`],
    ["of no length", async () => "0x"],
  ])("%s is left to the chain, and sent unchanged", async (_, forged) => {
    const signature = (await forged()) as Hex;
    expect(judged(presentedV1({ ...sound, signature }))).toEqual({
      signed: { transfer: sound.transfer, signature },
      contract: true,
    });
  });
});

const turned = (signature: Hex) => signature.slice(0, -2) + (signature.endsWith("1b") ? "1c" : "1b");

/** The same point's other form: every ECDSA signature has one, and the token's contract refuses it. */
function highS(signature: Hex): string {
  const order = BigInt("0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
  const s = order - BigInt(`0x${signature.slice(66, 130)}`);
  return turned(`${signature.slice(0, 66)}${s.toString(16).padStart(64, "0")}${signature.slice(130)}` as Hex);
}
