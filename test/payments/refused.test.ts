/** Valid signatures that do not fit their call: refused by name, with nothing done and nothing moved. */
import { randomBytes } from "node:crypto";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Hex } from "../../src/core/model/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import {
  balanceOf,
  cancelAuthorization,
  carriedByStranger,
  finalize,
  openWorkshop,
  placeWallet,
  type Workshop,
} from "../chain/fixture.ts";
import { expectBooks } from "../support/books.ts";
import { type Service, startService } from "../support/service.ts";
import {
  addressOf,
  GAS_KEY,
  PAYEE,
  payment,
  SAYS_NO,
  SAYS_YES,
  typedData,
  wallet,
} from "../support/wallets.ts";
import { headerOf, PRICE, presentedV1, presentedV2 } from "../support/x402.ts";
import { sampleOperations, script } from "./sample-operations.ts";

let workshop: Workshop;
let service: Service;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: sampleOperations, chain });
});
afterAll(async () => {
  if (service) await expectBooks(service.app);
  await service?.stop();
  await workshop?.close();
});
afterEach(() => {
  script.before = async () => {};
});

const STRANGER: Hex = "0x000000000000000000000000000000000000dead";
const seconds = () => BigInt(Math.floor(Date.now() / 1000));
const urlOf = (say: string) => `${service.url}/v1/agent/test/echo?say=${say}`;
const v1 = (signed: SignedTransfer, more: object = {}) => ({
  "X-PAYMENT": headerOf(presentedV1(signed, more)),
});
const v2 = (signed: SignedTransfer, more: Parameters<typeof presentedV2>[2] = {}) => ({
  "PAYMENT-SIGNATURE": headerOf(presentedV2(signed, PAYEE, more)),
});
const ask = (headers: Record<string, string>, say = "hello") => fetch(urlOf(say), { headers });
const order = (name: string, headers: Record<string, string>) =>
  fetch(`${service.url}/v1/agent/test/order`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ name }),
  });

/** Signed for a domain other than USDC's on Base. */
async function signedElsewhere(domain: {
  chainId?: number;
  verifyingContract?: Hex;
}): Promise<SignedTransfer> {
  const { transfer } = await payment(wallet(0), PRICE);
  const data = typedData(transfer);
  return {
    transfer,
    signature: await wallet(0).signTypedData({ ...data, domain: { ...data.domain, ...domain } }),
  };
}

/** Everything that a refusal must leave unchanged. */
async function standing(payer: Hex) {
  const { position } = await service.app.store.head();
  const [paid, has] = await Promise.all([PAYEE, payer].map((account) => balanceOf(workshop.chain, account)));
  return { position, paid, has, handled: script.handled };
}

async function expectRefused(answering: () => Promise<Response>, code: string, said: string, payer: Hex) {
  const before = await standing(payer);
  const answer = await answering();
  const text = await answer.text();
  expect(text).toContain(said);
  expect(answer.status).toBe(402);
  const required = JSON.parse(Buffer.from(answer.headers.get("PAYMENT-REQUIRED")!, "base64").toString());
  expect([JSON.parse(text).error, required.error]).toEqual([code, code]);
  expect(await standing(payer)).toEqual(before);
}

const payer = addressOf(wallet(0));
const VALID_BEFORE = "invalid_exact_evm_payload_authorization_valid_before";
type Case = { what: string; code: string; said: string; headers: () => Promise<Record<string, string>> };

