/** Claims on a real chain: in time, in batches, once, and through everything that payers and chains do meanwhile. */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readChannels } from "../../src/chain/channels.ts";
import * as channels from "../../src/domain/payments/channel.ts";
import { finishWithdrawalCall, withdrawCall } from "../../src/domain/payments/channel-contract.ts";
import { type ClaimPolicy, channelsReactor } from "../../src/reactors/payments/channels.ts";
import { claimAll, type DueClaim } from "../../src/reactors/payments/claims.ts";
import { balanceOf, openWorkshop, sendAs, type Workshop } from "../chain/fixture.ts";
import {
  ChannelPayer,
  type ChannelTerms,
  chargeOf,
  requiredOf,
  signDeposit,
  termsOf,
} from "../support/channels.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";
import { addressOf, GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { sampleOperations } from "./sample-operations.ts";

const DEPOSIT = 1_000_000;
const PRICE = 50_000;
const DAY_MS = 86_400_000;

let workshop: Workshop;
let service: Service & { database_url: string };
let terms: ChannelTerms;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ operations: sampleOperations, chain });
  costs(0);
  terms = await termsOf(echo("terms"));
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

/** The cost of a claim's row in micro-USDC; the test chain's gas is dear. */
const costs = (micro: number) =>
  replace(service.app, { gas: { ...service.app.gas, cost_micro: async () => BigInt(micro) } });

const echo = (say: string) => `${service.url}/v1/agent/test/echo?say=${say}`;
const idOf = ({ config, id }: ChannelPayer) =>
  channels.idOf({ network: "eip155:8453", channel_id: id, config });
const stateOf = async (payer: ChannelPayer) =>
  (await service.app.load(channels, channels.targetOf(idOf(payer))))!;
const onChain = async (payer: ChannelPayer) => (await readChannels(workshop.chain, [payer.id]))[0]!;

async function opened(index = 0, calls = 1): Promise<ChannelPayer> {
  const payer = new ChannelPayer(wallet(index), terms);
  const valid_before = String(Math.floor((Date.now() + ahead_ms) / 1_000) + 300);
  const deposit = await signDeposit(wallet(index), payer.id, DEPOSIT, { valid_before });
  for (let n = 0; n < calls; n++) {
    const answer = await payer.pay(echo(`c${n}`), terms, n === 0 ? { deposit } : {});
    expect(requiredOf(answer).error).toBe("");
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  }
  return payer;
}

/** One tick of a fresh process, whose memory is empty. */
const tick = (policy: Partial<ClaimPolicy> = {}) =>
  turn(service.app, channelsReactor({ read_every_ms: 0, ...policy }), { patient: true });

const withdraw = (payer: ChannelPayer, amount = DEPOSIT) =>
  sendAs(workshop, payer.config.payer, withdrawCall(payer.config, amount));
const finish = (payer: ChannelPayer) =>
  sendAs(workshop, payer.config.payer, finishWithdrawalCall(payer.config));

/** The chain's clock and the service's are ahead of this machine's. */
let ahead_ms = 0;

async function moveClock(ms: number): Promise<void> {
  ahead_ms += ms;
  await workshop.rpc("evm_increaseTime", Math.ceil(ms / 1_000));
  await workshop.rpc("evm_mine");
  replace(service.app, { clock: { now: () => new Date(Date.now() + ahead_ms) } });
}

test("small new charges are not claimed; old charges are, and arrive at the payment address", async () => {
  const payer = await opened(0, 3);
  expect(await tick()).toEqual({ status: "done" });
  expect((await onChain(payer)).claimed_micro).toBe(0);
  const before = await balanceOf(workshop.chain, PAYEE);
  await tick({ claim_after_ms: 0 });
  expect((await onChain(payer)).claimed_micro).toBe(3 * PRICE);
  expect(await stateOf(payer)).toMatchObject({ chain: { claimed_micro: 3 * PRICE } });
  expect((await balanceOf(workshop.chain, PAYEE)) - before).toBe(BigInt(3 * PRICE));
  expect((await payer.pay(echo("after"), terms)).status).toBe(200);
});

