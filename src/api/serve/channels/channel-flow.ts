/**
 * Serves a call for a voucher. Its steps, in order:
 *
 *     accept   the payment is read and checked in this process; calls of one channel take turns
 *     find     a repeated voucher gets its answer again; one with another sum gets the channel's state in a new 402
 *     handle   the answer is computed; its decisions are staged, and nothing is stored
 *     deposit  if one came with the voucher, and the channel lacks it: it is carried to the chain
 *     stage    VoucherAccepted joins the staged events: one commit
 *     answer   with the charge, the channel's state and a signed receipt
 *
 * A call that fails before the commit charges nothing, and its voucher stays valid.
 */

import { channelName } from "../../../chain/channels.ts";
import { transact } from "../../../core/commands/transact.ts";
import type { AddressLimits } from "../../../core/model/ports/address-limits.ts";
import { Refusal } from "../../../core/model/refusal.ts";
import { readSignature, writeSignature } from "../../../domain/payments/authorization.ts";
import type { AcceptedVoucher, Channel } from "../../../domain/payments/channel.ts";
import * as channels from "../../../domain/payments/channel.ts";
import { type ChannelDigests, channelDigests } from "../../../domain/payments/channel-contract.ts";
import { paymentProblems } from "../../../domain/payments/problems.ts";
import { payer } from "../../declare/caller.ts";
import { restsOnDataAlone } from "../../declare/operation.ts";
import { effectOf } from "../../declare/operation-facts.ts";
import { type AnswerParts, isUnchanged, type PreparedAnswer, prepareAnswer } from "../answer.ts";
import { type Call, commandOf, idempotencyOf, sha256 } from "../call.ts";
import { repeatName } from "../repeats.ts";
import type { Acceptance } from "../x402/accept.ts";
import { refuseTestMoney, refuseWhileAway } from "../x402/charge.ts";
import { receiptExtensionOf } from "../x402/paid-answer.ts";
import type { DeliveredAnswer, Offer, Outcome } from "../x402/paid-call.ts";
import { payerProof, shownAgain } from "../x402/payer-proof.ts";
import { PaymentRefused, refusePayment } from "../x402/payment-refusal.ts";
import { digestOf, eventGiven, givenBefore, idempotencyOfPayment, keep, repeat } from "../x402/replay.ts";
import { microUsdc, type PaymentTerms, priceOf, resourceUrl } from "../x402/required.ts";
import { channelResponse } from "../x402/response.ts";
import { cachedChannelIds } from "./channel-ids.ts";
import { ChannelViews, correctionOf, stateOnWire } from "./channel-view.ts";
import { type RequiredVoucher, voucherChecks } from "./checks.ts";
import { type CarriedDeposit, carryDeposit } from "./deposit.ts";
import { type ChannelPayment, readChannelPayment } from "./payload.ts";
import type { PresentedVoucher } from "./presented-voucher.ts";
import { purchaseOf } from "./purchase.ts";
import { refundChannel } from "./refund.ts";
import { createTurns, type Turns } from "./turns.ts";

export type ChannelFlow = { serve(call: Call, offer: Offer, given: object): Promise<Outcome> };

/** Parts that the payment flow shares. */
export type SharedFlow = {
  parts: AnswerParts;
  terms: PaymentTerms;
  limits: AddressLimits;
  acceptance: Acceptance;
};

type Flow = SharedFlow & {
  views: ChannelViews;
  digests: ChannelDigests;
  turns: Turns;
};

export function createChannelFlow(shared: SharedFlow): ChannelFlow {
  const { app } = shared.parts;
  const flow: Flow = {
    ...shared,
    views: new ChannelViews(app),
    digests: cachedChannelIds(channelDigests(app.chain.chain_id)),
    turns: createTurns(),
  };
  return { serve: (call, offer, given) => serve(flow, call, offer, given) };
}

async function serve(flow: Flow, call: Call, offer: Offer, given: object): Promise<Outcome> {
  const { acceptance } = flow;
  try {
    const voucher = await presentedVoucher(flow, call, offer, readChannelPayment(given));
    acceptance.refuseTooMany(offer.presented);
    return await flow.turns.take(voucher.id, () =>
      voucher.payment.type === "refund"
        ? refundChannel(flow, voucher)
        : paid(flow, voucher, offer).catch(refuseMoved(flow, voucher)),
    );
  } catch (error) {
    const isCallers = error instanceof Refusal && error.code !== "unavailable";
    if (isCallers || error instanceof PaymentRefused) acceptance.boughtNothing(offer.presented, error);
    if (!(error instanceof PaymentRefused)) throw error;
    return { due: true, refused: error };
  }
}

