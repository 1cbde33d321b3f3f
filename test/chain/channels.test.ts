/** The contract of payment channels on the development chain: the payer's way in and out, and the receiver's claims. */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { decodeErrorResult } from "viem/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readChannels } from "../../src/chain/channels.ts";
import type { Call, Hex } from "../../src/core/model/chain.ts";
import {
  CHANNELS,
  type ChannelConfig,
  type ClaimRow,
  channelDigests,
  channelRefundCall,
  claimCall,
  claimedIn,
  depositCall,
  earningsCall,
  finishWithdrawalCall,
  hasDeposit,
  receiverCall,
  receiverSums,
  refundedIn,
  withdrawCall,
} from "../../src/domain/payments/channel-contract.ts";
import { ABI } from "../../src/domain/payments/generated/channels.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import { channelIdOf, saltOf, signDeposit, signVoucher } from "../support/channels.ts";
import { addressOf, wallet } from "../support/wallets.ts";
import { balanceOf, openWorkshop, sendAs, type Workshop } from "./fixture.ts";

const DAY = 86_400;
const token = USDC.address.toLowerCase() as Hex;
const authorizer = privateKeyToAccount(generatePrivateKey());
const digests = channelDigests(8453);

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

const payer = wallet(3);
const configOf = (more: Partial<ChannelConfig> = {}): ChannelConfig => ({
  payer: addressOf(payer),
  payer_authorizer: addressOf(payer),
  receiver: privateKeyToAccount(generatePrivateKey()).address.toLowerCase() as Hex,
  receiver_authorizer: addressOf(authorizer),
  token,
  withdraw_delay_s: DAY,
  salt: saltOf(),
  ...more,
});

const send = (call: Call) => workshop.chain.send(call, { purpose: "settlement", gas: 500_000n, alone: true });

/** The contract's own name of its refusal. */
async function refusalOf(call: Call): Promise<string | undefined> {
  const tried = await workshop.chain.trial(call, 1_000_000n);
  return tried.success ? undefined : decodeErrorResult({ abi: ABI, data: tried.data }).errorName;
}

async function funded(config: ChannelConfig, amount = 1_000_000): Promise<Hex> {
  const id = channelIdOf(config);
  const receipt = await send(depositCall(config, await signDeposit(payer, id, amount)));
  expect(hasDeposit(receipt.logs, id)).toBe(true);
  return id;
}

const stateOf = async (id: Hex) => (await readChannels(workshop.chain, [id]))[0]!;

async function rowOf(config: ChannelConfig, total: number, max = total): Promise<ClaimRow> {
  const signature = await signVoucher(payer, channelIdOf(config), max);
  return { config, max_micro: max, signature, total_micro: total };
}

const claimOf = async (rows: ClaimRow[]) =>
  claimCall(rows, await authorizer.sign({ hash: digests.claims(rows) }));

/** Sent by the payer itself, whom the chain impersonates. */
const sendAsPayer = (call: Call) => sendAs(workshop, addressOf(payer), call);

test("our digests are those of EIP-712, and of the contract", async () => {
  const config = configOf();
  const id = digests.channelId(config);
  expect(id).toBe(channelIdOf(config));
  const signature = await payer.sign({ hash: digests.voucher(id, 5_000n) });
  expect(signature).toBe(await signVoucher(payer, id, 5_000));
});

describe("a deposit", () => {
  test("reaches the channel by the payer's authorization, sent by anybody", async () => {
    const before = await balanceOf(workshop.chain, addressOf(payer));
    const id = await funded(configOf());
    expect(await stateOf(id)).toMatchObject({ balance_micro: 1_000_000, claimed_micro: 0, withdrawal: null });
    expect(before - (await balanceOf(workshop.chain, addressOf(payer)))).toBe(1_000_000n);
  });

  test("is bound to its channel, and accepted once", async () => {
    const [config, other] = [configOf(), configOf()];
    const deposit = await signDeposit(payer, channelIdOf(config), 1_000_000);
    expect((await workshop.chain.trial(depositCall(other, deposit), 500_000n)).success).toBe(false);
    await send(depositCall(config, deposit));
    expect((await workshop.chain.trial(depositCall(config, deposit), 500_000n)).success).toBe(false);
  });

  test.each([
    ["a delay below 15 minutes", { withdraw_delay_s: 899 }, "WithdrawDelayOutOfRange"],
    ["a delay above 30 days", { withdraw_delay_s: 30 * DAY + 1 }, "WithdrawDelayOutOfRange"],
    ["no receiver", { receiver: `0x${"00".repeat(20)}` as Hex }, "InvalidChannel"],
  ])("is refused with %s", async (_, more, name) => {
    const config = configOf(more);
    const deposit = await signDeposit(payer, channelIdOf(config), 1_000_000);
    expect(await refusalOf(depositCall(config, deposit))).toBe(name);
  });
});

