/**
 * Whenever an agent has said something of another, EAS gets it, and whenever it is taken back it is revoked there. EAS takes the same
 * thing twice, so that it is said once is seen to here: AttestationSent is appended before anything is sent, by this one reactor, and
 * what a turn before left unknown is looked for in the chain's logs. Where it is not there, a transaction that does nothing comes
 * first: the account's transactions have one order, so behind one that has the highest of all nonces nothing older can still be mined,
 * and what is not there then will not be.
 */

import { compareChain, movedBlocks } from "../../chain/history.ts";
import type { App } from "../../core/app.ts";
import { type Outcome, reactor, unlessRefused } from "../../core/background/reactor.ts";
import { forEach, untilStopped } from "../../core/coordination/concurrency.ts";
import type { Hex, Log, Receipt } from "../../core/model/chain.ts";
import { ChainUnavailable, GasBudgetSpent, TransactionPending } from "../../core/model/ports/chain.ts";
import * as attestations from "../../domain/trust/attestation.ts";
import {
  attestCall,
  attestedQuery,
  barrierCall,
  type Kept,
  keptCall,
  keptIn,
  type LoneCall,
  MOST_ATTESTED,
  REGISTER_GAS,
  registerCall,
  revokeCall,
  standingCalls,
  standingIn,
  uidIn,
} from "../../domain/trust/eas.ts";
import { onChainProjection, onChainWork } from "../../projections/trust/on-chain.ts";

/** For so long a block may still be taken back; Base's finality takes about a quarter of an hour. */
const UNSURE_MS = 3_600_000;
/** How often it is looked what the chain took back. */
const LOOK_BACK_MS = 60_000;
/** So many nonces are used up within a few turns. */
const MOST_BELOW = 64;
/** For so long nothing is sent after EAS has refused something, which is a fault of ours. */
const REST_MS = 600_000;

const meta = { actor: "reactor:trust.attest", operation: "trust.attest" };

/** Times in milliseconds of Unix time. `ready`: EAS was found, and knows the schema; `rest`: why nothing is sent, and until when. */
export type OnChainMemory = {
  look_at: number;
  ready: boolean;
  rest?: { until: number; why: { status: "refused" | "spent"; reason: string } };
};

type Trouble = "behind" | "foreign" | "unplaced" | "refused" | "spent";
type State = attestations.Attestation;
type Sent = State & { on_chain: Extract<attestations.OnChain, { status: "sent" }> };
type Anchored = State & { on_chain: Extract<attestations.OnChain, { status: "anchored" }> };

export const onChainReactor = reactor({
  name: "trust.attest",
  every_ms: 1_000,
  memory: noOnChainMemory,
  take: ({ app, memory, signal }) => attestOnChain(app, memory, signal),
  troubles: {
    away: "the chain is away: attestations are not carried to EAS meanwhile",
    behind: "attestations are not carried to EAS: the chain lags behind what it showed before",
    foreign: "attestations are not carried to EAS: this is another chain than the log's",
    unplaced: "attestations are not carried to EAS: it is not on this chain",
    spent: "attestations wait for the next day: what they may cost of gas is spent (ATTESTATION_GAS_ETH)",
    refused: "attestations are not carried to EAS for a while: it refused what was sent",
    failed: "attestations cannot be carried to EAS; trying again",
  },
  grave: ["refused"],
  resumed: "attestations are carried to EAS again",
});

export function noOnChainMemory(): OnChainMemory {
  return { look_at: 0, ready: false };
}

/** One turn. The chain is asked nothing while there is nothing to do. Rejects with ChainUnavailable and TransactionPending. */
export async function attestOnChain(
  app: App,
  memory: OnChainMemory,
  signal?: AbortSignal,
): Promise<Outcome<Trouble>> {
  // What the read model does not know yet is left to the next turn, and what it is wrong about the log puts right.
  const isCurrent = await app.caughtUp(onChainProjection);
  const now = app.clock.now().getTime();
  if (memory.rest && now < memory.rest.until) return memory.rest.why;
  const isLookDue = now >= memory.look_at;
  const recent_since = isLookDue ? new Date(now - UNSURE_MS) : undefined;
  const work = await onChainWork(app.pool, { most: MOST_ATTESTED, recent_since });
  if (isLookDue) memory.look_at = now + LOOK_BACK_MS;
  if (Object.values(work).every((ids) => ids.length === 0)) return isCurrent ? "idle" : "done";
  const compared = await compareChain(app);
  if (compared.status !== "same") return compared;
  try {
    if (!memory.ready && !(await prepare(app, signal))) return "unplaced";
    memory.ready = true;
    await takeBackReorged(app, await loadAll(app, work.recent));
    await findSent(app, work.sent, signal);
    await carry(app, work.asked, signal);
    await revoke(app, work.to_revoke, signal);
    return "done";
  } catch (error) {
    const rest = restAfter(error, now);
    if (!rest) throw error;
    memory.rest = rest;
    // EAS also refuses what is of a schema that a reorg has taken away.
    memory.ready = false;
    return rest.why;
  }
}

function restAfter(error: unknown, now: number): OnChainMemory["rest"] {
  if (error instanceof GasBudgetSpent)
    return { until: error.resets_at.getTime(), why: { status: "spent", reason: error.message } };
  if (error instanceof Reverted)
    return { until: now + REST_MS, why: { status: "refused", reason: error.message } };
  return undefined;
}

/** EAS refused what was sent, which took its gas. */
class Reverted extends Error {}

/** Whether EAS is there; it knows the schema then. */
async function prepare({ chain }: App, signal: AbortSignal | undefined): Promise<boolean> {
  const standing = standingIn(await chain.read(standingCalls()));
  if (standing && !standing.registered)
    await untilStopped(chain.send(registerCall(), { gas: REGISTER_GAS, purpose: "attestation" }), signal);
  return standing !== undefined;
}