/** Checks a payment without the chain or the log. Throws PaymentRefused. */
async function presentedVoucher(
  { parts: { app }, terms, digests }: Flow,
  call: Call,
  { path }: Offer,
  payment: ChannelPayment,
): Promise<PresentedVoucher> {
  if (!terms.receiver_authorizer)
    return refusePayment("invalid_scheme", "this call takes payments of the scheme exact only");
  refuseTestMoney(app, call.caller);
  const price_micro = Number(microUsdc(await priceOf(call.operation, call, call.input)));
  const resource = resourceUrl(terms, path);
  const { pay_to, receiver_authorizer } = terms;
  const required: RequiredVoucher = { pay_to, receiver_authorizer, price_micro, resource };
  const now = BigInt(Math.floor(app.clock.now().getTime() / 1_000));
  for (const check of voucherChecks) check.refuses({ payment, required, digests, recover: app.recover, now });
  const { config, voucher } = payment;
  const name = channelName(app, voucher.channel_id, config);
  const id = channels.idOf(name);
  const signature = writeSignature(readSignature(voucher.signature)!);
  // The caller is the key that signs the vouchers, because anybody can make a deposit in the name of another wallet.
  const caller = call.caller.kind === "anonymous" ? payer(config.payer_authorizer) : call.caller;
  const payment_id = channels.voucherId(id, voucher.max_micro);
  const charged = {
    ...call,
    caller,
    payment_id,
    idempotency_key: call.idempotency_key ?? payment.identifier,
  };
  return {
    call: { ...charged, repeat_name: await repeatName(app, charged) },
    payment: { ...payment, voucher: { ...voucher, signature } },
    ...{ name, id, price_micro, resource_sha256: sha256(resource) },
  };
}

async function paid(flow: Flow, voucher: PresentedVoucher, offer: Offer): Promise<Outcome> {
  const { parts } = flow;
  const { call, payment } = voucher;
  const given = await givenBefore(parts, call);
  if (given) return answerOf(flow, voucher, await guarded(flow, voucher, given, offer), offer);
  const channel = await matching(flow, voucher);
  if (channel && isRepeated(channel, voucher)) {
    const again = await repeat(parts, call, call.payment_id!);
    return answerOf(flow, voucher, await guarded(flow, voucher, again, offer), offer);
  }
  const isCovered = channel !== undefined && payment.voucher.max_micro <= channels.covered(channel);
  if (!isCovered && !payment.deposit) refuseUncovered(channel);
  return bought(flow, voucher, offer, isCovered);
}

/** Refuses a repeat to a stranger who read the payment on the chain. */
function guarded(
  { parts: { app }, limits }: Flow,
  { call, name }: PresentedVoucher,
  found: DeliveredAnswer,
  offer: Offer,
): Promise<DeliveredAnswer> {
  const payer = { caller: call.caller, wallet: name.config.payer_authorizer };
  return shownAgain({ call, isPayer: payerProof({ app, limits }, payer, offer) }, found);
}

/**
 * The channel, if this voucher adds to its charges or repeats the last one. Otherwise the payer's count is wrong, and
 * it gets the channel's state.
 */
async function matching(flow: Flow, voucher: PresentedVoucher): Promise<Channel | undefined> {
  const { views } = flow;
  const { name, id, price_micro, payment } = voucher;
  const follows = (channel: Channel | undefined) =>
    payment.voucher.max_micro === (channel?.charged_micro ?? 0) + price_micro;
  const { max_micro } = payment.voucher;
  const isGood = (channel: Channel | undefined) =>
    follows(channel) && (payment.deposit || (channel && max_micro <= channels.covered(channel)));
  let channel = await views.current(name).catch(refuseWhileAway);
  if (isGood(channel)) return channel;
  // The cached state may be old: another process may have charged the channel, or its payer may have made a deposit.
  channel = await views.afresh(id);
  if (isGood(channel) || (channel && isRepeated(channel, voucher))) return channel;
  channel = await views.fromChain(name).catch(refuseWhileAway);
  if (follows(channel) || (channel && isRepeated(channel, voucher))) return channel;
  if (!channel) return refuseUncovered(channel);
  throw new PaymentRefused(
    "invalid_batch_settlement_evm_cumulative_amount_mismatch",
    `voucher.maxClaimableAmount: sign ${channel.charged_micro + price_micro}: all charges plus this call's price`,
    { channel: correctionOf(channel) },
  );
}

const isRepeated = ({ voucher: last }: Channel, { call, payment: { voucher } }: PresentedVoucher): boolean =>
  last?.charged_micro === voucher.max_micro &&
  last.signature === voucher.signature &&
  last.request_sha256 === call.request_sha256 &&
  last.tenant === call.caller.tenant;

function refuseUncovered(channel: Channel | undefined): never {
  if (!channel)
    return refusePayment(
      "invalid_batch_settlement_evm_channel_not_found",
      "this channel has no deposit: send one with the voucher",
    );
  const left = Math.max(0, channels.covered(channel) - channel.charged_micro);
  const why = channel.chain.withdrawal || channel.refund ? "; the rest is being returned" : "";
  return refusePayment(
    "invalid_batch_settlement_evm_cumulative_exceeds_balance",
    `voucher.maxClaimableAmount: this channel has ${left} micro-USDC left${why}; send a deposit with the voucher`,
  );
}

