/** A facilitator that settles for us: a real one over the chain, and one with every possible failure. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BaseChain } from "../../src/adapters/base-chain.ts";
import { type FacilitatorOptions, hostedSettlement } from "../../src/adapters/hosted-facilitator.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { ChainUnavailable, TransactionPending } from "../../src/core/model/ports/chain.ts";
import type { SignedTransfer } from "../../src/core/model/ports/settlement.ts";
import { NotSettled } from "../../src/core/model/ports/settlement.ts";
import { settledBy, TRANSFER_GAS, transferCall, USDC } from "../../src/domain/payments/usdc.ts";
import { addressOf, PAYEE, payment, wallet } from "../support/wallets.ts";
import { balanceOf, openWorkshop, type Workshop } from "./fixture.ts";
import { type Meddler, openMeddler } from "./meddler.ts";

const TOKEN = "facilitator-token";

let workshop: Workshop;
let meddler: Meddler;
/** Ours, whose key has no ether: its sends would fail. */
let chain: BaseChain;
/** The facilitator's. */
let theirs: BaseChain;
let server: Server;
let url: string;

type FacilitatorRequestRecord = { path: string; authorization: string | undefined; body: FacilitatorRequest };
type FacilitatorRequest = {
  x402Version: number;
  paymentPayload: {
    x402Version: number;
    accepted: Record<string, unknown>;
    payload: {
      signature: Hex;
      authorization: Record<"from" | "to" | "value" | "validAfter" | "validBefore" | "nonce", string>;
    };
  };
  paymentRequirements: Record<string, unknown>;
};
let requests: FacilitatorRequestRecord[] = [];
type Manner = (request: FacilitatorRequestRecord, response: ServerResponse) => void | Promise<void>;
let manner: Manner;

