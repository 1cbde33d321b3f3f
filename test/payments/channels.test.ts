/** Calls paid from a channel over real HTTP: one deposit, a voucher for each call, the rest returned. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { exportFile } from "../../eventstore/files/export.ts";
import { readChannels } from "../../src/chain/channels.ts";
import type { Call, Hex } from "../../src/core/model/chain.ts";
import * as channels from "../../src/domain/payments/channel.ts";
import {
  type LoggedEvent,
  streamOfReceipt,
  verifyReceipt,
} from "../../src/domain/payments/verify-receipt.ts";
import { books } from "../../src/operator/books.ts";
import { balanceOf, openWorkshop, sendAs, type Workshop } from "../chain/fixture.ts";
import {
  ChannelPayer,
  type ChannelTerms,
  chargeOf,
  present,
  requiredOf,
  saltOf,
  signDeposit,
  termsOf,
} from "../support/channels.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, GAS_KEY, PAYEE, SAYS_YES, wallet } from "../support/wallets.ts";
import { sampleOperations, script } from "./sample-operations.ts";

const DEPOSIT = 1_000_000;
const PRICE = 50_000;

let workshop: Workshop;
let service: Service & { database_url: string };
let chain: { rpc_url: string; gas_key: Hex; pay_to: Hex };
let terms: ChannelTerms;
beforeAll(async () => {
  workshop = await openWorkshop();
  chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: sampleOperations, chain });
  terms = await termsOf(echo("terms"));
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});
afterEach(() => {
  script.before = async () => {};
});

const echo = (say: string) => `${service.url}/v1/agent/test/echo?say=${say}`;
const orderOf = (name: string): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ name }),
});
const orderUrl = () => `${service.url}/v1/agent/test/order`;

const idOf = ({ config, id }: ChannelPayer) =>
  channels.idOf({ network: "eip155:8453", channel_id: id, config });
const stateOf = (payer: ChannelPayer) => service.app.load(channels, channels.targetOf(idOf(payer)));
const onChain = async (payer: ChannelPayer) => (await readChannels(workshop.chain, [payer.id]))[0]!;
const typesOf = async (payer: ChannelPayer) => {
  const target = { tenant: `wallet:${payer.config.payer}`, stream_id: channels.streamOf(idOf(payer)) };
  return (await service.app.store.readStream(target)).map(({ type }) => type);
};

const receiptOf = ({ extensions }: ReturnType<typeof chargeOf>) =>
  (extensions as { "offer-receipt": { info: { receipt: { signature: string } } } })["offer-receipt"].info
    .receipt.signature;

/** The channel's stream, from an export of it. */
async function logOf(payer: ChannelPayer): Promise<{ origin: string; events: LoggedEvent[] }> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-channel-"));
  try {
    const tenant = `wallet:${payer.config.payer}`;
    const stream = { log_id: 1, tenant, stream_id: channels.streamOf(idOf(payer)) };
    await exportFile(service.app.pool, stream, join(dir, "log.ndjson"));
    const lines = (await readFile(join(dir, "log.ndjson"), "utf8")).trim().split("\n").slice(1, -1);
    const events = lines.filter((line) => !line.startsWith('{"evidence"')).map((line) => JSON.parse(line));
    const { origin } = await service.app.store.identity();
    return { origin, events };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A payer that has paid for one call, with its deposit. */
async function opened(index = 0, deposit = DEPOSIT): Promise<ChannelPayer> {
  const payer = new ChannelPayer(wallet(index), terms);
  const answer = await payer.pay(echo("first"), terms, { deposit });
  expect(answer.status).toBe(200);
  return payer;
}

test("the 402 offers a channel next to the exact payment, with its delay and its least deposit", () =>
  expect(terms).toMatchObject({
    scheme: "batch-settlement",
    network: "eip155:8453",
    amount: String(PRICE),
    extra: { withdrawDelay: 86_400, minDeposit: "1000000", receiverAuthorizer: expect.any(String) },
  }));

describe("a call with a voucher", () => {
  test("brings the deposit the first time, and moves nothing on the chain after that", async () => {
    const earned = await balanceOf(workshop.chain, PAYEE);
    const payer = new ChannelPayer(wallet(0), terms);
    const first = await payer.pay(echo("first"), terms, { deposit: DEPOSIT });
    expect(first.status).toBe(200);
    expect(chargeOf(first)).toMatchObject({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      amount: String(DEPOSIT),
      extra: { chargedAmount: String(PRICE), channelState: { channelId: payer.id, balance: "1000000" } },
    });
    for (let n = 2; n <= 5; n++) {
      const answer = await payer.pay(echo(`call-${n}`), terms);
      expect(answer.status).toBe(200);
      expect(((await answer.json()) as { data: { said: string } }).data.said).toBe(`call-${n}`);
      expect(chargeOf(answer)).toMatchObject({
        transaction: "",
        amount: "",
        extra: { channelState: { chargedCumulativeAmount: String(n * PRICE), totalClaimed: "0" } },
      });
    }
    expect(await stateOf(payer)).toMatchObject({ charged_micro: 5 * PRICE });
    expect(await balanceOf(workshop.chain, PAYEE)).toBe(earned);
    expect((await typesOf(payer)).filter((type) => type === "VoucherAccepted")).toHaveLength(5);
  });

  test("has a receipt of its own, which the keys, the answer and an export verify", async () => {
    const payer = await opened();
    const answer = await payer.pay(echo("receipt"), terms);
    const jws = receiptOf(chargeOf(answer));
    const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
      keys: unknown[];
    };
    const log = await logOf(payer);
    const body = Buffer.from(await answer.arrayBuffer());
    const verified = verifyReceipt(jws, { keys, body, log });
    expect(verified.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(verified.checks.map(({ name }) => name)).toEqual([
      "signature",
      "members",
      "body",
      "event",
      "answer",
      "voucher",
      "charges",
    ]);
    expect(verified.payload).toMatchObject({
      payment_id: `${idOf(payer)}:${2 * PRICE}`,
      amount: String(PRICE),
      transaction: "",
      operation: "test_echo",
    });
    expect(streamOfReceipt(verified.payload!)).toBe(channels.streamOf(idOf(payer)));
  });

  test("has a receipt that a log with another sum, or without a charge before it, contradicts", async () => {
    const payer = await opened();
    await payer.pay(echo("between"), terms);
    const jws = receiptOf(chargeOf(await payer.pay(echo("last"), terms)));
    const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
      keys: unknown[];
    };
    const { origin, events } = await logOf(payer);
    const faults = (log: LoggedEvent[]) =>
      verifyReceipt(jws, { keys, log: { origin, events: log } })
        .checks.filter(({ ok }) => !ok)
        .map(({ name }) => name);
    const isVoucher = ({ type }: LoggedEvent) => type === "VoucherAccepted";
    const second = events.filter(isVoucher)[1]!;
    expect(faults(events.filter((one) => one !== second))).toEqual(["charges"]);
    const last = events.filter(isVoucher).at(-1)!;
    const payload = JSON.stringify({ ...JSON.parse(last.payload), charged_micro: 9 });
    expect(faults(events.map((one) => (one === last ? { ...one, payload } : one)))).toEqual([
      "voucher",
      "charges",
    ]);
  });

  test("pays over MCP, too", async () => {
    const payer = await opened();
    const client = new Client({ name: "channel", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp?areas=all`)));
    try {
      const call = (_meta: object) =>
        client.callTool({ name: "test_echo", arguments: { say: "by tool" }, _meta: { ..._meta } });
      const unpaid = (await call({})).structuredContent as { accepts: ChannelTerms[] };
      const offered = unpaid.accepts.find(({ scheme }) => scheme === "batch-settlement")!;
      const payment = await payer.payment(offered);
      for (let n = 0; n < 2; n++) {
        const paid = await call({ "x402/payment": payment });
        expect(paid.isError, JSON.stringify(paid.content)).toBeFalsy();
        expect(paid._meta?.["x402/payment-response"]).toMatchObject({
          success: true,
          transaction: "",
          extra: {
            chargedAmount: String(PRICE),
            channelState: { chargedCumulativeAmount: String(2 * PRICE) },
          },
        });
      }
      expect(await stateOf(payer)).toMatchObject({ charged_micro: 2 * PRICE });
    } finally {
      await client.close();
    }
  });

  test("that changes something commits the voucher and the change together", async () => {
    const payer = await opened(0, 2 * DEPOSIT);
    const wanted = await termsOf(orderUrl(), orderOf("k_channel"));
    const answer = await payer.pay(orderUrl(), wanted, {}, orderOf("k_channel"));
    expect(answer.status).toBe(201);
    expect(payer.charged).toBe(PRICE + 500_000);
    const again = await payer.pay(orderUrl(), wanted, {}, orderOf("k_channel"));
    expect(again.status).toBe(409);
    expect(await stateOf(payer)).toMatchObject({ charged_micro: PRICE + 500_000 });
  });

  test("that fails charges nothing, and its voucher pays for the next call", async () => {
    const payer = await opened();
    script.before = async () => {
      throw new Error("the handler fails");
    };
    expect((await payer.pay(echo("failing"), terms)).status).toBe(500);
    script.before = async () => {};
    expect((await payer.pay(echo("after"), terms)).status).toBe(200);
    expect(payer.charged).toBe(2 * PRICE);
  });

  test("that is repeated with its voucher gets the same bytes, and is charged once", async () => {
    const payer = await opened();
    const payment = await payer.payment(terms);
    const bodies = await Promise.all(
      [1, 2, 3].map(async () => (await present(echo("again"), payment)).text()),
    );
    expect(new Set(bodies).size).toBe(1);
    expect(await stateOf(payer)).toMatchObject({ charged_micro: 2 * PRICE });
  });
});

describe("a voucher is refused", () => {
  const mismatch = "invalid_batch_settlement_evm_cumulative_amount_mismatch";

  test("for another call; the refusal has the channel's state and the payer's last voucher", async () => {
    const payer = await opened();
    const payment = await payer.payment(terms);
    expect((await present(echo("one"), payment)).status).toBe(200);
    const refused = await present(echo("two"), payment);
    expect(refused.status).toBe(402);
    const { error, terms: corrected } = requiredOf(refused);
    expect(error).toBe(mismatch);
    expect(corrected.extra).toMatchObject({
      channelState: { channelId: payer.id, chargedCumulativeAmount: String(2 * PRICE) },
      voucherState: { signedMaxClaimable: String(2 * PRICE), signature: expect.any(String) },
    });
  });

  test.each([
    ["too high", PRICE],
    ["too low", -1],
    ["of an earlier call", -PRICE],
  ])("with a sum that is %s", async (_, more) => {
    const payer = await opened();
    const answer = await payer.pay(echo("sum"), terms, { max: payer.charged + PRICE + more });
    expect(requiredOf(answer).error).toBe(mismatch);
    expect(await stateOf(payer)).toMatchObject({ charged_micro: PRICE });
  });

  test("beyond the deposit; a top-up in the same call pays for it", async () => {
    const payer = await opened(1);
    for (let n = 1; n < DEPOSIT / PRICE; n++)
      expect((await payer.pay(echo(`n${n}`), terms)).status).toBe(200);
    const answer = await payer.pay(echo("beyond"), terms);
    expect(requiredOf(answer).error).toBe("invalid_batch_settlement_evm_cumulative_exceeds_balance");
    expect((await payer.pay(echo("topped"), terms, { deposit: DEPOSIT })).status).toBe(200);
    expect((await onChain(payer)).balance_micro).toBe(2 * DEPOSIT);
  });

  test("without a deposit", async () => {
    const payer = new ChannelPayer(wallet(0), terms);
    expect(requiredOf(await payer.pay(echo("none"), terms)).error).toBe(
      "invalid_batch_settlement_evm_channel_not_found",
    );
    expect(await typesOf(payer)).toEqual([]);
  });

  test("signed by another key than the channel's", async () => {
    const payer = await opened();
    const payment = await payer.payment(terms);
    const other = new ChannelPayer(wallet(2), terms, payer.config);
    const forged = await other.payment(terms, { max: payer.charged + PRICE });
    expect(requiredOf(await present(echo("forged"), forged)).error).toBe(
      "invalid_batch_settlement_evm_voucher_signature",
    );
    expect((await present(echo("own"), payment)).status).toBe(200);
  });

  test.each([
    ["receiver", { receiver: `0x${"11".repeat(20)}` as Hex }, "receiver_mismatch"],
    ["authorizer", { receiver_authorizer: `0x${"11".repeat(20)}` as Hex }, "receiver_authorizer_mismatch"],
    ["token", { token: `0x${"11".repeat(20)}` as Hex }, "token_mismatch"],
    ["delay", { withdraw_delay_s: 900 }, "withdraw_delay_mismatch"],
    [
      "signature that a contract could take back",
      { payer_authorizer: `0x${"00".repeat(20)}` as Hex },
      "voucher_signature",
    ],
  ])("with another %s than ours", async (_, more, code) => {
    const payer = new ChannelPayer(wallet(0), terms, more);
    const answer = await payer.pay(echo("other"), terms, { deposit: DEPOSIT });
    expect(requiredOf(answer).error).toBe(`invalid_batch_settlement_evm_${code}`);
  });

  test("with a deposit that is too small, expired, or more than its payer has", async () => {
    const small = new ChannelPayer(wallet(0), terms);
    const error = async (payer: ChannelPayer, deposit: Parameters<ChannelPayer["payment"]>[1]) =>
      requiredOf(await payer.pay(echo("deposit"), terms, deposit)).error;
    expect(await error(small, { deposit: DEPOSIT - 1 })).toMatch(/deposit_below_min_deposit$/);
    const late = await signDeposit(wallet(0), small.id, DEPOSIT, {
      valid_before: String(Math.floor(Date.now() / 1000) - 1),
    });
    expect(await error(small, { deposit: late })).toMatch(/payload_authorization_valid_before$/);
    expect(await error(small, { deposit: 20_000_000_000 })).toMatch(/insufficient_balance$/);
    expect(await typesOf(small)).toEqual([]);
  });
});

describe("a channel belongs to the key that signs its vouchers", () => {
  test("so a channel in another wallet's name gives nobody that wallet's answers", async () => {
    const thief = new ChannelPayer(wallet(4), terms, { payer: addressOf(wallet(5)) });
    const deposit = await signDeposit(wallet(5), thief.id, DEPOSIT);
    expect((await thief.pay(echo("name"), terms, { deposit })).status).toBe(200);
    expect((await stateOf(thief))?.voucher?.tenant).toBe(`wallet:${addressOf(wallet(4))}`);
  });

  test("a contract wallet pays by its own signature of the deposit, and a key's vouchers", async () => {
    const account: Hex = "0x00000000000000000000000000000000000c0de1";
    await workshop.rpc("anvil_setCode", account, SAYS_YES);
    const usdc = await termsOf(echo("terms"));
    await fund(account, 2n * BigInt(DEPOSIT));
    const payer = new ChannelPayer(wallet(6), usdc, { payer: account });
    const deposit = await signDeposit(wallet(6), payer.id, DEPOSIT, { from: account });
    expect((await payer.pay(echo("contract"), terms, { deposit })).status).toBe(200);
    expect((await payer.pay(echo("more"), terms)).status).toBe(200);
    expect((await onChain(payer)).balance_micro).toBe(DEPOSIT);
  });
});

/** USDC from a demo wallet. */
async function fund(to: Hex, amount: bigint): Promise<void> {
  const data: Hex = `0xa9059cbb${to.slice(2).padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`;
  await sendAs(workshop, addressOf(wallet(7)), { to: terms.asset, data });
}

describe("a refund by both sides", () => {
  test("returns the rest at once, and the channel can be filled again", async () => {
    const payer = await opened(2);
    const before = await balanceOf(workshop.chain, addressOf(wallet(2)));
    const answer = await payer.pay(echo("refund"), terms, { max: payer.charged, refund: true });
    expect(answer.status).toBe(200);
    expect(chargeOf(answer)).toMatchObject({ success: true, amount: String(DEPOSIT - PRICE) });
    expect((await balanceOf(workshop.chain, addressOf(wallet(2)))) - before).toBe(BigInt(DEPOSIT - PRICE));
    expect(await stateOf(payer)).toMatchObject({ refund: null, chain: { balance_micro: PRICE } });
    const empty = await payer.pay(echo("refund"), terms, { max: payer.charged, refund: true });
    expect(requiredOf(empty).error).toBe("invalid_batch_settlement_evm_refund_no_balance");
    expect((await payer.pay(echo("again"), terms, { deposit: DEPOSIT })).status).toBe(200);
  });

  test("returns a part, and vouchers up to the rest stay good", async () => {
    const payer = await opened(2);
    const answer = await payer.pay(echo("part"), terms, { max: payer.charged, refund: 400_000 });
    expect(chargeOf(answer)).toMatchObject({ amount: "400000" });
    expect((await payer.pay(echo("rest"), terms)).status).toBe(200);
    expect(await onChain(payer)).toMatchObject({ balance_micro: 600_000, refund_nonce: "1" });
  });

  test("is refused with a voucher that leaves charges out", async () => {
    const payer = await opened(2);
    const answer = await payer.pay(echo("less"), terms, { max: 0, refund: true });
    expect(requiredOf(answer).error).toMatch(/cumulative_amount_mismatch$/);
    expect((await onChain(payer)).balance_micro).toBe(DEPOSIT);
  });
});

test("two processes accept a voucher once: the other call gets the channel's state", async () => {
  const beside = await startService({
    operations: sampleOperations,
    chain,
    beside: { data_dir: service.data_dir, database_url: service.database_url },
  });
  try {
    const payer = await opened(3);
    for (let round = 0; round < 10; round++) {
      const payment = await payer.payment(terms);
      const urls = [service.url, beside.url].map((url, i) => `${url}/v1/agent/test/echo?say=p${round}-${i}`);
      const answers = await Promise.all(urls.map((url) => present(url, payment)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 402]);
      payer.charged += PRICE;
    }
    expect(await stateOf(payer)).toMatchObject({ charged_micro: 11 * PRICE });
  } finally {
    await beside.stop();
  }
});

test("a channel that was filled without us is found by its first voucher", async () => {
  const payer = new ChannelPayer(wallet(0), terms, { salt: saltOf() });
  const { depositCall } = await import("../../src/domain/payments/channel-contract.ts");
  const deposit = await signDeposit(wallet(0), payer.id, DEPOSIT);
  await workshop.chain.send(depositCall(payer.config, deposit), { purpose: "settlement", gas: 400_000n });
  expect((await payer.pay(echo("found"), terms)).status).toBe(200);
});

describe("everybody can look up a channel", () => {
  const statusOf = async (id: string) => {
    const answer = await fetch(`${service.url}/v1/agent/channels/${id}`);
    return { status: answer.status, ...((await answer.json()) as { data: ChannelShown }) };
  };
  type ChannelShown = {
    leave: { without_us: { begin: { to: Hex; data: Hex } | null; finish: { to: Hex; data: Hex } } };
  };

  test("with its deposit, charges and rest, by its own id and by a voucher's", async () => {
    const payer = await opened(6);
    await payer.pay(echo("shown"), terms);
    const shown = await statusOf(idOf(payer));
    expect(shown).toMatchObject({
      status: 200,
      data: {
        balance_usdc: "1.00",
        charged_usdc: "0.10",
        claimed_usdc: "0.00",
        owed_usdc: "0.10",
        left_usdc: "0.90",
        withdrawal: null,
        refund: null,
      },
    });
    expect((await statusOf(`${idOf(payer)}:${2 * PRICE}`)).data).toEqual(shown.data);
    expect((await statusOf(idOf(new ChannelPayer(wallet(6), terms)))).status).toBe(404);
  });

  test("with the transactions by which its payer leaves without us", async () => {
    const payer = await opened(6);
    const { begin } = (await statusOf(idOf(payer))).data.leave.without_us;
    await sendAs(workshop, payer.config.payer, begin as Call);
    expect((await onChain(payer)).withdrawal).toMatchObject({ amount_micro: DEPOSIT - PRICE });
  });

  test("the public ledger and the books have the sums of all channels", async () => {
    const payer = await opened(6);
    const before = (await (await fetch(`${service.url}/soul/revenue/transparency`)).json()) as Ledger;
    await payer.pay(echo("ledger"), terms);
    const after = (await (await fetch(`${service.url}/soul/revenue/transparency`)).json()) as Ledger;
    expect(after.channels.calls).toBe(before.channels.calls + 1);
    expect(Number(after.channels.charged_usdc)).toBeCloseTo(Number(before.channels.charged_usdc) + 0.05);
    expect(after.totals).toEqual(before.totals);
    expect(await books(service.app)).toMatchObject({
      agree: true,
      channels: {
        differences: [],
        charged_micro: BigInt(Math.round(1e6 * Number(after.channels.charged_usdc))),
      },
    });
  });
  type Ledger = { totals: object; channels: { calls: number; charged_usdc: string } };
});
