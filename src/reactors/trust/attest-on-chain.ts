/**
 * Writes attestations and revocations to EAS exactly once, although EAS accepts duplicates. AttestationSent is appended
 * before a transaction is sent, by this reactor alone. An unknown outcome is looked up in the chain's logs. If it is
 * missing there, a no-op transaction goes first: an account's transactions have one order, so once a no-op with the
 * highest nonce is mined, no older transaction can be mined any more.
 */

import { compareChain, movedBlocks } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, reactor, unlessRefused } from "../../core/background/reactor.ts";
import { forEach, untilStopped } from "../../core/coordination/concurrency.ts";
import type { Hex, Log, Receipt } from "../../core/model/chain.ts";
import { ChainUnavailable, GasBudgetSpent, TransactionPending } from "../../core/model/ports/chain.ts";
import * as attestations from "../../domain/trust/attestation.ts";
import {
  attestationCall,
  attestationIn,
  attestationLogs,
  attestCall,
  barrierCall,
  type EasAttestation,
  type LoneCall,
  MOST_PER_TRANSACTION,
  REGISTER_GAS,
  registerCall,
  revokeCall,
  statusCalls,
  statusIn,
  uidIn,
} from "../../domain/trust/eas.ts";
import { onChainProjection, onChainWork } from "../../projections/trust/on-chain.ts";

/** A younger block can still be reverted; Base's finality takes about a quarter of an hour. */
const UNSURE_MS = 3_600_000;
/** The shortest interval of checks for reorgs; an idle reactor makes them when it ticks. */
const LOOK_BACK_MS = 60_000;
/** A few ticks use up this many nonces. */
const MOST_BELOW = 64;
/** A pause after EAS refused a call, which is our own fault. */
const REST_MS = 600_000;

const meta = { actor: "reactor:trust.attest", operation: "trust.attest" };

/** Milliseconds of Unix time. `ready`: EAS and its schema exist; `rest`: the reason and end of a pause. */
export type OnChainMemory = {
  look_at: number;
  ready: boolean;
  rest?: { until: number; why: { status: "refused" | "spent"; reason: string } };
};

type WriteFailure = "behind" | "foreign" | "unplaced" | "refused" | "spent";
type State = attestations.Attestation;
type SentAttestation = State & { on_chain: Extract<attestations.OnChain, { status: "sent" }> };
type AnchoredAttestation = State & { on_chain: Extract<attestations.OnChain, { status: "anchored" }> };

export const onChainReactor = reactor({
  name: "trust.attest",
  every_ms: 1_000,
  memory: noOnChainMemory,
  take: ({ app, memory, signal }) => attestOnChain(app, memory, signal),
  failures: {
    away: "the chain is unavailable: attestations are not written to EAS meanwhile",
    behind: "attestations are not written to EAS: the chain lags behind its earlier head",
    foreign: "attestations are not written to EAS: this is another chain than the log's",
    unplaced: "attestations are not written to EAS: EAS is not on this chain",
    spent: "attestations wait for the next day: their gas budget is spent (ATTESTATION_GAS_ETH)",
    refused: "attestations are not written to EAS for a while: EAS refused a call",
    failed: "attestations cannot be written to EAS; trying again",
  },
  grave: ["refused"],
  resumed: "attestations are written to EAS again",
});

export function noOnChainMemory(): OnChainMemory {
  return { look_at: 0, ready: false };
}

/** One tick; no chain query without work. Rejects with ChainUnavailable and TransactionPending. */
export async function attestOnChain(
  app: App,
  memory: OnChainMemory,
  signal?: AbortSignal,
): Promise<Outcome<WriteFailure>> {
  // A lagging read model leaves work to the next tick; the log's own state corrects stale rows.
  const isCurrent = await app.caughtUp(onChainProjection);
  const now = app.clock.now().getTime();
  if (memory.rest && now < memory.rest.until) return memory.rest.why;
  const isLookDue = now >= memory.look_at;
  const recent_since = isLookDue ? new Date(now - UNSURE_MS) : undefined;
  const work = await onChainWork(app.pool, { most: MOST_PER_TRANSACTION, recent_since });
  if (isLookDue) memory.look_at = now + LOOK_BACK_MS;
  if (Object.values(work).every((ids) => ids.length === 0)) return isCurrent ? "idle" : "done";
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  try {
    if (!memory.ready && !(await prepare(app, signal))) return "unplaced";
    memory.ready = true;
    await takeBackReorged(app, await loadAll(app, work.recent));
    await findSent(app, work.sent, signal);
    await sendPending(app, work.asked, signal);
    await revoke(app, work.to_revoke, signal);
    return "done";
  } catch (error) {
    const rest = pauseAfter(error, now);
    if (!rest) throw error;
    memory.rest = rest;
    // EAS also refuses attestations of a schema that a reorg removed.
    memory.ready = false;
    return rest.why;
  }
}

