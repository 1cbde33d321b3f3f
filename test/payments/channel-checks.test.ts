/** Each check of a channel's payment is switched off in turn: then the payment that only it refuses must pass. */
import { describe, expect, test } from "vitest";
import { recoverKey } from "../../src/adapters/secp256k1.ts";
import { cachedChannelIds } from "../../src/api/serve/channels/channel-ids.ts";
import { type RequiredVoucher, voucherChecks } from "../../src/api/serve/channels/checks.ts";
import { readChannelPayment } from "../../src/api/serve/channels/payload.ts";
import { DOMAIN, MAX_TIMEOUT_SECONDS } from "../../src/api/serve/x402/required.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { leastDeposit, WITHDRAW_DELAY_S } from "../../src/domain/payments/channel.ts";
import { type ChannelConfig, channelDigests } from "../../src/domain/payments/channel-contract.ts";
import { USDC } from "../../src/domain/payments/usdc.ts";
import {
  ChannelPayer,
  type ChannelTerms,
  channelIdOf,
  signDeposit,
  signVoucher,
} from "../support/channels.ts";
import { addressOf, PAYEE, wallet } from "../support/wallets.ts";

const PRICE = 1_000;
const now = Math.floor(Date.now() / 1_000);
const payer = wallet(0);
const elsewhere = addressOf(wallet(5));
const NOBODY: Hex = `0x${"00".repeat(20)}`;

const required: RequiredVoucher = {
  pay_to: PAYEE,
  receiver_authorizer: addressOf(wallet(3)),
  price_micro: PRICE,
  resource: "https://ours.example/v1/agent/count?limit=3",
};
const extra = {
  name: DOMAIN.name,
  version: DOMAIN.version,
  receiverAuthorizer: required.receiver_authorizer,
  withdrawDelay: WITHDRAW_DELAY_S,
  minDeposit: String(leastDeposit(PRICE)),
};
const offered: ChannelTerms = {
  scheme: "batch-settlement",
  amount: String(PRICE),
  payTo: PAYEE,
  asset: USDC.address,
  maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
  extra,
};

type Presented = Awaited<ReturnType<ChannelPayer["payment"]>> & { resource?: { url: string } };
type Attack = { presented: object; code: string };

/** A payment that is right but for these terms of its channel. */
const from = (more: Partial<ChannelConfig>): Promise<Presented> =>
  new ChannelPayer(payer, offered, more).payment(offered);

const sound = await from({});
const { channelId } = sound.payload.voucher;

const accepting = (more: object): Presented => ({
  ...sound,
  accepted: { ...sound.accepted, ...more } as Presented["accepted"],
});
const withVoucher = (more: Partial<Presented["payload"]["voucher"]>): Presented => ({
  ...sound,
  payload: { ...sound.payload, voucher: { ...sound.payload.voucher, ...more } },
});

async function depositing(amount: number, times: Parameters<typeof signDeposit>[3] = {}): Promise<Presented> {
  const owner = new ChannelPayer(payer, offered);
  return owner.payment(offered, { deposit: await signDeposit(payer, owner.id, amount, times) });
}

const otherChannel = channelIdOf(new ChannelPayer(payer, offered).config);

const coded = (code: string, presented: Presented[]): Attack[] =>
  presented.map((one) => ({ presented: one, code }));
const mismatch = (name: string) => `invalid_batch_settlement_evm_${name}_mismatch`;
const VOUCHER = "invalid_batch_settlement_evm_voucher_signature";
const DEPOSIT = "invalid_batch_settlement_evm_payload_authorization";

