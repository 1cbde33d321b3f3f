/**
 * A channel is a payer's deposit, from which it pays call by call with vouchers: signed sums of all charges so far. A
 * voucher's sum grows by exactly its call's price, so none is accepted twice. The chain has the deposit and the claims.
 */
import { z } from "zod";
import type { Hex } from "../../core/model/chain.ts";
import type { DataOf } from "../../core/model/entity.ts";
import { refuse } from "../../core/model/refusal.ts";
import type { ChannelConfig, ChannelOnChain, ClaimRow } from "./channel-contract.ts";
import type {
  AcceptedVoucher,
  ChannelEvent,
  events,
  FundedChannel,
  OpenedChannel,
  SeenChannel,
} from "./channel-events.ts";
import type { MinedTransaction } from "./payment.ts";
import { paymentProblems } from "./problems.ts";

export type { AcceptedVoucher, ChannelEvent, FundedChannel, SeenChannel } from "./channel-events.ts";
export { events } from "./channel-events.ts";
export { targetOf } from "./payment.ts";

/** The payer's way out takes this long; so long a claim may take, whatever fails. The contract's least is 900. */
export const WITHDRAW_DELAY_S = 86_400;

/** 1 USDC: a smaller deposit would not be worth its gas, and that of its refund. */
export const LEAST_DEPOSIT_MICRO = 1_000_000;

/** The least deposit for a call of this price. */
export const leastDeposit = (price_micro: number): number => Math.max(LEAST_DEPOSIT_MICRO, price_micro);

export type ChannelRefund = DataOf<typeof events, "ChannelRefundOpened">;

export type Channel = {
  network: string;
  channel_id: Hex;
  config: ChannelConfig;
  /** As the log last saw it. */
  chain: ChannelOnChain & { seen_block: number };
  charged_micro: number;
  /** The newest voucher; null if the chain alone knows of the charges. */
  voucher: AcceptedVoucher | null;
  /** The newest deposit that was carried here. */
  deposit: FundedChannel | null;
  refund: ChannelRefund | null;
  opened_at: string;
};
/** undefined = no voucher of it was presented here. */
export type ChannelState = Channel | undefined;

export const prefix = "channel-";

/** `<network>:<token>:<payer>:<channel id>`, in the form of a payment's id. */
export const streamOf = (id: string) => prefix + id;

export const idOf = ({
  network,
  channel_id,
  config: { token, payer },
}: Pick<Channel, "network" | "channel_id" | "config">): string =>
  `${network}:${token}:${payer}:${channel_id}`;

/** The name of a voucher's purchase: its channel's id, and the sum. */
export const voucherId = (channel: string, charged_micro: number): string => `${channel}:${charged_micro}`;

/** The channel and sum of a voucher's name; undefined for the name of another payment. */
export function voucherOf(payment_id: string): { channel: string; charged_micro: number } | undefined {
  const parts = payment_id.split(":");
  if (parts.length !== 6) return undefined;
  return { channel: parts.slice(0, 5).join(":"), charged_micro: Number(parts[5]) };
}

/** A channel's id, or a voucher's. */
export const channelName = z
  .string()
  .regex(
    /^eip155:\d{1,20}:0x[0-9a-f]{40}:0x[0-9a-f]{40}:0x[0-9a-f]{64}(?::\d{1,16})?$/,
    "is eip155:<chain>:<asset>:<payer>:<channel id> in lower-case hex",
  );

export const initialState = (): ChannelState => undefined;

/** A busy channel has many thousand vouchers. */
export const fold_version = 1;

const UNSEEN = { balance_micro: 0, claimed_micro: 0, refund_nonce: "0", withdrawal: null, seen_block: 0 };

export function evolve(state: ChannelState, event: ChannelEvent): ChannelState {
  if (event.type === "ChannelOpened") {
    const { network, channel_id, opened_at, ...config } = event.data;
    const nothing = { charged_micro: 0, voucher: null, deposit: null, refund: null };
    return { network, channel_id, config, chain: UNSEEN, ...nothing, opened_at };
  }
  if (!state) return state;
  switch (event.type) {
    case "ChannelSeen": {
      const { seen_at: _, ...chain } = event.data;
      const isKnown = chain.claimed_micro <= state.charged_micro;
      return isKnown
        ? { ...state, chain }
        : { ...state, chain, charged_micro: chain.claimed_micro, voucher: null };
    }
    case "ChannelFunded":
      return { ...state, deposit: event.data };
    case "VoucherAccepted":
      return { ...state, charged_micro: event.data.charged_micro, voucher: event.data };
    case "ChannelClaimed": {
      const claimed_micro = Math.max(state.chain.claimed_micro, event.data.claimed_micro);
      const seen_block = Math.max(state.chain.seen_block, event.data.block_number);
      return { ...state, chain: { ...state.chain, claimed_micro, seen_block } };
    }
    case "ChannelRefundOpened":
      return { ...state, refund: event.data };
    case "ChannelRefundEnded":
      return { ...state, refund: null };
  }
}