function pauseAfter(error: unknown, now: number): OnChainMemory["rest"] {
  if (error instanceof GasBudgetSpent)
    return { until: error.resets_at.getTime(), why: { status: "spent", reason: error.message } };
  if (error instanceof Reverted)
    return { until: now + REST_MS, why: { status: "refused", reason: error.message } };
  return undefined;
}

/** EAS refused the call; its gas is spent. */
class Reverted extends Error {}

/** Returns whether EAS exists; its schema is then registered. */
async function prepare({ chain }: App, signal: AbortSignal | undefined): Promise<boolean> {
  const deployment = statusIn(await chain.read(statusCalls()));
  if (deployment && !deployment.registered)
    await untilStopped(chain.send(registerCall(), { gas: REGISTER_GAS, purpose: "attestation" }), signal);
  return deployment !== undefined;
}

/** Records each pending attestation as found on the chain, or as unsent. */
async function findSent(app: App, ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const all = (await loadAll(app, ids)).filter(isSent);
  // Another key's transactions have their own order: only a found one is certain.
  const missing = (await recordFound(app, all)).filter(
    ({ on_chain }) => on_chain.signer === app.chain.sender,
  );
  if (missing.length === 0) return;
  const last = await app.chain.highestNonce();
  // A nonce this far ahead comes from a lying endpoint; no pool keeps it beyond a day.
  if (last - (await app.chain.minedCount()) > MOST_BELOW) return;
  const { block_number } = await send(app, barrierCall(app.chain.sender), signal);
  if ((await app.chain.minedCount()) <= last) return;
  const gone = await recordFound(app, missing, block_number);
  await forEach(gone, (one) => record(app, one, attestations.unsend(nowOf(app))));
}

/** Sends attestations that were not revoked since, and records the outcome. */
async function sendPending(app: App, ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  if (ids.length === 0) return;
  const from_block = Number((await app.chain.heads()).latest.number);
  const facts = { signer: app.chain.sender, from_block, sent_at: nowOf(app) };
  const { result } = await app.commit(
    async ({ decide }) => {
      const states: attestations.AttestationState[] = [];
      for (const id of ids) {
        const { state, events } = await decide(
          attestations,
          attestations.targetOf(id),
          attestations.send(facts),
        );
        // One without a new event may already be pending.
        if (events.length > 0) states.push(state);
      }
      return states;
    },
    { meta },
  );
  const sent = result.filter(isThere).filter(isSent);
  if (sent.length === 0) return;
  const call = attestCall(sent.map((one) => ({ ...one.facts })));
  await send(app, call, signal).catch(async (error) => {
    // Nothing was sent, so tomorrow needs no lookup.
    if (error instanceof GasBudgetSpent)
      await forEach(sent, (one) => record(app, one, attestations.unsend(nowOf(app))));
    throw error;
  });
  await recordFound(app, sent);
}

/**
 * Records attestations found on EAS; returns the others. Rejects with ChainUnavailable if the node is behind block
 * `blocks`.
 */
