/**
 * Records the ends and expiries of checks on the chain, and undoes them after a reorg.  Each tick scans the blocks
 * since the last one. Once a block is final and all up to it was scanned, ChecksFollowed says so, and those blocks
 * are not scanned again.
 */

import { type Ending, endingsOf } from "../../chain/endings.ts";
import { compareChain, isHeadCurrent, movedBlocks, REORG_MARGIN } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, reactor, unlessRefused } from "../../core/background/reactor.ts";
import { forEach } from "../../core/coordination/concurrency.ts";
import { type Block, type Hex, networkOf } from "../../core/model/chain.ts";
import type { CheckEvent } from "../../domain/checks/check.ts";
import * as checks from "../../domain/checks/check.ts";
import * as following from "../../domain/checks/following.ts";
import { transferOf } from "../../domain/checks/typed-data.ts";
import {
  checksProjection,
  endedBlocks,
  type Open,
  type OpenCheck,
  openChecks,
  openPages,
} from "../../projections/checks/checks.ts";

/** The block up to which this process has scanned, the last record, and the heads between which nothing was left to do. */
export type FollowMemory = { head?: Block; cursor?: following.Followed; quiet?: string };

/** Blocks between two records while nothing ends: it bounds how far a process that starts looks back. */
const RECORD_EVERY = 1_000;

const meta = { actor: "reactor:checks", operation: "checks.follow" };

export const checksReactor = reactor({
  name: "checks",
  every_ms: 2_000,
  memory: (): FollowMemory => ({}),
  take: ({ app, memory }) => followChecks(app, memory),
  failures: {
    away: "the chain is unavailable: checks are not followed meanwhile",
    behind: "checks are not followed: the chain lags behind its earlier head",
    foreign: "checks are not followed: this is another chain than the one they were made for",
    failed: "checks cannot be followed; trying again",
  },
  resumed: "checks are followed on the chain again",
});

/** One tick; with no open check it requests only the chain's heads. */
export async function followChecks(
  app: App,
  memory: FollowMemory,
): Promise<Outcome<"away" | "behind" | "foreign">> {
  const network = networkOf(app.chain);
  const heads = await app.chain.heads();
  const between = `${heads.finalized.hash} ${heads.latest.hash}`;
  if (between === memory.quiet) return "unmoved";
  memory.cursor ??= await app.load(following, following.targetOf(network));
  const { cursor } = memory;
  // A check that is not listed yet is newer than these heads, so it ends in a later block.
  if (!(await app.caughtUp(checksProjection))) return "done";
  const { finalized, latest } = heads;
  const final = { block_number: Number(finalized.number), timestamp: finalized.timestamp };
  const open = await openChecks(app.pool, network, final);
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  if (!cursor) {
    memory.cursor = await record(app, open, finalized);
    return "done";
  }
  if (latest.number < open.highest_block) return "behind";
  const due = isDue(open, final.block_number, cursor);
  const isKnown = !due && (await isHeadCurrent(app.chain, memory.head));
  const from = isKnown ? Math.max(Number(memory.head!.number) - REORG_MARGIN, 0) : cursor.block_number;
  const moved = isKnown ? [] : await movedBlocks(app.chain, await endedBlocks(app.pool, network));
  const gone = new Set<Hex>(moved.map(({ block_hash }) => block_hash));
  let changes = 0;
  for await (const page of openPages(app.pool, network, gone))
    changes += await followPage(app, page, from, latest);
  memory.head = latest;
  if (due) memory.cursor = await record(app, open, finalized);
  if (!due && changes === 0) memory.quiet = between;
  return "done";
}

/** True if enough blocks became final since the last record for another one. */
function isDue({ is_settled }: Open, final_block: number, cursor: following.Followed): boolean {
  const since = final_block - cursor.block_number;
  return since >= RECORD_EVERY || (since > 0 && is_settled);
}

/** Appends the outcome of each check on the chain from a block on; returns the number of checks changed. */
async function followPage(
  app: App,
  page: readonly OpenCheck[],
  from: number,
  latest: Block,
): Promise<number> {
  const sought = page.map((one) => ({ one, transfer: transferOf(one.facts), from_block: BigInt(from) }));
  const endings = await endingsOf(app.chain, sought, latest.number);
  const at = app.clock.now().toISOString();
  const { number, timestamp } = latest;
  const block = { block_number: Number(number), block_timestamp: timestamp };
  const outcomes = sought.flatMap(({ one, transfer }) => {
    const { status, facts, ending } = one;
    const found = endings.get(transfer);
    if (found) return { one, decision: checks.follow(eventOf(found, at), at) };
    if (ending) return { one, decision: checks.takeBack(ending, at) };
    const isOver = status === "pending" && timestamp >= facts.valid_before;
    return isOver ? { one, decision: checks.expire({ ...block, expired_at: at }) } : [];
  });
  await forEach(outcomes, ({ one: { tenant, facts }, decision }) =>
    unlessRefused(app.decide(checks, { tenant, id: facts.check_id }, decision, { meta })),
  );
  return outcomes.length;
}

function eventOf(found: Ending, at: string): Extract<CheckEvent, { type: "CheckRedeemed" | "CheckRevoked" }> {
  if (found.kind === "moved") {
    const { transaction, block_number, block_hash } = found.mined;
    return { type: "CheckRedeemed", data: { transaction, block_number, block_hash, redeemed_at: at } };
  }
  const { transaction, block_number, block_hash, reason } = found;
  const place = { transaction, block_number: Number(block_number), block_hash };
  return { type: "CheckRevoked", data: { ...place, reason, revoked_at: at } };
}

async function record(
  app: App,
  { as_of_position }: Open,
  finalized: Block,
): Promise<following.Followed | undefined> {
  const network = networkOf(app.chain);
  const facts: following.Followed = {
    network,
    block_number: Number(finalized.number),
    block_hash: finalized.hash,
    timestamp: finalized.timestamp,
    as_of_position,
    followed_at: app.clock.now().toISOString(),
  };
  const advance = following.advance(facts);
  const { result } = await app.decide(following, following.targetOf(network), advance, { meta });
  return result.state;
}
