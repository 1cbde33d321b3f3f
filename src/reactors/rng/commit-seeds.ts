/** Sends requested hashes of seeds to the anchoring contract, many in one transaction. */

import { compareChain } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import type { Outcome } from "../../core/background/reactor.ts";
import { forEach, untilStopped } from "../../core/coordination/concurrency.ts";
import { type Hex, type Log, networkOf } from "../../core/model/chain.ts";
import {
  ANCHOR_ADDRESS,
  commitSeedsCall,
  MOST_SEEDS,
  seedCall,
  seedCommitment,
  seedCommittedIn,
  seedCommittedQuery,
} from "../../domain/anchoring/contract.ts";
import * as commitments from "../../domain/rng/commitment.ts";
import { rngProjection } from "../../projections/rng/rng.ts";
import { commitmentsSince, requestedCommitments } from "../../projections/rng/seeds.ts";

const meta = { actor: "reactor:rng", operation: "rng.commit" };

/** A reorg may remove a block this long; Base's finality takes about a quarter of an hour. */
const UNSURE_MS = 3_600_000;

/**
 * Sends requested hashes to the contract; with `look_back` it also checks for reorged commitments. It makes no
 * request to the chain without work. Rejects with ChainUnavailable or TransactionPending; the next tick continues.
 */
export async function followCommitments(
  app: App,
  { look_back, signal }: { look_back: boolean; signal?: AbortSignal },
): Promise<Outcome<"behind" | "foreign">> {
  await app.caughtUp(rngProjection);
  const requested = await requestedCommitments(app.pool, MOST_SEEDS);
  const recent = look_back ? await recentCommitments(app) : [];
  if (requested.length + recent.length === 0) return "done";
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  await takeBackReorged(app, recent);
  if (requested.length > 0) await commit(app, requested, signal);
  return "done";
}

/** Sends hashes that the contract lacks, and records those that it has, including those that a dead process sent. */
async function commit(app: App, requested: string[], signal: AbortSignal | undefined): Promise<void> {
  const missing = await recordCommitted(app, requested);
  if (missing.length === 0) return;
  const { call, options } = commitSeedsCall(missing.map(hexOf));
  await untilStopped(app.chain.send(call, options), signal);
  await recordCommitted(app, missing);
}

/** Records the hashes that the contract has; returns the others. */
async function recordCommitted(app: App, hashes: string[]): Promise<string[]> {
  const kept = await committedAt(app, hashes);
  await forEach([...kept], async ([seed_hash, { block_number, timestamp }]) => {
    const { transaction, block_hash } = await logOf(app, seed_hash, block_number);
    const facts = {
      seed_hash,
      network: networkOf(app.chain),
      contract: ANCHOR_ADDRESS,
      signer: app.chain.sender,
      transaction,
      block_number: Number(block_number),
      block_hash,
      committed_at: new Date(timestamp * 1_000).toISOString(),
    };
    await app.decide(commitments, commitments.targetOf(seed_hash), commitments.record(facts), { meta });
  });
  return hashes.filter((hash) => !kept.has(hash));
}

async function committedAt(app: App, hashes: string[]) {
  const answers = await app.chain.read(
    hashes.map((hash) => seedCall(app.chain.sender, hexOf(hash))),
    { mined: true },
  );
  const found = hashes.map((hash, at) => [hash, seedCommitment(answers[at]!)] as const);
  return new Map(found.flatMap(([hash, kept]) => (kept ? [[hash, kept] as const] : [])));
}

async function logOf(app: App, hash: string, block: bigint): Promise<Log> {
  const range = { from_block: block, to_block: block };
  const logs = await app.chain.logs(seedCommittedQuery(app.chain.sender, [hexOf(hash)], range));
  const log = logs.find((one) => seedCommittedIn(one)?.seed_hash === hexOf(hash));
  if (!log) throw new Error(`block ${block} has no log of the commitment to ${hash}`);
  return log;
}

/** Recent commitments under our key, which a reorg may still remove. */
async function recentCommitments({ clock, pool, chain }: App): Promise<string[]> {
  const recent = await commitmentsSince(pool, new Date(clock.now().getTime() - UNSURE_MS));
  return recent.flatMap(({ seed_hash, committed }) =>
    committed?.signer === chain.sender ? [seed_hash] : [],
  );
}

/** Requests recorded hashes again that are no longer in the contract. */
async function takeBackReorged(app: App, recorded: string[]): Promise<void> {
  if (recorded.length === 0) return;
  const kept = await committedAt(app, recorded);
  const reorged = commitments.reorg(app.clock.now().toISOString());
  await forEach(
    recorded.filter((hash) => !kept.has(hash)),
    (hash) => app.decide(commitments, commitments.targetOf(hash), reorged, { meta }),
  );
}

const hexOf = (hash: string): Hex => `0x${hash}`;