async function recordFound(
  app: App,
  all: readonly SentAttestation[],
  blocks = 0n,
): Promise<SentAttestation[]> {
  const found = new Map<string, { log: Log; uid: Hex }>();
  for (const signer of new Set(all.map(({ on_chain }) => on_chain.signer))) {
    const from = Math.min(
      ...all.flatMap(({ on_chain }) => (on_chain.signer === signer ? on_chain.from_block : [])),
    );
    const { latest } = await app.chain.heads();
    if (latest.number < blocks) throw new ChainUnavailable(`the RPC endpoint knows no block ${blocks} yet`);
    const logs = await app.chain.logs(attestationLogs(signer, BigInt(from), latest.number));
    const kept = await readAttestations(app, logs.map(uidIn));
    // Of two of one attestation, the first counts.
    for (const [at, log] of logs.entries()) {
      const id = kept[at]?.attestation_id;
      if (id !== undefined && !found.has(id)) found.set(id, { log, uid: uidIn(log) });
    }
  }
  await forEach(all, async (one) => {
    const onChain = found.get(one.facts.attestation_id);
    if (!onChain) return;
    const { transaction, block_hash } = onChain.log;
    const block_number = Number(onChain.log.block_number);
    const facts = { uid: onChain.uid, transaction, block_number, block_hash, anchored_at: nowOf(app) };
    await record(app, one, attestations.anchor(facts));
  });
  return all.filter(({ facts }) => !found.has(facts.attestation_id));
}

/** Revokes at EAS, and records revocations found there. */
async function revoke(app: App, ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const all = (await loadAll(app, ids)).filter(isAnchored);
  const unrevoked = await followRevocations(app, all);
  const own = unrevoked.filter(
    ({ on_chain, revoked_at }) => on_chain.signer === app.chain.sender && revoked_at !== null,
  );
  if (own.length === 0) return;
  await send(app, revokeCall(own.map(({ on_chain }) => on_chain.kept.uid)), signal);
  await followRevocations(app, own);
}

/** Records each revocation time on EAS; returns the attestations that are not revoked there. */
async function followRevocations(
  app: App,
  all: readonly AnchoredAttestation[],
): Promise<AnchoredAttestation[]> {
  const kept = await readAttestations(
    app,
    all.map(({ on_chain }) => on_chain.kept.uid),
  );
  await forEach([...all.entries()], async ([at, one]) => {
    const onChain = kept[at];
    // A missing one left with its block; the next reorg check finds that.
    if (onChain) await record(app, one, attestations.followRevocation(onChain.revoked_s || null, nowOf(app)));
  });
  return all.filter((_, at) => kept[at]?.revoked_s === 0);
}

/** Attestations of reverted blocks may be pending again, and reverted revocations undone. */
async function takeBackReorged(app: App, states: readonly State[]): Promise<void> {
  const all = states.filter(isAnchored);
  if (all.length === 0) return;
  const blocks = all.map((one) => ({ one, ...one.on_chain.kept }));
  const moved = await movedBlocks(app.chain, blocks);
  await forEach(moved, ({ one, transaction }) =>
    record(app, one, attestations.reorg(transaction, nowOf(app))),
  );
  const gone = new Set(moved.map(({ one }) => one));
  await followRevocations(
    app,
    all.filter((one) => !gone.has(one)),
  );
}

async function readAttestations(
  { chain }: App,
  uids: readonly Hex[],
): Promise<(EasAttestation | undefined)[]> {
  return uids.length === 0
    ? []
    : (await chain.read(uids.map(attestationCall), { mined: true })).map(attestationIn);
}

/** Rejects with TransactionPending if the outcome is unknown, with Reverted if the call failed. */
async function send(
  { chain }: App,
  { call, options }: LoneCall,
  signal: AbortSignal | undefined,
): Promise<Receipt> {
  const receipt = await untilStopped(chain.send(call, options), signal);
  // The service stops; the next process looks up the outcome.
  if (!receipt) throw new TransactionPending([]);
  if (!receipt.success) throw new Reverted(`the transaction ${receipt.transaction} was reverted`);
  return receipt;
}

const loadAll = async (app: App, ids: readonly string[]): Promise<State[]> =>
  (await forEach(ids, (id) => app.load(attestations, attestations.targetOf(id)))).filter(isThere);

const isThere = (state: attestations.AttestationState): state is State => state !== undefined;
const isSent = (state: State): state is SentAttestation => state.on_chain.status === "sent";
const isAnchored = (state: State): state is AnchoredAttestation => state.on_chain.status === "anchored";

const record = (
  app: App,
  { facts }: State,
  decision: (state: attestations.AttestationState) => attestations.AttestationEvent[],
) => unlessRefused(app.decide(attestations, attestations.targetOf(facts.attestation_id), decision, { meta }));

const nowOf = ({ clock }: App) => clock.now().toISOString();