const cases: Case[] = [
  {
    what: "for another URL, as its resource says",
    code: "invalid_payment_requirements",
    said: "for a call other than",
    headers: async () => v2(await payment(wallet(0), PRICE), { resource: { url: urlOf("other") } }),
  },
  {
    what: "of too little",
    code: "invalid_exact_evm_payload_authorization_value",
    said: "this costs 50000",
    headers: async () => v1(await payment(wallet(0), PRICE - 1n)),
  },
  {
    what: "of too much",
    code: "invalid_exact_evm_payload_authorization_value_mismatch",
    said: "this costs 50000",
    headers: async () => v1(await payment(wallet(0), PRICE + 1n)),
  },
  {
    what: "of too little, under terms of its own",
    code: "invalid_payment_requirements",
    said: "amount (50000)",
    headers: async () => v2(await payment(wallet(0), 1n), { accepted: { amount: "1" } }),
  },
  {
    what: "of too little, under our terms",
    code: "invalid_exact_evm_payload_authorization_value",
    said: "this costs 50000",
    headers: async () => v2(await payment(wallet(0), 1n)),
  },
  {
    what: "in another asset, as its terms say",
    code: "invalid_payment_requirements",
    said: "pay in USDC",
    headers: async () => v2(await payment(wallet(0), PRICE), { accepted: { asset: STRANGER } }),
  },
  {
    what: "in another asset, as its signature says",
    code: "invalid_exact_evm_payload_signature",
    said: "invalid signature",
    headers: async () => v1(await signedElsewhere({ verifyingContract: STRANGER })),
  },
  {
    what: "on another network, of the first generation",
    code: "invalid_network",
    said: "calls it base",
    headers: async () => v1(await payment(wallet(0), PRICE), { network: "base-sepolia" }),
  },
  {
    what: "on another network, of the second generation",
    code: "invalid_network",
    said: "calls it eip155:8453",
    headers: async () => v2(await payment(wallet(0), PRICE), { accepted: { network: "eip155:84532" } }),
  },
  {
    what: "on another network, as its signature says",
    code: "invalid_exact_evm_payload_signature",
    said: "invalid signature",
    headers: async () => v2(await signedElsewhere({ chainId: 84532 })),
  },
  {
    what: "to another payee",
    code: "invalid_exact_evm_payload_recipient_mismatch",
    said: `pay to`,
    headers: async () => v1(await payment(wallet(0), PRICE, { to: STRANGER })),
  },
  {
    what: "to another payee, under terms of its own",
    code: "invalid_payment_requirements",
    said: "payTo (",
    headers: async () =>
      v2(await payment(wallet(0), PRICE, { to: STRANGER }), { accepted: { payTo: STRANGER } }),
  },
  {
    what: "that expired",
    code: VALID_BEFORE,
    said: "sign a new one",
    headers: async () => v1(await payment(wallet(0), PRICE, { valid_before: seconds() - 1n })),
  },
  {
    what: "that expires before it could settle",
    code: VALID_BEFORE,
    said: "more seconds",
    headers: async () => v1(await payment(wallet(0), PRICE, { valid_before: seconds() + 3n })),
  },
  {
    what: "that is valid too far ahead",
    code: VALID_BEFORE,
    said: "at most an hour",
    headers: async () => v1(await payment(wallet(0), PRICE, { valid_before: seconds() + 7_200n })),
  },
  {
    what: "that is not valid yet",
    code: "invalid_exact_evm_payload_authorization_valid_after",
    said: "is valid only after",
    headers: async () => v1(await payment(wallet(0), PRICE, { valid_after: seconds() + 60n })),
  },
  {
    what: "whose nonce was used for another payee",
    code: "invalid_transaction_state",
    said: "used the authorization's nonce for another transfer; sign a new one",
    headers: async () => {
      const signed = await payment(wallet(0), PRICE);
      const { nonce } = signed.transfer;
      await carriedByStranger(workshop, await payment(wallet(0), 1n, { nonce, to: STRANGER }));
      expect((await ask(v1(signed))).status).toBe(503);
      await finalize(workshop);
      return v1(signed);
    },
  },
  {
    what: "that its payer cancelled",
    code: "invalid_transaction_state",
    said: "cancelled the authorization; sign a new one",
    headers: async () => {
      const signed = await payment(wallet(0), PRICE);
      await cancelAuthorization(workshop, wallet(0), signed.transfer);
      expect((await ask(v1(signed))).status).toBe(503);
      await finalize(workshop);
      return v1(signed);
    },
  },
];

test.each(cases)("a payment $what is refused", async ({ headers, code, said }) => {
  const presented = await headers();
  await expectRefused(() => ask(presented), code, said, payer);
});