/** Handles the call and accepts its voucher in one commit. */
async function bought(
  flow: Flow,
  voucher: PresentedVoucher,
  offer: Offer,
  isCovered: boolean,
): Promise<Outcome> {
  const { parts } = flow;
  const { app } = parts;
  const { call, id, payment } = voucher;
  const isRead = effectOf(call.operation).changes === "nothing";
  const own = idempotencyOf(call) ?? (isRead ? undefined : idempotencyOfPayment(call, call.payment_id!));
  let deposit: CarriedDeposit | undefined;
  let storing: Promise<void> | undefined;
  const done = await transact(app.unit, commandOf(call, own), (unit) => prepareAnswer(parts, call, unit), {
    once: async (made) => {
      if (isUnchanged(call, made)) return { is_charged: false };
      await refuseOtherPrice(voucher);
      if (!isCovered && payment.deposit) {
        deposit = await carryDeposit(app, flow.views, voucher.name, payment.deposit);
        const channel = deposit?.channel ?? (await flow.views.fromChain(voucher.name).catch(refuseWhileAway));
        if (!channel || payment.voucher.max_micro > channels.covered(channel)) refuseUncovered(channel);
      }
      return { is_charged: true };
    },
    stage: async (decide, made, { is_charged }) => {
      if (!is_charged) return;
      // An answer that depends on data alone is not stored, because a repeat can compute it again.
      if (restsOnDataAlone(call.operation) && idempotencyOf(call) === undefined) storing = undefined;
      else storing = keep(app, call, call.payment_id!, made);
      // The bytes of a read may be stored during the commit; those of a command are stored before it.
      if (isRead) storing = storing?.catch(() => undefined);
      else await storing;
      await decide(channels, channels.targetOf(id), channels.accept(acceptedOf(app.clock, voucher, made)));
    },
  });
  await storing;
  const event = done.events.find(({ stream_id }) => stream_id === channels.streamOf(id));
  if (done.replayed) {
    const found = (await givenBefore(parts, call)) ?? (await repeat(parts, call, call.payment_id!));
    return answerOf(flow, voucher, await guarded(flow, voucher, found, offer), offer);
  }
  if (!event) return { made: done.result, event: undefined };
  const bought_by = {
    ...purchaseOf(voucher.name, acceptedOf(app.clock, voucher, done.result)),
    payment_id: call.payment_id!,
    event,
  };
  return answerOf(flow, voucher, { made: done.result, bought_by }, offer, deposit);
}

/** A new vintage may have changed the price since the voucher was checked. */
async function refuseOtherPrice({ call, price_micro }: PresentedVoucher): Promise<void> {
  const price = Number(microUsdc(await priceOf(call.operation, call, call.input)));
  if (price !== price_micro)
    refusePayment(
      "invalid_payment_requirements",
      `accepted.amount: the data has changed, and this now costs ${price}; sign a new voucher`,
    );
}

const acceptedOf = (
  clock: { now(): Date },
  { call, payment, price_micro, resource_sha256 }: PresentedVoucher,
  made: PreparedAnswer,
): AcceptedVoucher => ({
  charged_micro: payment.voucher.max_micro,
  price_micro,
  signature: payment.voucher.signature,
  operation: call.operation.name,
  request_sha256: call.request_sha256,
  resource_sha256,
  tenant: call.caller.tenant,
  answer: { status: made.status, sha256: digestOf(call, made), vintage: made.vintage },
  accepted_at: clock.now().toISOString(),
});

/** Another process has charged the channel in the meantime, so the payer gets the channel's state. */
const refuseMoved =
  ({ views }: Flow, { id }: PresentedVoucher) =>
  async (error: unknown): Promise<never> => {
    const isMoved = error instanceof Refusal && error.type === paymentProblems["channel-moved"];
    const channel = isMoved ? await views.afresh(id) : undefined;
    if (!isMoved || !channel) throw error;
    throw new PaymentRefused("invalid_batch_settlement_evm_cumulative_amount_mismatch", error.message, {
      channel: correctionOf(channel),
    });
  };

/**
 * Answers with the settlement. For the voucher that bought this answer it contains the charge; for another voucher, a
 * charge of zero.
 */
async function answerOf(
  flow: Flow,
  { id, name, payment, price_micro, call }: PresentedVoucher,
  found: DeliveredAnswer,
  { path }: Offer,
  deposit?: CarriedDeposit,
): Promise<Outcome> {
  const { made, bought_by, is_part } = found;
  if (!bought_by) return { made, event: await eventGiven(flow.parts.app, call) };
  const channel = await flow.views.cached(id);
  if (!channel) throw new Error(`${id} accepted a voucher and is unknown`);
  const isOwn = bought_by.payment_id === call.payment_id;
  const charged_micro = isOwn ? payment.voucher.max_micro : channel.charged_micro;
  const receipt = await receiptExtensionOf(flow, found, path);
  return {
    made,
    event: bought_by.event,
    sha256: is_part ? null : bought_by.answer.sha256,
    settlement: channelResponse({
      payer: name.config.payer,
      deposit,
      extra: {
        chargedAmount: String(isOwn ? price_micro : 0),
        channelState: stateOnWire({ ...channel, charged_micro }),
      },
      ...(receipt && { extensions: receipt }),
    }),
  };
}
