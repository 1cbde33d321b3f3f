/**
 * Follows channels on the chain, and claims what is owed: when a payer withdraws, when it is much, or when it is old.
 * A claim is cumulative, so that one which is sent twice moves nothing more; nothing needs to be recorded before it.
 */
import { endRefund } from "../../chain/channel-refunds.ts";
import { readChannels, recordSeen } from "../../chain/channels.ts";
import { compareChain } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { reactor, unlessUndone } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { networkOf } from "../../core/model/chain.ts";
import { GasBudgetSpent } from "../../core/model/ports/chain.ts";
import type { Channel } from "../../domain/payments/channel.ts";
import * as channels from "../../domain/payments/channel.ts";
import { type ChannelRow, channelsProjection, watchedChannels } from "../../projections/payments/channels.ts";
import { type ClaimMemory, claimAll, type DueClaim, moveEarnings } from "./claims.ts";
import { restoreDeposit } from "./deposits.ts";

export type ClaimPolicy = {
  /** Owed money is claimed at this age, or from this sum. */
  claim_after_ms: number;
  claim_micro: number;
  /** The pause between two reads of a channel. */
  read_every_ms: number;
};

/** A payer's withdrawal takes a day, so that a claim has many tries. */
const POLICY: ClaimPolicy = { claim_after_ms: 6 * 3_600_000, claim_micro: 1_000_000, read_every_ms: 30_000 };

const EARNINGS_MS = 30_000;

/** Channels of one tick. */
const AT_ONCE = 2_000;

/** `read`: when a channel was read; `moved_at`: when the earnings were. */
type Memory = ClaimMemory & { read: Map<string, number>; moved_at: number };

export const channelsReactor = (policy: Partial<ClaimPolicy> = {}) =>
  reactor({
    name: "channels",
    every_ms: 2_000,
    runs: ({ takes_channels }) => takes_channels,
    memory: (): Memory => ({
      ...{ read: new Map(), sent: new Map(), refused: new Set() },
      moved_at: Number.NEGATIVE_INFINITY,
    }),
    async take({ app, log, memory, signal }) {
      const isCurrent = await app.caughtUp(channelsProjection);
      const watched = await watchedNow(app);
      if (watched.length === 0) {
        memory.read.clear();
        return isCurrent ? "idle" : "done";
      }
      const compared = await compareChain(app);
      if (compared.status !== "same") return compared;
      try {
        const hasRead = await follow(app, watched, memory, { ...POLICY, ...policy });
        if (signal.aborted) return "done";
        // The latest reading counts.
        const current = hasRead ? await watchedNow(app) : watched;
        await claimAll(app, await dueOf(app, current, { ...POLICY, ...policy }), memory, log);
        if (performance.now() - memory.moved_at < EARNINGS_MS) return "done";
        await moveEarnings(app);
        memory.moved_at = performance.now();
        return "done";
      } catch (error) {
        if (!(error instanceof GasBudgetSpent)) throw error;
        return { status: "spent", reason: error.message };
      }
    },
    failures: {
      away: "the chain is unavailable: channels are neither followed nor claimed meanwhile",
      behind: "channels are not claimed: the chain lags behind its earlier head",
      foreign: "channels are not claimed: this is another chain than the log's",
      spent: "claims of channels wait for the next day: their gas budget is spent",
      failed: "channels cannot be claimed; trying again",
    },
    grave: ["foreign", "spent"],
    resumed: "channels are followed and claimed again",
  });

async function watchedNow(app: App): Promise<ChannelRow[]> {
  await app.caughtUp(channelsProjection);
  const now = app.clock.now().toISOString();
  return watchedChannels(app.pool, { network: networkOf(app.chain), now, limit: AT_ONCE });
}

/** Reads channels whose last reading is old, records what changed, and ends open refunds. */
async function follow(
  app: App,
  watched: readonly ChannelRow[],
  { read }: Memory,
  { read_every_ms }: ClaimPolicy,
): Promise<boolean> {
  const now = performance.now();
  const old = watched.filter(
    ({ id, refund_open }) => refund_open || now - (read.get(id) ?? -Infinity) >= read_every_ms,
  );
  if (old.length === 0) return false;
  const found = await readChannels(
    app.chain,
    old.map(({ channel_id }) => channel_id),
  );
  await forEach(
    old.map((row, i) => ({ row, seen: found[i]! })),
    async ({ row, seen }) => {
      const channel = await app.load(channels, channels.targetOf(row.id));
      if (!channel) return;
      const state = (await recordSeen(app, channel, seen)) as Channel;
      await restoreDeposit(app, state).catch(unlessUndone);
      if (state.refund) await endRefund(app, row.id).catch(unlessUndone);
      read.set(row.id, now);
    },
  );
  return true;
}

/** The claims that are due now. A payer that withdraws comes first. */
async function dueOf(
  app: App,
  watched: readonly ChannelRow[],
  { claim_after_ms, claim_micro }: ClaimPolicy,
): Promise<DueClaim[]> {
  const old = new Date(app.clock.now().getTime() - claim_after_ms).toISOString();
  const isDue = ({ owed_since, withdrawal_micro, charged_micro, claimed_micro }: ChannelRow) =>
    owed_since !== null &&
    (withdrawal_micro !== null || charged_micro - claimed_micro >= claim_micro || owed_since <= old);
  const due = await forEach(watched.filter(isDue), async ({ id }): Promise<DueClaim[]> => {
    const channel = await app.load(channels, channels.targetOf(id));
    const row = channel && channels.claimable(channel);
    if (!channel || !row) return [];
    const more_micro = row.total_micro - channel.chain.claimed_micro;
    return [{ id, channel_id: channel.channel_id, row, more_micro }];
  });
  return due.flat();
}
