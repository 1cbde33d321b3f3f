/** Sends the newest checkpoint to the chain whenever more is signed than anchored, and follows its transaction. */

import { compareChain } from "../chain/history.ts";
import type { App } from "../core/app.ts";
import { idleUntil, type Outcome, unlessRefused } from "../core/background/reactor.ts";
import { untilStopped } from "../core/coordination/concurrency.ts";
import { ChainUnavailable, TransactionPending } from "../core/model/ports/chain.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { anchorCall, type ContractHead, logIdOf, type SignersCall } from "../domain/anchoring/contract.ts";
import {
  type AnchorFailure,
  adoptHead,
  followAnchors,
  headOnChain,
  recordAnchor,
  TickEnded,
} from "./follow-chain.ts";
import { bytesOf, hexOf } from "./hex.ts";
import { consistencyFault } from "./proofs.ts";
import { storeProof } from "./stored-proofs.ts";
import { LogDiverged, meta, type Rest, runTick, type TickContext } from "./tick.ts";
import { EMPTY_ROOT } from "./tree.ts";

export type AnchorOptions = {
  /** The pause between two anchors. Default: ten minutes. */
  anchor_every_ms?: number;
  /** How long nothing is sent after a transaction with an unknown result, of any process. Default: ten minutes. */
  pending_holds_ms?: number;
  /** The findings of the previous tick. */
  memory?: AnchorMemory;
  signal?: AbortSignal;
};

/**
 * `looked`: the chain's head was compared with the log. `send_after`: the earliest next transaction, in Unix
 * milliseconds. `proven`: the newest anchor's transaction, once its proof is stored for good.
 */
export type AnchorMemory = { looked?: boolean; send_after?: number; proven?: string };

/** The pause after a call that reverted unexpectedly. */
const AFTER_FAILURE_MS = 60_000;

/** Anchors what is due. */
export async function anchorTick(
  app: App,
  options: AnchorOptions = {},
): Promise<Outcome<AnchorFailure | "diverged">> {
  try {
    return await runTick(app, async (work) => {
      const rest = await anchorSigned(work, options);
      return (await proveNewest(work, options)) ? rest : undefined;
    });
  } catch (error) {
    if (error instanceof TickEnded) return { status: error.status, reason: error.message };
    throw error;
  }
}

/**
 * Stores the proof that exports contain, while the chain can still give it; false while it is not stored. Throws
 * TickEnded.
 */
async function proveNewest({ app, ...work }: TickContext, { memory = {} }: AnchorOptions): Promise<boolean> {
  const newest = anchors.newestAnchor(await app.load(anchors, work.target));
  if (!newest || newest.signer !== app.chain.sender || newest.transaction === memory.proven) return true;
  try {
    const isStored = await storeProof({ app, ...work }, newest);
    if (isStored) memory.proven = newest.transaction;
    return isStored;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    throw new TickEnded("unproven", `a proof of the anchor is not available: ${error.message}`);
  }
}

/** Follows existing anchors, adopts the chain's head, and then sends an anchor that is due. */
async function anchorSigned(work: TickContext, options: AnchorOptions): Promise<Rest | undefined> {
  const { app, target, now } = work;
  const { anchor_every_ms = 600_000, pending_holds_ms = 600_000, memory = {} } = options;
  const isDue = (state: anchors.AnchorState) => !memory.looked || isWanted(state, now, anchor_every_ms);

  const before = await app.load(anchors, target);
  if (!isDue(before) && before.anchors.every(({ final }) => final)) return restUntil(before, anchor_every_ms);
  if (before.anchors.length > 0) await followAnchors(work, before);

  const followed = await app.load(anchors, target);
  if (!isDue(followed)) return;
  const compared = await compareChain(app);
  if (compared.status !== "same") throw new TickEnded(compared.status, compared.reason);
  const head = await headOnChain(work, followed);
  const isHeld = (state: anchors.AnchorState) =>
    state.pending !== undefined && now < Date.parse(state.pending.pending_at) + pending_holds_ms;
  if (!(await adoptHead(work, followed, head))) {
    if (isHeld(followed)) return;
    throw new TickEnded(
      "behind",
      `the RPC does not show the transaction that anchored ${head?.size} events, though the contract has them`,
    );
  }
  memory.looked = true;

  const state = await app.load(anchors, target);
  if (!isWanted(state, now, anchor_every_ms) || now < (memory.send_after ?? 0)) return;
  if (isHeld(state)) return;
  await send(work, state.checkpoint, head, { ...options, memory });
}

/** Until the next anchor, for what is signed already. */
function restUntil(state: anchors.AnchorState, every_ms: number): Rest {
  const newest = anchors.newestAnchor(state);
  const isOpen = newest !== undefined && (state.checkpoint?.size ?? 0) > newest.size;
  return idleUntil(isOpen ? new Date(Date.parse(newest.anchored_at) + every_ms).toISOString() : undefined);
}

/** More is signed than anchored, and the newest anchor is old enough. */
function isWanted(
  state: anchors.AnchorState,
  now: number,
  every_ms: number,
): state is anchors.AnchorState & { checkpoint: anchors.SignedCheckpoint } {
  const newest = anchors.newestAnchor(state);
  if (!state.checkpoint || state.checkpoint.size <= (newest?.size ?? 0)) return false;
  return !newest || now - Date.parse(newest.anchored_at) >= every_ms;
}

/** Sends a checkpoint. If the transaction is stuck, the newest checkpoint replaces it under the same nonce. */
async function send(
  work: TickContext,
  checkpoint: anchors.SignedCheckpoint,
  head: ContractHead | undefined,
  { memory = {}, signal }: AnchorOptions,
): Promise<void> {
  const { app, target, now } = work;
  let sent = checkpoint;
  const renew = async () => {
    const { checkpoint: newest } = await app.load(anchors, target);
    const { call, options } = await callOf(work, newest ?? sent, head);
    sent = newest ?? sent;
    return { ...call, ...options };
  };
  const { call, options } = await callOf(work, checkpoint, head);
  try {
    const receipt = await untilStopped(app.chain.send(call, { ...options, renew }), signal);
    if (receipt && !(await recordAnchor(work, receipt))) memory.send_after = now + AFTER_FAILURE_MS;
  } catch (error) {
    if (!(error instanceof TransactionPending)) throw error;
    const { size, root } = sent;
    const { transactions } = error;
    const pending_at = app.clock.now().toISOString();
    const facts = { size, root, signer: app.chain.sender, transactions: [...transactions], pending_at };
    await unlessRefused(app.decide(anchors, target, anchors.pend(facts), { meta }));
  }
}

/** The call that takes the contract from its head to a checkpoint. Throws LogDiverged if there is no proof. */
async function callOf(
  { tree, origin }: TickContext,
  { size, root }: anchors.SignedCheckpoint,
  head: ContractHead | undefined,
): Promise<SignersCall> {
  const kept = Number(head?.size ?? 0n);
  const proof = await tree.consistencyProof(kept, size);
  const fault = consistencyFault({
    first: kept,
    first_root: head ? bytesOf(head.root) : EMPTY_ROOT,
    second: size,
    second_root: bytesOf(root),
    proof,
  });
  if (fault)
    throw new LogDiverged(`the ${size} events that were signed do not continue the anchor: ${fault}`);
  return anchorCall({ log_id: logIdOf(origin), size: BigInt(size), root }, proof.map(hexOf));
}
