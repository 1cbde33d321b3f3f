/** Proof that an event is in the log: that which is signed already, and a checkpoint signed soon for those who wait. */
import { setTimeout as sleep } from "node:timers/promises";
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { headsOf } from "./heads.ts";
import { signTurn } from "./sign-growth.ts";
import { openTree } from "./tile-store.ts";
import { formatTlogProof } from "./tlog-proof.ts";

/** `note` with its cosignatures; `proof` leads from the event to the root of the first `size`. */
export type EventProof = { note: string; size: number; proof: Buffer[]; tlog_proof: string };

/** Out of the newest checkpoint; undefined while that does not reach the position. */
export async function proveEvent(app: App, position: number): Promise<EventProof | undefined> {
  return proofUnder(app, (await headsOf(app)).state, position);
}

/** The same where the checkpoints are known. */
export async function proofUnder(
  app: App,
  state: anchors.AnchorState,
  position: number,
): Promise<EventProof | undefined> {
  const note = anchors.publishedNote(state);
  const size = state.checkpoint?.size ?? 0;
  if (note === undefined || size < position) return undefined;
  const proof = await openTree(app.pool, MAIN_LOG).inclusionProof(position - 1, size);
  return { note, size, proof, tlog_proof: formatTlogProof({ index: position - 1, proof, checkpoint: note }) };
}

/** How long a call waits for a checkpoint over its event. */
const PATIENCE_MS = 2_000;
/** Between the beginnings of two signings of this process. */
const PAUSE_MS = 250;

export type Prover = {
  /** Has a checkpoint over the event signed; undefined when none is there in time, or this service signs none. */
  prove(position: number): Promise<EventProof | undefined>;
};

/** However many calls wait, they cost one signing. */
export function createProver(app: App, patience_ms = PATIENCE_MS): Prover {
  let current: Promise<void> = Promise.resolve();
  let began = -PAUSE_MS;
  let next: Promise<void> | undefined;

  /** A signing that has not begun yet, so that it takes in whatever the log holds now. */
  const nextSigning = () => {
    next ??= (async () => {
      await current.catch(() => undefined);
      await sleep(Math.max(0, began + PAUSE_MS - performance.now()));
      next = undefined;
      began = performance.now();
      current = sign(app);
      await current;
    })();
    return next;
  };

  const covering = async (position: number): Promise<EventProof | undefined> => {
    const deadline = performance.now() + patience_ms;
    for (;;) {
      const proof = await proveEvent(app, position);
      if (proof || performance.now() >= deadline) return proof;
      await nextSigning();
    }
  };

  return {
    async prove(position) {
      if (!app.settings.anchoring) return undefined;
      const patience = new AbortController();
      const late = sleep(patience_ms, undefined, { ref: false, signal: patience.signal });
      // Why the log cannot be signed is told by the turns of anchoring; what was asked for is answered without.
      const inTime = [covering(position), late].map((one) => one.catch(() => undefined));
      return Promise.race(inTime).finally(() => patience.abort());
    },
  };
}

/** Signs all there is. Where another process signs at the same moment, the larger checkpoint stands. */
async function sign(app: App): Promise<void> {
  const turn = await signTurn(app, { checkpoint_every_events: 0 });
  if (typeof turn === "object") throw new Error(turn.reason);
}