/** For each check payments that only this check refuses. */
const attacks: Record<string, Attack[]> = {
  network: coded("invalid_network", [accepting({ network: "eip155:84532" }), accepting({ network: "base" })]),
  terms: coded(
    "invalid_payment_requirements",
    [
      { asset: elsewhere },
      { amount: String(PRICE - 1) },
      { payTo: elsewhere },
      { maxTimeoutSeconds: MAX_TIMEOUT_SECONDS + 1 },
      { extra: { ...extra, name: "USDC coin" } },
      { extra: { ...extra, version: "1" } },
      { extra: { ...extra, receiverAuthorizer: elsewhere } },
      { extra: { ...extra, withdrawDelay: WITHDRAW_DELAY_S + 1 } },
    ].map(accepting),
  ),
  resource: coded(
    "invalid_payment_requirements",
    ["/v1/agent/count?limit=4", "/v1/agent/count"].map((path) => ({
      ...sound,
      resource: { url: `https://ours.example${path}` },
    })),
  ),
  token: coded(mismatch("token"), [await from({ token: elsewhere })]),
  receiver: coded(mismatch("receiver"), [await from({ receiver: elsewhere })]),
  "receiver authorizer": coded(mismatch("receiver_authorizer"), [
    await from({ receiver_authorizer: elsewhere }),
  ]),
  delay: coded(mismatch("withdraw_delay"), [
    await from({ withdraw_delay_s: 900 }),
    await from({ withdraw_delay_s: WITHDRAW_DELAY_S + 1 }),
  ]),
  payer: coded("invalid_payload", [await from({ payer: PAYEE }), await from({ payer: NOBODY })]),
  "payer authorizer": coded(VOUCHER, [await from({ payer_authorizer: NOBODY })]),
  "channel id": coded(mismatch("channel_id"), [
    withVoucher({ channelId: otherChannel, signature: await signVoucher(payer, otherChannel, PRICE) }),
  ]),
  "voucher signature": coded(VOUCHER, [
    withVoucher({ signature: await signVoucher(wallet(1), channelId, PRICE) }),
    withVoucher({ signature: await signVoucher(payer, channelId, PRICE + 1) }),
    withVoucher({ signature: await signVoucher(payer, otherChannel, PRICE) }),
    withVoucher({ maxClaimableAmount: String(PRICE * 1_000) }),
  ]),
  "least deposit": coded("invalid_batch_settlement_evm_deposit_below_min_deposit", [
    await depositing(leastDeposit(PRICE) - 1),
  ]),
  "deposit not yet valid": coded(`${DEPOSIT}_valid_after`, [
    await depositing(leastDeposit(PRICE), { valid_after: String(now) }),
  ]),
  "deposit too far ahead": coded(`${DEPOSIT}_valid_before`, [
    await depositing(leastDeposit(PRICE), { valid_before: String(now + 3_601) }),
  ]),
};

const digests = channelDigests(8453);

function judge(presented: object, checks = voucherChecks): void {
  const payment = readChannelPayment(presented);
  for (const check of checks)
    check.refuses({ payment, required, digests, recover: recoverKey, now: BigInt(now) });
}

describe("every check of a channel's payment", () => {
  test("has an attack", () => {
    expect(Object.keys(attacks)).toEqual(voucherChecks.map(({ name }) => name));
  });

  // No key signs for the address of zeros, so the check of the signature refuses that authorizer too.
  const alsoRefused = ["payer authorizer"];
  test.each(voucherChecks.map(({ name }) => name))(
    "%s refuses its attacks, and no other check does",
    (name) => {
      const without = voucherChecks.filter((check) => check.name !== name);
      for (const { presented, code } of attacks[name]!) {
        expect(() => judge(presented)).toThrow(expect.objectContaining({ name: "PaymentRefused", code }));
        const bare = expect(() => judge(presented, without));
        if (alsoRefused.includes(name)) bare.toThrow(/voucher.signature/);
        else bare.not.toThrow();
      }
    },
  );

  test("accepts a sound voucher, under any name of the service, and a sound deposit", async () => {
    judge(sound);
    judge({ ...sound, resource: { url: "http://127.0.0.1:4021/v1/agent/count?limit=3" } });
    judge(await depositing(leastDeposit(PRICE), { valid_before: String(now + 3_600) }));
  });
});

const hex = (byte: string, length: number): Hex => `0x${byte.repeat(length)}`;

const terms: ChannelConfig = {
  payer: hex("01", 20),
  payer_authorizer: hex("02", 20),
  receiver: hex("03", 20),
  receiver_authorizer: hex("04", 20),
  token: hex("05", 20),
  withdraw_delay_s: 86_400,
  salt: hex("06", 32),
};

test("an id changes with each of its terms, the first time and from the cache", () => {
  const cached = cachedChannelIds(digests);
  const others = (Object.keys(terms) as (keyof ChannelConfig)[]).map((name) => ({
    ...terms,
    [name]: name === "withdraw_delay_s" ? 900 : hex("07", name === "salt" ? 32 : 20),
  }));
  const all = [terms, ...others];
  const ids = all.map((one) => digests.channelId(one));
  expect(new Set(ids).size).toBe(8);
  for (let time = 0; time < 2; time++) expect(all.map((one) => cached.channelId(one))).toEqual(ids);
});
