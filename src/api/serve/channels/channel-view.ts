/**
 * The state of channels in this process. Some minutes of delay are harmless, because a withdrawal by the payer takes
 * a day on the chain. So the chain is not queried for each voucher.
 */
import { type ChannelName, readChannels, recordSeen } from "../../../chain/channels.ts";
import type { App } from "../../../core/app.ts";
import { fold } from "../../../core/commands/stream-folds.ts";
import type { Channel, ChannelState } from "../../../domain/payments/channel.ts";
import * as channels from "../../../domain/payments/channel.ts";
import { answeredInTime } from "./in-time.ts";

/** After this time, a voucher causes a query of the chain. After the longer time, the voucher waits for the result. */
const FRESH_MS = 30_000;
const GOOD_MS = 600_000;

export class ChannelViews {
  readonly #app: App;
  /**
   * When this process last read each channel from the chain. The log cannot say, because it is older after a restore
   * from a backup.
   */
  readonly #read = new Map<string, number>();
  readonly #reading = new Map<string, Promise<ChannelState>>();

  constructor(app: App) {
    this.#app = app;
  }

  /** The newest known state, compared with the chain often enough; undefined without a deposit. */
  async current(name: ChannelName): Promise<ChannelState> {
    const id = channels.idOf(name);
    const age = performance.now() - (this.#read.get(id) ?? Number.NEGATIVE_INFINITY);
    if (age > GOOD_MS) return this.fromChain(name);
    if (age > FRESH_MS) this.fromChain(name).catch(() => undefined);
    return this.cached(id);
  }

  /** The state in the log at the last read; other processes may have changed it since. */
  async cached(id: string): Promise<ChannelState> {
    const { tenant } = channels.targetOf(id);
    return (await fold(this.#app.unit, channels, tenant, channels.streamOf(id))).state;
  }

  afresh(id: string): Promise<ChannelState> {
    return this.#app.load(channels, channels.targetOf(id));
  }

  /** Reads a channel from the chain and records its changes. For a channel without a deposit, nothing is recorded. */
  fromChain(name: ChannelName): Promise<ChannelState> {
    const id = channels.idOf(name);
    const reading = this.#reading.get(id) ?? this.#readNow(name, id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #readNow(name: ChannelName, id: string): Promise<ChannelState> {
    const [read] = await answeredInTime(readChannels(this.#app.chain, [name.channel_id]));
    const known = await this.afresh(id);
    const isEmpty = read!.balance_micro === 0 && read!.claimed_micro === 0;
    if (!known && isEmpty) return undefined;
    const state = await recordSeen(this.#app, name, read!);
    if (this.#read.size > MOST_KNOWN) this.#read.clear();
    this.#read.set(id, performance.now());
    return state;
  }
}

/** Beyond this number, the oldest readings are forgotten, and their channels are read again. */
const MOST_KNOWN = 100_000;

/** A channel's state on the wire: x402's `channelState`. */
export const stateOnWire = ({ channel_id, chain, charged_micro }: Channel) => ({
  channelId: channel_id,
  balance: String(chain.balance_micro),
  totalClaimed: String(chain.claimed_micro),
  withdrawRequestedAt: chain.withdrawal?.initiated_at_s ?? 0,
  refundNonce: chain.refund_nonce,
  chargedCumulativeAmount: String(charged_micro),
});

/**
 * The proof of the charges, with which a payer corrects a wrong count. Without charges, the payer starts from the
 * chain's state.
 */
export const correctionOf = (channel: Channel) => ({
  channelState: stateOnWire(channel),
  ...(channel.voucher && {
    voucherState: {
      signedMaxClaimable: String(channel.voucher.charged_micro),
      signature: channel.voucher.signature,
    },
  }),
});