test("a large sum is claimed at once", async () => {
  const payer = await opened(0, 4);
  await tick({ claim_micro: 4 * PRICE });
  expect((await onChain(payer)).claimed_micro).toBe(4 * PRICE);
});

describe("a payer that withdraws", () => {
  test("finds everything owed claimed long before its delay ends, and takes the rest alone", async () => {
    const payer = await opened(1, 5);
    await withdraw(payer);
    await tick();
    expect((await onChain(payer)).claimed_micro).toBe(5 * PRICE);
    const before = await balanceOf(workshop.chain, addressOf(wallet(1)));
    await moveClock(DAY_MS);
    await finish(payer);
    expect((await balanceOf(workshop.chain, addressOf(wallet(1)))) - before).toBe(
      BigInt(DEPOSIT - 5 * PRICE),
    );
    const refused = await payer.pay(echo("empty"), terms);
    expect(requiredOf(refused).error).toBe("invalid_batch_settlement_evm_cumulative_exceeds_balance");
    expect(await stateOf(payer)).toMatchObject({
      charged_micro: 5 * PRICE,
      chain: { balance_micro: 5 * PRICE, withdrawal: null },
    });
  });

  test("pays no more from the money that it withdraws, and goes on with the rest", async () => {
    const payer = await opened(1, 2);
    await withdraw(payer, DEPOSIT - 3 * PRICE);
    await tick();
    expect((await payer.pay(echo("left"), terms)).status).toBe(200);
    const refused = await payer.pay(echo("beyond"), terms);
    expect(requiredOf(refused).error).toBe("invalid_batch_settlement_evm_cumulative_exceeds_balance");
    await moveClock(DAY_MS);
    await finish(payer);
    await tick({ claim_after_ms: 0 });
    expect(await onChain(payer)).toMatchObject({ balance_micro: 3 * PRICE, claimed_micro: 3 * PRICE });
  });

  test("together with many others is claimed in batches", async () => {
    const payers = await Promise.all(Array.from({ length: 50 }, (_, i) => opened(i % 10)));
    for (const payer of payers) await withdraw(payer);
    const sent = await workshop.chain.minedCount();
    await tick();
    const found = await readChannels(
      workshop.chain,
      payers.map(({ id }) => id),
    );
    expect(found.every(({ claimed_micro }) => claimed_micro === PRICE)).toBe(true);
    expect((await workshop.chain.minedCount()) - sent).toBeLessThanOrEqual(3);
  });
});

test("a channel that was emptied while its batch was sent does not prevent the other claims", async () => {
  const gone = await opened(2, 2);
  const others = [await opened(2, 3), await opened(3, 4)];
  await withdraw(gone);
  await moveClock(DAY_MS);
  await finish(gone);
  expect((await onChain(gone)).balance_micro).toBe(0);
  const due = await Promise.all(
    [others[0]!, gone, others[1]!].map(async (payer): Promise<DueClaim> => {
      const row = channels.claimable(await stateOf(payer))!;
      return { id: idOf(payer), channel_id: payer.id, row, more_micro: row.total_micro };
    }),
  );
  const warned: object[] = [];
  const log = { info: () => {}, error: () => {}, warn: (facts: object) => void warned.push(facts) };
  const memory = { sent: new Map(), refused: new Set<string>() };
  for (let n = 0; n < 2; n++) await claimAll(service.app, due, memory, log);
  const found = await Promise.all(others.map(onChain));
  expect(found.map(({ claimed_micro }) => claimed_micro)).toEqual([3 * PRICE, 4 * PRICE]);
  expect(warned).toEqual([{ channel: idOf(gone) }]);
});

