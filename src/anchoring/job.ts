/**
 * Whenever the log has grown, its tree is signed; whenever what is signed has grown, it is anchored; and the log follows
 * what becomes of its anchors. A chain that is away, hangs or lags changes nothing: the next turn asks again.
 */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { anchorCall, type KeptHead, logIdOf } from "../domain/anchoring/contract.ts";
import { ChainUnavailable, TransactionPending } from "../domain/ports.ts";
import { alone, inTurns, type ReactorLog, untilStopped } from "../turn.ts";
import { adoptHead, followAnchors, headOnChain, recordAnchor } from "./follow-chain.ts";
import { keepProof } from "./kept-proofs.ts";
import { consistencyFault } from "./proofs.ts";
import { bytesOf, hexOf, type SigningOptions, signGrowth } from "./sign-growth.ts";
import { LogDamaged, openTree } from "./tile-store.ts";
import { EMPTY_ROOT } from "./tree.ts";
import { type AnchorTurn, TurnEnded, type Work } from "./turn.ts";

export type AnchorOptions = SigningOptions & {
  /** The pause between two anchors; ten minutes when absent. */
  anchor_every_ms?: number;
  /** How long nothing is sent after a transaction whose outcome is not known; ten minutes when absent. */
  pending_holds_ms?: number;
  /** What the turn before learned. */
  memory?: AnchorMemory;
};

/**
 * `looked`: the chain's head was held against the log. `send_after`: nothing is sent before, in milliseconds of Unix time.
 * `proven`: the transaction of the newest anchor, once a proof of it is kept for good.
 */
export type AnchorMemory = { looked?: boolean; send_after?: number; proven?: string };

/** After a call that was taken back, though it should not have been, nothing is sent for so long. */
const AFTER_FAILURE_MS = 60_000;

/** One turn: signs and anchors what is due. One process of those that share the log acts at a time. */
export async function anchorTurn(app: App, options: AnchorOptions = {}): Promise<AnchorTurn> {
  try {
    const turn = await alone(app, "anchoring", () => act(app, options));
    return { status: turn };
  } catch (error) {
    if (error instanceof TurnEnded) return error.turn;
    if (error instanceof ChainUnavailable) return { status: "away", message: error.message };
    if (error instanceof LogDamaged) return { status: "diverged", message: error.message };
    throw error;
  }
}

async function act(app: App, options: AnchorOptions): Promise<"done"> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const tree = openTree(app.pool, MAIN_LOG);
  const work = { app, tree, origin, target: anchors.targetOf(origin), now: app.clock.now().getTime() };
  await signGrowth(work, options);
  await anchorSigned(work, options);
  await proveNewest(work, options);
  return "done";
}

/** Gathers the proof that exports carry, as long as it can be had. Throws TurnEnded. */
async function proveNewest({ app, ...work }: Work, { memory = {} }: AnchorOptions): Promise<void> {
  const newest = anchors.newestAnchor(await app.load(anchors, work.target));
  if (!newest || newest.signer !== app.chain.sender || newest.transaction === memory.proven) return;
  try {
    if (await keepProof({ app, ...work }, newest)) memory.proven = newest.transaction;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    throw new TurnEnded("unproven", `no proof of the anchor can be had: ${error.message}`);
  }
}

/** Follows the anchors there are, and sends one that is due after taking up what the chain holds by now. */
async function anchorSigned(work: Work, options: AnchorOptions): Promise<void> {
  const { app, target, now } = work;
  const { anchor_every_ms = 600_000, memory = {} } = options;
  const isDue = (state: anchors.AnchorState) => !memory.looked || isWanted(state, now, anchor_every_ms);

  const before = await app.load(anchors, target);
  if (!isDue(before) && before.anchors.every(({ final }) => final)) return;
  if (before.anchors.length > 0) await followAnchors(work, before);

  const followed = await app.load(anchors, target);
  if (!isDue(followed)) return;
  const head = await headOnChain(work, followed);
  if (!(await adoptHead(work, followed, head))) return;
  memory.looked = true;

  const state = await app.load(anchors, target);
  if (!isWanted(state, now, anchor_every_ms) || now < (memory.send_after ?? 0)) return;
  await send(work, state.checkpoint, head, { ...options, memory });
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

async function send(
  work: Work,
  { size, root }: anchors.SignedCheckpoint,
  head: KeptHead | undefined,
  { pending_holds_ms = 600_000, memory = {}, signal }: AnchorOptions,
): Promise<void> {
  const { app, tree, origin, now } = work;
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
    throw new TurnEnded(
      "diverged",
      `the ${size} events that were signed do not continue the anchor: ${fault}`,
    );
  const { call, options } = anchorCall(
    { log_id: logIdOf(origin), size: BigInt(size), root },
    proof.map(hexOf),
  );
  try {
    const receipt = await untilStopped(app.chain.send(call, options), signal);
    if (receipt && !(await recordAnchor(work, receipt))) memory.send_after = now + AFTER_FAILURE_MS;
  } catch (error) {
    if (!(error instanceof TransactionPending)) throw error;
    memory.send_after = now + pending_holds_ms;
  }
}

/** Signs and anchors in turns until it is stopped. */
export function startAnchoring(
  app: App,
  log: ReactorLog,
  { every_ms = 2_000, ...options }: Omit<AnchorOptions, "memory" | "signal"> & { every_ms?: number } = {},
): { stop(): Promise<void> } {
  const memory: AnchorMemory = {};
  let last = "done";

  /** Troubles are told when they begin and when they end. */
  const tell = (turn: AnchorTurn) => {
    if (turn.status === "taken" || turn.status === last) return;
    last = turn.status;
    if (!("message" in turn)) return log.info({}, "the log is signed and anchored again");
    const { status, message: reason } = turn;
    if (status === "diverged") log.error({ reason }, "the log was altered: nothing is signed or anchored");
    else if (status === "foreign") log.error({ reason }, "the log is not anchored: this is another chain");
    else if (status === "unproven")
      log.warn({ reason }, "exports carry no proof of the newest anchor for now");
    else log.warn({ reason, account: app.chain.sender }, "the log is not anchored for now");
  };

  const take = async (signal: AbortSignal) => tell(await anchorTurn(app, { ...options, memory, signal }));
  return inTurns(every_ms, take, (reason) => {
    if (reason !== last) log.warn({ reason }, "the log cannot be signed; trying again");
    last = reason;
  });
}