/** The sum up to which vouchers are good, whatever the payer does: neither a withdrawal nor a refund takes it. */
export const covered = ({ chain: { balance_micro, withdrawal }, refund }: Channel): number =>
  balance_micro - (withdrawal?.amount_micro ?? 0) - (refund?.amount_micro ?? 0);

/** The charges that are not claimed. */
export const owed = ({ charged_micro, chain }: Channel): number => charged_micro - chain.claimed_micro;

/** The claim of everything that is owed and still there; undefined = nothing. */
export function claimable({ config, charged_micro, chain, voucher }: Channel): ClaimRow | undefined {
  const total_micro = Math.min(charged_micro, chain.balance_micro);
  if (!voucher || total_micro <= chain.claimed_micro) return undefined;
  return { config, max_micro: voucher.charged_micro, signature: voucher.signature, total_micro };
}

const isSeen = ({ chain }: Channel, seen: ChannelOnChain): boolean =>
  chain.balance_micro === seen.balance_micro &&
  chain.claimed_micro === seen.claimed_micro &&
  chain.refund_nonce === seen.refund_nonce &&
  chain.withdrawal?.initiated_at_s === seen.withdrawal?.initiated_at_s &&
  chain.withdrawal?.amount_micro === seen.withdrawal?.amount_micro;

/** Records the chain's state of a channel. An older one than the log's changes nothing. */
export const see =
  (opened: OpenedChannel, seen: SeenChannel) =>
  (state: ChannelState): ChannelEvent[] => {
    if (!state)
      return [
        { type: "ChannelOpened", data: opened },
        { type: "ChannelSeen", data: seen },
      ];
    if (isSeen(state, seen) || seen.seen_block < state.chain.seen_block) return [];
    return [{ type: "ChannelSeen", data: seen }];
  };

/** Records a carried deposit. */
export const fund =
  (funded: FundedChannel) =>
  (state: ChannelState): ChannelEvent[] =>
    state && state.deposit?.transaction !== funded.transaction
      ? [{ type: "ChannelFunded", data: funded }]
      : [];

/** Accepts a voucher for a call's answer. */
export const accept =
  (voucher: AcceptedVoucher) =>
  (state: ChannelState): ChannelEvent[] => {
    if (!state || voucher.charged_micro !== state.charged_micro + voucher.price_micro)
      return refuse(paymentProblems["channel-moved"], "another call has used this channel meanwhile");
    if (voucher.charged_micro > covered(state))
      return refuse(paymentProblems["channel-moved"], "the channel's deposit is being returned");
    return [{ type: "VoucherAccepted", data: voucher }];
  };

/** Records a claim that the chain took. */
export const recordClaim =
  (claimed_micro: number, mined: MinedTransaction, claimed_at: string) =>
  (state: ChannelState): ChannelEvent[] =>
    state && claimed_micro > state.chain.claimed_micro
      ? [{ type: "ChannelClaimed", data: { claimed_micro, ...mined, claimed_at } }]
      : [];

/** Opens a refund of the rest, or of a part of it; an open one stays. */
export const openRefund =
  (amount_micro: number | undefined, opened_at: string) =>
  (state: ChannelState): ChannelEvent[] => {
    if (!state) return refuse("not_found", "no voucher of this channel was presented here");
    if (state.refund) return [];
    const rest = state.chain.balance_micro - state.charged_micro;
    if (rest <= 0) return refuse("conflict", "nothing of this channel's deposit is left");
    const refund = { amount_micro: Math.min(amount_micro ?? rest, rest), nonce: state.chain.refund_nonce };
    return [{ type: "ChannelRefundOpened", data: { ...refund, opened_at } }];
  };

/** Ends the open refund of this nonce. */
export const endRefund =
  (nonce: string, refunded_micro: number, mined: MinedTransaction, ended_at: string) =>
  (state: ChannelState): ChannelEvent[] =>
    state?.refund?.nonce === nonce
      ? [{ type: "ChannelRefundEnded", data: { refunded_micro, ...mined, ended_at } }]
      : [];

/** The opening event of a channel's first use. */
export const openedBy = (
  { network, channel_id, config }: Pick<Channel, "network" | "channel_id" | "config">,
  opened_at: string,
): OpenedChannel => ({ network, channel_id, ...config, opened_at });