beforeAll(async () => {
  workshop = await openWorkshop();
  meddler = await openMeddler(workshop.node.rpc_url);
  const short = { request_ms: 400, deadline_ms: 900 };
  chain = workshop.connect({ rpc_url: meddler.url, gas_key: generatePrivateKey(), ...short });
  const gas_key = generatePrivateKey();
  await workshop.rpc("anvil_setBalance", privateKeyToAccount(gas_key).address, "0xde0b6b3a7640000");
  theirs = workshop.connect({ gas_key });
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/facilitator`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  chain.close();
  theirs.close();
  await meddler.close();
  await workshop.close();
});
beforeEach(() => {
  requests = [];
  manner = honest;
  meddler.meddle = () => undefined;
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { authorization } = request.headers;
  const one = { path: request.url!, authorization, body: JSON.parse(Buffer.concat(parts).toString()) };
  requests.push(one);
  await manner(one, response);
}

const says = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

/** Carries it to the chain with its own gas. */
function carried({ body }: FacilitatorRequestRecord) {
  const { signature, authorization } = body.paymentPayload.payload;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const transfer = {
    from: from as Hex,
    to: to as Hex,
    value: BigInt(value),
    valid_after: BigInt(validAfter),
    valid_before: BigInt(validBefore),
    nonce: nonce as Hex,
  };
  return theirs.send(transferCall({ transfer, signature }), { gas: TRANSFER_GAS, purpose: "settlement" });
}

const honest: Manner = async (one, response) => {
  const { from: payer } = one.body.paymentPayload.payload.authorization;
  if (one.path === "/facilitator/verify") return says(response, { isValid: true, payer });
  const { transaction } = await carried(one);
  says(response, { success: true, payer, transaction, network: "eip155:8453" });
};

/** Verifies honestly, and answers a settlement request in this way. */
const settles =
  (how: Manner): Manner =>
  (one, response) =>
    (one.path.endsWith("/verify") ? honest : how)(one, response);
const failure = (errorReason: string, transaction = "") => ({
  success: false,
  errorReason,
  transaction,
  network: "eip155:8453",
});

const hosted = (more: Partial<FacilitatorOptions> = {}) =>
  hostedSettlement(chain, { url, request_ms: 500, wait_ms: 700, poll_ms: 50, ...more });

const outcomeOf = async (signed: SignedTransfer, more: Partial<FacilitatorOptions> = {}) => {
  const begun = await balanceOf(workshop.chain, PAYEE);
  const outcome = await hosted(more)
    .settle(signed, 0n)
    .catch((error) => error);
  return { outcome, moved: (await balanceOf(workshop.chain, PAYEE)) - begun };
};

describe("a working facilitator", () => {
  test("is called in version 2's form, verifies and settles, and the chain confirms it", async () => {
    const signed = await payment(wallet(0), 50_000n);
    const settlement = hosted({ url: `${url}/`, token: TOKEN });
    const facts = await settlement.facts(signed);
    expect(facts).toMatchObject({ used: false, balance: 10_000_000_000n, would_settle: true });
    const receipt = await settlement.settle(signed, facts.seen_block);
    expect(settledBy(receipt, signed.transfer)).toBe(true);
    expect(requests.map(({ path, authorization }) => [path, authorization])).toEqual([
      ["/facilitator/verify", `Bearer ${TOKEN}`],
      ["/facilitator/settle", `Bearer ${TOKEN}`],
    ]);
    const { transfer, signature } = signed;
    const accepted = {
      scheme: "exact",
      network: "eip155:8453",
      amount: "50000",
      asset: USDC.address,
      payTo: PAYEE,
      maxTimeoutSeconds: 300,
      extra: { name: "USD Coin", version: "2" },
    };
    const authorization = {
      from: transfer.from,
      to: PAYEE,
      value: "50000",
      validAfter: String(transfer.valid_after),
      validBefore: String(transfer.valid_before),
      nonce: transfer.nonce,
    };
    for (const { body } of requests)
      expect(body).toEqual({
        x402Version: 2,
        paymentPayload: { x402Version: 2, accepted, payload: { signature, authorization } },
        paymentRequirements: accepted,
      });
  });

  test("gets no authorization header without a token, and no payment that cannot settle", async () => {
    const settlement = hosted();
    const poor = await payment(wallet(0), 20_000_000_000n);
    expect(await settlement.facts(poor)).toMatchObject({
      would_settle: false,
      reason: expect.stringMatching(/balance/),
    });
    expect(requests).toEqual([]);
    await settlement.facts(await payment(wallet(0), 1n));
    expect(requests.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test("may refuse a payment that the chain would accept", async () => {
    manner = (_, response) => says(response, { isValid: false, invalidReason: "payer_is_sanctioned" });
    expect(await hosted().facts(await payment(wallet(0), 1n))).toMatchObject({
      would_settle: false,
      reason: "payer_is_sanctioned",
    });
  });

  test("settles a payment once when it is called twice", async () => {
    const signed = await payment(wallet(1), 6n);
    const first = await hosted().settle(signed, 0n);
    manner = (_, response) => says(response, failure("invalid_exact_evm_nonce_already_used"));
    expect((await hosted().settle(signed, 0n)).transaction).toBe(first.transaction);
  });
});

describe("a facilitator's answer alone settles nothing", () => {
  test("with a transaction that nobody sent", async () => {
    const transaction = `0x${"ab".repeat(32)}` as const;
    manner = settles((_, response) =>
      says(response, { success: true, transaction, network: "eip155:8453", payer: "0x" }),
    );
    const { outcome, moved } = await outcomeOf(await payment(wallet(2), 7n));
    expect(outcome).toBeInstanceOf(TransactionPending);
    expect(outcome.transactions).toEqual([transaction]);
    expect(moved).toBe(0n);
  });

  test("with another payment's transaction", async () => {
    const other = await hosted().settle(await payment(wallet(2), 8n), 0n);
    manner = settles((_, response) => says(response, { success: true, transaction: other.transaction }));
    expect(await outcomeOf(await payment(wallet(2), 8n))).toMatchObject({
      outcome: expect.any(TransactionPending),
      moved: 0n,
    });
  });

  test("but a late or misnamed transaction counts once the chain shows it", async () => {
    manner = settles((one, response) => {
      says(response, { success: true, transaction: `0x${"cd".repeat(32)}` });
      setTimeout(() => void carried(one), 150);
    });
    const { outcome, moved } = await outcomeOf(await payment(wallet(2), 9n));
    expect(outcome).toMatchObject({ success: true, transaction: expect.stringMatching(/^0x/) });
    expect(moved).toBe(9n);
  });
});

describe("a facilitator that fails after it may have sent the payment leaves the outcome to the chain", () => {
  const failing: [name: string, how: (response: ServerResponse) => void][] = [
    ["hangs up", (response) => void response.destroy()],
    ["never answers", () => undefined],
    ["begins an answer and never ends it", (response) => void response.writeHead(200).write('{"success":')],
    ["answers 500", (response) => void response.writeHead(500).end("no")],
    ["answers 502 with a page", (response) => void response.writeHead(502).end("<html>")],
    ["answers 409", (response) => says(response, { error: "conflict" }, 409)],
    ["answers what is not JSON", (response) => void response.end("yes")],
    ["answers null", (response) => says(response, null)],
    ["answers another form", (response) => says(response, { success: "true" })],
    [
      "sends us elsewhere",
      (response) => void response.writeHead(307, { location: "http://127.0.0.1:9/" }).end(),
    ],
    ["is still settling", (response) => says(response, failure("settlement_pending"))],
    ["had an error of its own", (response) => says(response, failure("unexpected_settle_error"), 500)],
    [
      "names a transaction that failed",
      (response) => says(response, failure("invalid_transaction_state", `0x${"ef".repeat(32)}`)),
    ],
  ];
  test.each(failing)("%s", async (_, how) => {
    manner = settles((__, response) => how(response));
    expect(await outcomeOf(await payment(wallet(3), 3n))).toMatchObject({
      outcome: expect.any(TransactionPending),
      moved: 0n,
    });
    manner = settles(async (one, response) => {
      await carried(one);
      how(response);
    });
    const signed = await payment(wallet(3), 4n);
    // Mining is paused while the node's state is saved; the chain is polled until it shows the payment.
    const { outcome, moved } = await outcomeOf(signed, { wait_ms: 30_000 });
    expect(settledBy(outcome, signed.transfer)).toBe(true);
    expect(moved).toBe(4n);
  });
});

describe("a facilitator that sent nothing", () => {
  test.each([401, 403, 404, 429])("because it did not admit us: %i", async (status) => {
    manner = (_, response) => says(response, { error: "no" }, status);
    expect(await outcomeOf(await payment(wallet(4), 3n))).toMatchObject({
      outcome: expect.any(ChainUnavailable),
      moved: 0n,
    });
    await expect(hosted().facts(await payment(wallet(4), 3n))).rejects.toThrow(ChainUnavailable);
  });

  test("because it is unreachable", async () => {
    const gone = createServer();
    await new Promise<void>((done) => gone.listen(0, "127.0.0.1", done));
    const { port } = gone.address() as AddressInfo;
    await new Promise((done) => gone.close(done));
    for (const nowhere of [`http://127.0.0.1:${port}`, "http://facilitator.invalid"]) {
      const { outcome } = await outcomeOf(await payment(wallet(4), 3n), { url: nowhere });
      expect(outcome).toBeInstanceOf(ChainUnavailable);
      expect(outcome.message).toMatch(/nothing was sent/);
    }
  });

  test("because it refused the payment with a known reason", async () => {
    manner = settles((_, response) => says(response, failure("invalid_payload"), 400));
    const { outcome } = await outcomeOf(await payment(wallet(4), 3n));
    expect(outcome).toBeInstanceOf(NotSettled);
    expect(outcome.message).toMatch(/invalid_payload/);
  });

  test("because the chain itself would refuse it", async () => {
    manner = settles((_, response) => says(response, failure("settlement_failed")));
    const { outcome } = await outcomeOf(await payment(wallet(4), 20_000_000_000n));
    expect(outcome).toBeInstanceOf(NotSettled);
    expect(outcome.message).toMatch(/exceeds balance/);
  });
});

describe("without a working /verify no payment is submitted", () => {
  test.each<[name: string, how: Manner]>([
    ["it hangs", () => undefined],
    ["it answers 500", (_, response) => void response.writeHead(500).end()],
    ["it answers garbage", (_, response) => void response.end("{")],
  ])("%s", async (_, how) => {
    manner = how;
    await expect(hosted().facts(await payment(wallet(5), 1n))).rejects.toThrow(ChainUnavailable);
  });
});

test("a settlement while our endpoint is unavailable is unknown, and found once it recovers", async () => {
  const signed = await payment(wallet(5), 12n);
  const before = await balanceOf(workshop.chain, addressOf(wallet(5)));
  meddler.meddle = () => "hangs up";
  const { outcome } = await outcomeOf(signed);
  expect(outcome).toBeInstanceOf(TransactionPending);
  expect(outcome.transactions).toHaveLength(1);
  meddler.meddle = () => undefined;
  expect(await balanceOf(workshop.chain, addressOf(wallet(5)))).toBe(before - 12n);
  manner = settles((_, response) => says(response, failure("invalid_exact_evm_nonce_already_used")));
  const receipt = await hosted().settle(signed, 0n);
  expect(receipt.transaction).toBe(outcome.transactions[0]);
});