describe("after a reorg", () => {
  test("a removed deposit is sent again", async () => {
    await workshop.rpc("evm_mine");
    const snapshot = await workshop.rpc<string>("evm_snapshot");
    const payer = await opened(4, 2);
    await workshop.rpc("evm_revert", snapshot);
    expect((await onChain(payer)).balance_micro).toBe(0);
    for (let n = 0; n < 4; n++) await workshop.rpc("evm_mine");
    await tick();
    expect((await onChain(payer)).balance_micro).toBe(DEPOSIT);
    expect((await payer.pay(echo("again"), terms)).status).toBe(200);
    await tick({ claim_after_ms: 0 });
    expect((await onChain(payer)).claimed_micro).toBe(3 * PRICE);
  });

  test("a removed claim is sent again", async () => {
    const payer = await opened(4, 2);
    await workshop.rpc("evm_mine");
    const snapshot = await workshop.rpc<string>("evm_snapshot");
    await tick({ claim_after_ms: 0 });
    expect((await onChain(payer)).claimed_micro).toBe(2 * PRICE);
    await workshop.rpc("evm_revert", snapshot);
    for (let n = 0; n < 4; n++) await workshop.rpc("evm_mine");
    expect((await onChain(payer)).claimed_micro).toBe(0);
    await tick({ claim_after_ms: 0 });
    expect((await onChain(payer)).claimed_micro).toBe(2 * PRICE);
  });
});

test("a refund that a crash cut short is finished by the next process, once", async () => {
  const payer = await opened(5, 2);
  const before = await balanceOf(workshop.chain, addressOf(wallet(5)));
  const at = new Date().toISOString();
  const target = channels.targetOf(idOf(payer));
  await service.app.decide(channels, target, channels.openRefund(undefined, at), {
    meta: { actor: "test", operation: "test" },
  });
  // The money is on its way back, so that no voucher counts on it.
  const refused = await payer.pay(echo("beyond"), terms);
  expect(requiredOf(refused).error).toBe("invalid_batch_settlement_evm_cumulative_exceeds_balance");
  for (let n = 0; n < 3; n++) await tick();
  expect((await balanceOf(workshop.chain, addressOf(wallet(5)))) - before).toBe(BigInt(DEPOSIT - 2 * PRICE));
  expect(await stateOf(payer)).toMatchObject({ refund: null, chain: { refund_nonce: "1" } });
});

test("no claim is made that costs more than it brings", async () => {
  const payer = await opened(6);
  costs(PRICE);
  await tick({ claim_after_ms: 0 });
  expect((await onChain(payer)).claimed_micro).toBe(0);
  costs(PRICE - 1);
  await tick({ claim_after_ms: 0 });
  expect((await onChain(payer)).claimed_micro).toBe(PRICE);
  costs(0);
});

test("a log that lost charges begins from the chain's claims, and the payer is corrected", async () => {
  const payer = await opened(7, 2);
  const row = channels.claimable(await stateOf(payer))!;
  expect(row.total_micro).toBe(2 * PRICE);
  await tick({ claim_after_ms: 0 });
  // The same channel in a log that never saw it, as after a restore from an older backup.
  const restored = await startService({
    operations: sampleOperations,
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
  });
  try {
    const url = `${restored.url}/v1/agent/test/echo?say=restored`;
    const wanted = await termsOf(url);
    const low = await payer.pay(url, wanted, { max: PRICE });
    const { error, terms: corrected } = requiredOf(low);
    expect(error).toBe("invalid_batch_settlement_evm_cumulative_amount_mismatch");
    expect(corrected.extra.channelState).toMatchObject({ chargedCumulativeAmount: String(2 * PRICE) });
    expect(corrected.extra.voucherState).toBeUndefined();
    const answer = await payer.pay(url, wanted, { max: 3 * PRICE });
    expect(answer.status).toBe(200);
    expect(chargeOf(answer).extra?.chargedAmount).toBe(String(PRICE));
  } finally {
    await restored.stop();
  }
});

test("a stranger's claim of its own channel moves nothing of ours", async () => {
  const stranger = privateKeyToAccount(generatePrivateKey());
  const payer = new ChannelPayer(wallet(8), terms, { receiver_authorizer: addressOf(stranger) });
  const answer = await payer.pay(echo("stranger"), terms, { deposit: DEPOSIT });
  expect(requiredOf(answer).error).toBe("invalid_batch_settlement_evm_receiver_authorizer_mismatch");
});
