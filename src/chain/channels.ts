/** Reads channels of the chain, and records in the log what it does not know. */
import type { App } from "../core/app.ts";
import { type Hex, networkOf } from "../core/model/chain.ts";
import { HEIGHT_CALL, heightIn } from "../core/model/multicall.ts";
import { type Chain, ChainUnavailable } from "../core/model/ports/chain.ts";
import type { Channel, ChannelState, SeenChannel } from "../domain/payments/channel.ts";
import * as channels from "../domain/payments/channel.ts";
import {
  CHANNEL_CALLS,
  type ChannelOnChain,
  channelCalls,
  onChain,
} from "../domain/payments/channel-contract.ts";

export type ChannelName = Pick<Channel, "network" | "channel_id" | "config">;
export type ReadChannel = ChannelOnChain & { seen_block: number };

const meta = { actor: "system:channels", operation: "channels.see" };

/** Channels of one request. */
const PAGE = 45;

/** The newest mined state of each channel, in the order given. Rejects with ChainUnavailable. */
export async function readChannels(chain: Chain, ids: readonly Hex[]): Promise<ReadChannel[]> {
  const found: ReadChannel[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const page = ids.slice(at, at + PAGE);
    const calls = [HEIGHT_CALL, ...page.flatMap(channelCalls)];
    const [height, ...answers] = await chain.read(calls, { mined: true });
    const seen_block = Number(heightIn(height));
    for (let i = 0; i < page.length; i++) {
      const one = onChain(answers.slice(CHANNEL_CALLS * i, CHANNEL_CALLS * (i + 1)));
      if (!one) throw new ChainUnavailable("this chain has no contract for channels");
      found.push({ ...one, seen_block });
    }
  }
  return found;
}

/** Records a read state where the log has another. */
export async function recordSeen(app: App, name: ChannelName, read: ReadChannel): Promise<ChannelState> {
  const at = app.clock.now().toISOString();
  const decision = channels.see(channels.openedBy(name, at), { ...read, seen_at: at } satisfies SeenChannel);
  const target = channels.targetOf(channels.idOf(name));
  return (await app.decide(channels, target, decision, { meta })).result.state;
}

export const channelName = (app: App, channel_id: Hex, config: Channel["config"]): ChannelName => ({
  network: networkOf(app.chain),
  channel_id,
  config,
});
