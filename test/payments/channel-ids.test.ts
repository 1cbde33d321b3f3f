/** Cached ids of channels are the hashes of exactly their terms. */
import { expect, test } from "vitest";
import { cachedChannelIds } from "../../src/api/serve/channels/channel-ids.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import { type ChannelConfig, channelDigests } from "../../src/domain/payments/channel-contract.ts";

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
  const digests = channelDigests(8453);
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