describe("a used payment", () => {
  test("buys no other URL and no other call of the same price, in either version", async () => {
    const signed = await payment(wallet(0), PRICE);
    expect((await ask(v1(signed), "mine")).status).toBe(200);
    const code = "invalid_transaction_state";
    for (const headers of [v1(signed), v2(signed), v2(signed, { resource: { url: urlOf("other") } })])
      await expectRefused(() => ask(headers, "other"), code, "another call", payer);
    // For the same call it is the same payment in either version.
    expect((await ask(v2(signed), "mine")).status).toBe(200);
  });

  test("buys no other body, whatever its resource says", async () => {
    const signed = await payment(wallet(0), 10n * PRICE);
    const resource = { url: `${service.url}/v1/agent/test/order` };
    const headers = v2(signed, { resource, accepted: { amount: String(10n * PRICE) } });
    expect((await order("k_body", headers)).status).toBe(201);
    const code = "invalid_transaction_state";
    await expectRefused(() => order("k_other_body", headers), code, "another call", payer);
  });

  test("is distinguished from another of the same nonce, which moves nothing", async () => {
    const signed = await payment(wallet(0), PRICE);
    expect((await ask(v1(signed), "first")).status).toBe(200);
    const { nonce } = signed.transfer;
    const twin = await payment(wallet(0), PRICE, { nonce, valid_before: seconds() + 200n });
    await expectRefused(() => ask(v1(twin), "first"), "invalid_transaction_state", "another call", payer);
  });
});

describe("a wallet with code", () => {
  /** A contract with one USDC, and a payment with it as the claimed signer. */
  const contractPayment = async (code: Hex): Promise<SignedTransfer> => {
    const from: Hex = `0x${randomBytes(20).toString("hex")}`;
    await placeWallet(workshop, from, code);
    const { transfer } = await payment(wallet(8), PRICE, { from });
    return { transfer, signature: `0x${"5a".repeat(300)}` };
  };
  /** An account with its own key that delegates (EIP-7702) to this code. */
  const delegating = async (code: Hex) => {
    const account = privateKeyToAccount(generatePrivateKey());
    const { transfer } = await contractPayment(code);
    await placeWallet(workshop, addressOf(account), `0xef0100${transfer.from.slice(2)}`);
    const signed = await payment(wallet(8), PRICE, { from: addressOf(account) });
    return { transfer: signed.transfer, signature: await account.signTypedData(typedData(signed.transfer)) };
  };
  const expectPaid = async (signed: SignedTransfer) => {
    const before = await standing(signed.transfer.from);
    const answer = await ask(v1(signed), "contract");
    expect(await answer.json()).toMatchObject({ data: { said: "contract" } });
    const after = await standing(signed.transfer.from);
    expect([after.paid! - before.paid!, after.has! - before.has!]).toEqual([PRICE, -PRICE]);
    expect(after.handled).toBe(before.handled + 1);
  };
  const expectUnpaid = (signed: SignedTransfer) =>
    expectRefused(
      () => ask(v1(signed), "contract"),
      "invalid_exact_evm_payload_signature",
      "USDC refuses",
      signed.transfer.from,
    );

  test("that accepts the signature (ERC-1271) pays", async () => expectPaid(await contractPayment(SAYS_YES)));
  test("that refuses the signature is refused", async () => expectUnpaid(await contractPayment(SAYS_NO)));
  test("that delegates pays when its code accepts", async () => expectPaid(await delegating(SAYS_YES)));
  test("that delegates is refused when its code refuses, although its key has signed", async () =>
    expectUnpaid(await delegating(SAYS_NO)));

  test("that changes its answer before the settlement moves nothing, and gets no answer", async () => {
    const signed = await contractPayment(SAYS_YES);
    const { from } = signed.transfer;
    script.before = async () => void (await workshop.rpc("anvil_setCode", from, SAYS_NO));
    const before = await standing(from);
    const answer = await ask(v1(signed), "fickle");
    expect(answer.status).toBe(402);
    expect(await answer.json()).not.toHaveProperty("data");
    const { paid, has } = await standing(from);
    expect({ paid, has }).toEqual({ paid: before.paid, has: before.has });
  });
});
