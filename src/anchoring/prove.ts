/** Proves that an event is in the log: from the newest checkpoint, or from one signed soon for waiting calls. */
import { setTimeout as sleep } from "node:timers/promises";
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { headsOf } from "./heads.ts";
import { signTick } from "./sign-growth.ts";
import { openTree } from "./tile-store.ts";
import { formatTlogProof } from "./tlog-proof.ts";

/** `note` includes its cosignatures; `proof` leads from the event to the root of the first `size`. */
export type EventProof = { note: string; size: number; proof: Buffer[]; tlog_proof: string };

/** From the newest checkpoint; undefined while it does not cover the position. */
async function proveEvent(app: App, position: number): Promise<EventProof | undefined> {
  return proofUnder(app, (await headsOf(app)).state, position);
}

/** The same with given checkpoints. */
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

/** How long a call waits for a checkpoint that covers its event. */
const PATIENCE_MS = 2_000;
/** The pause between two signings of this process. */
const PAUSE_MS = 250;

export type Prover = {
  /** Signs a checkpoint that covers the event; undefined if none exists in time, or this service signs none. */
  prove(position: number): Promise<EventProof | undefined>;
};

/** All waiting calls share one signing. */
export function createProver(app: App, patience_ms = PATIENCE_MS): Prover {
  let current: Promise<void> = Promise.resolve();
  let began = -PAUSE_MS;
  let next: Promise<void> | undefined;

  /** A signing that has not begun, so that it covers the whole current log. */
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
      // The anchoring ticks report why the log cannot be signed; the call is answered without a proof.
      const inTime = [covering(position), late].map((one) => one.catch(() => undefined));
      return Promise.race(inTime).finally(() => patience.abort());
    },
  };
}

/** Signs the whole log. If another process signs too, the larger checkpoint counts. */
async function sign(app: App): Promise<void> {
  const turn = await signTick(app, { checkpoint_every_events: 0 });
  if (typeof turn === "object" && "reason" in turn) throw new Error(turn.reason);
}
