/**
 * A channel as this process knows it. The chain is not queried for each voucher: a withdrawal that its payer begins
 * there takes a day. So a state of some minutes ago is as good as the newest.
 */
import { type ChannelName, readChannels, recordSeen } from "../../../chain/channels.ts";
import type { App } from "../../../core/app.ts";
import { fold } from "../../../core/commands/stream-folds.ts";
import type { Channel, ChannelState } from "../../../domain/payments/channel.ts";
import * as channels from "../../../domain/payments/channel.ts";
import { answeredInTime } from "./in-time.ts";

/** After this time, a voucher causes a query of the chain. After the second one, the voucher waits for the answer. */
const FRESH_MS = 30_000;
const GOOD_MS = 600_000;

export class ChannelViews {
  readonly #app: App;
  /** When this process last read a channel from the chain. The log cannot say: restored from a backup, it is older. */
  readonly #read = new Map<string, number>();
  readonly #reading = new Map<string, Promise<ChannelState>>();

  constructor(app: App) {
    this.#app = app;
  }

  /** The newest state that this process knows, compared with the chain in time; undefined without a deposit. */
  async current(name: ChannelName): Promise<ChannelState> {
    const id = channels.idOf(name);
    const age = performance.now() - (this.#read.get(id) ?? Number.NEGATIVE_INFINITY);
    if (age > GOOD_MS) return this.fromChain(name);
    if (age > FRESH_MS) this.fromChain(name).catch(() => undefined);
    return this.cached(id);
  }

  /** The log's state, which other processes may have changed since. */
  async cached(id: string): Promise<ChannelState> {
    const { tenant } = channels.targetOf(id);
    return (await fold(this.#app.unit, channels, tenant, channels.streamOf(id))).state;
  }

  afresh(id: string): Promise<ChannelState> {
    return this.#app.load(channels, channels.targetOf(id));
  }

  /** Reads the chain, and records changes of the channel. A channel without a deposit leaves nothing in the log. */
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
 * The proof of the charges, by which a payer that lost count corrects itself. Without it, the payer starts from the
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
