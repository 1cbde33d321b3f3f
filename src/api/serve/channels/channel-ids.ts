/**
 * Caches the ids of channels: a channel pays for many calls, and hashing its terms takes a tenth of the check of a
 * voucher.
 */
import { LRUCache } from "lru-cache";
import type { Hex } from "../../../core/model/chain.ts";
import type { ChannelConfig, ChannelDigests } from "../../../domain/payments/channel-contract.ts";

const MOST_CHANNELS = 10_000;

/** The same digest functions, which hash the terms of a channel only once. */
export function cachedChannelIds(digests: ChannelDigests): ChannelDigests {
  const ids = new LRUCache<string, Hex>({ max: MOST_CHANNELS });
  return {
    ...digests,
    channelId(config) {
      const terms = termsOf(config);
      const known = ids.get(terms);
      if (known !== undefined) return known;
      const id = digests.channelId(config);
      ids.set(terms, id);
      return id;
    },
  };
}

const termsOf = (config: ChannelConfig): string =>
  [
    config.payer,
    config.payer_authorizer,
    config.receiver,
    config.receiver_authorizer,
    config.token,
    config.withdraw_delay_s,
    config.salt,
  ].join(" ");