describe("claims", () => {
  test("of many channels go in one transaction, and their sum is moved in another", async () => {
    const first = configOf();
    const second = configOf({ receiver: first.receiver });
    const ids = [await funded(first), await funded(second)] as const;
    const { logs } = await send(await claimOf([await rowOf(first, 3_000), await rowOf(second, 5_000)]));
    expect(ids.map((id) => claimedIn(logs, id))).toEqual([3_000, 5_000]);
    const [sums] = await workshop.chain.read([receiverCall(first.receiver, token)]);
    expect(receiverSums(sums)).toEqual({ claimed_micro: 8_000n, moved_micro: 0n });
    await send(earningsCall(first.receiver, token));
    expect(await balanceOf(workshop.chain, first.receiver)).toBe(8_000n);
  });

  test("are cumulative: an old one and a repeated one change nothing", async () => {
    const config = configOf();
    const id = await funded(config);
    await send(await claimOf([await rowOf(config, 5_000)]));
    for (const total of [5_000, 3_000]) await send(await claimOf([await rowOf(config, total)]));
    expect((await stateOf(id)).claimed_micro).toBe(5_000);
  });

  test("need both signatures, and stay within the voucher and the deposit", async () => {
    const config = configOf();
    await funded(config);
    const row = await rowOf(config, 5_000);
    const strangers = await privateKeyToAccount(generatePrivateKey()).sign({ hash: digests.claims([row]) });
    expect(await refusalOf(claimCall([row], strangers))).toBe("InvalidSignature");
    const forged = { ...row, max_micro: 6_000, total_micro: 6_000 };
    expect(await refusalOf(await claimOf([forged]))).toBe("InvalidSignature");
    expect(await refusalOf(await claimOf([await rowOf(config, 5_001, 5_000)]))).toBe("ClaimExceedsCeiling");
    expect(await refusalOf(await claimOf([await rowOf(config, 1_000_001)]))).toBe("ClaimExceedsBalance");
    expect(await refusalOf(await claimOf([await rowOf(config, 5_000), forged]))).toBe("InvalidSignature");
  });
});

describe("the rest of a channel", () => {
  test("returns at once by the authorizer's signature, once for each nonce", async () => {
    const config = configOf();
    const id = await funded(config);
    const refund = { amount_micro: 400_000, nonce: "0" };
    const call = channelRefundCall(
      config,
      refund,
      await authorizer.sign({ hash: digests.refund(id, 0n, 400_000) }),
    );
    expect(refundedIn((await send(call)).logs, id)).toBe(400_000);
    expect(await refusalOf(call)).toBe("InvalidRefundNonce");
    expect(await stateOf(id)).toMatchObject({ balance_micro: 600_000, refund_nonce: "1" });
  });

  test("is withdrawn by its payer alone, after the delay, less what was claimed meanwhile", async () => {
    const config = configOf();
    const id = await funded(config);
    expect(await refusalOf(withdrawCall(config, 1_000_000))).toBe("InvalidChannel");
    await sendAsPayer(withdrawCall(config, 1_000_000));
    expect((await stateOf(id)).withdrawal).toMatchObject({ amount_micro: 1_000_000 });
    await send(await claimOf([await rowOf(config, 5_000)]));
    await sendAsPayer(finishWithdrawalCall(config));
    expect((await stateOf(id)).balance_micro).toBe(1_000_000);
    await workshop.rpc("evm_increaseTime", DAY);
    await workshop.rpc("evm_mine");
    const before = await balanceOf(workshop.chain, addressOf(payer));
    await sendAsPayer(finishWithdrawalCall(config));
    expect((await balanceOf(workshop.chain, addressOf(payer))) - before).toBe(995_000n);
    expect(await stateOf(id)).toMatchObject({ balance_micro: 5_000, claimed_micro: 5_000, withdrawal: null });
    expect(await refusalOf(await claimOf([await rowOf(config, 6_000)]))).toBe("ClaimExceedsBalance");
  });
});

test("the contract is at x402's address on Base", () =>
  expect(CHANNELS).toBe("0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003".toLowerCase()));