/** What may be on its way is found, or it is said that it is not. */
async function findSent(app: App, ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const all = (await loadAll(app, ids)).filter(isSent);
  // Another key's transactions stand in an order of their own: only what is found of them is known.
  const missing = (await recordFound(app, all)).filter(
    ({ on_chain }) => on_chain.signer === app.chain.sender,
  );
  if (missing.length === 0) return;
  const last = await app.chain.highestNonce();
  // One that an endpoint lied about is beyond reach: after a day no pool has it any more.
  if (last - (await app.chain.minedCount()) > MOST_BELOW) return;
  const { block_number } = await send(app, barrierCall(app.chain.sender), signal);
  if ((await app.chain.minedCount()) <= last) return;
  const gone = await recordFound(app, missing, block_number);
  await forEach(gone, (one) => record(app, one, attestations.unsend(nowOf(app))));
}

/** Sends those that were not taken back meanwhile, and records what came of it. */
async function carry(app: App, ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
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
        // One that was sent before may be on its way.
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
    // Refused before anything was sent: nobody has to look for it tomorrow.
    if (error instanceof GasBudgetSpent)
      await forEach(sent, (one) => record(app, one, attestations.unsend(nowOf(app))));
    throw error;
  });
  await recordFound(app, sent);
}

/** Records those of them that EAS keeps; answers the others. Rejects with ChainUnavailable where the node that answers does not know so many blocks. */
async function recordFound(app: App, all: readonly Sent[], blocks = 0n): Promise<Sent[]> {
  const found = new Map<string, { log: Log; uid: Hex }>();
  for (const signer of new Set(all.map(({ on_chain }) => on_chain.signer))) {
    const from = Math.min(
      ...all.flatMap(({ on_chain }) => (on_chain.signer === signer ? on_chain.from_block : [])),
    );
    const { latest } = await app.chain.heads();
    if (latest.number < blocks) throw new ChainUnavailable(`the RPC endpoint knows no block ${blocks} yet`);
    const logs = await app.chain.logs(attestedQuery(signer, BigInt(from), latest.number));
    const kept = await keptOf(app, logs.map(uidIn));
    // The first one counts, should there be two of one attestation.
    for (const [at, log] of logs.entries()) {
      const id = kept[at]?.attestation_id;
      if (id !== undefined && !found.has(id)) found.set(id, { log, uid: uidIn(log) });
    }
  }
  await forEach(all, async (one) => {
    const there = found.get(one.facts.attestation_id);
    if (!there) return;
    const { transaction, block_hash } = there.log;
    const block_number = Number(there.log.block_number);
    const facts = { uid: there.uid, transaction, block_number, block_hash, anchored_at: nowOf(app) };
    await record(app, one, attestations.anchor(facts));
  });
  return all.filter(({ facts }) => !found.has(facts.attestation_id));
}

/** Revokes at EAS what was taken back, and records what EAS has for revoked. */
async function revoke(app: App, ids: readonly string[], signal: AbortSignal | undefined): Promise<void> {
  const all = (await loadAll(app, ids)).filter(isAnchored);
  const standing = await followRevocations(app, all);
  const own = standing.filter(
    ({ on_chain, revoked_at }) => on_chain.signer === app.chain.sender && revoked_at !== null,
  );
  if (own.length === 0) return;
  await send(app, revokeCall(own.map(({ on_chain }) => on_chain.kept.uid)), signal);
  await followRevocations(app, own);
}

/** Records since when EAS has each for revoked; answers those that stand there. */
async function followRevocations(app: App, all: readonly Anchored[]): Promise<Anchored[]> {
  const kept = await keptOf(
    app,
    all.map(({ on_chain }) => on_chain.kept.uid),
  );
  await forEach([...all.entries()], async ([at, one]) => {
    const there = kept[at];
    // What is not kept any more went with its block, which the next look back finds.
    if (there) await record(app, one, attestations.followRevocation(there.revoked_s || null, nowOf(app)));
  });
  return all.filter((_, at) => kept[at]?.revoked_s === 0);
}

/** What was found in blocks that are gone may be on its way again; what was revoked in one may stand again. */
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

async function keptOf({ chain }: App, uids: readonly Hex[]): Promise<(Kept | undefined)[]> {
  return uids.length === 0 ? [] : (await chain.read(uids.map(keptCall), { mined: true })).map(keptIn);
}

/** Rejects with TransactionPending where it is not known what came of it, and with Reverted where that is nothing. */
async function send(
  { chain }: App,
  { call, options }: LoneCall,
  signal: AbortSignal | undefined,
): Promise<Receipt> {
  const receipt = await untilStopped(chain.send(call, options), signal);
  // The service stops: the next one looks what became of it.
  if (!receipt) throw new TransactionPending([]);
  if (!receipt.success) throw new Reverted(`the transaction ${receipt.transaction} was reverted`);
  return receipt;
}

const loadAll = async (app: App, ids: readonly string[]): Promise<State[]> =>
  (await forEach(ids, (id) => app.load(attestations, attestations.targetOf(id)))).filter(isThere);

const isThere = (state: attestations.AttestationState): state is State => state !== undefined;
const isSent = (state: State): state is Sent => state.on_chain.status === "sent";
const isAnchored = (state: State): state is Anchored => state.on_chain.status === "anchored";

const record = (
  app: App,
  { facts }: State,
  decision: (state: attestations.AttestationState) => attestations.AttestationEvent[],
) => unlessRefused(app.decide(attestations, attestations.targetOf(facts.attestation_id), decision, { meta }));

const nowOf = ({ clock }: App) => clock.now().toISOString();
