/** How far the log is signed. Answers about its tree stay within that part. */

import { headsOf } from "../../../anchoring/heads.ts";
import type { App } from "../../../core/app.ts";
import { refuse } from "../../../core/model/refusal.ts";
import * as anchors from "../../../domain/anchoring/anchor.ts";
import { open } from "../../declare/index.ts";

/**
 * The limit for mirrors: they may fetch a hundred thousand events a minute without using up the other free calls of
 * their address.
 */
export const mirrored = open({ shared: "log-tree", calls: 3_000, per: "minute" });

/** The newest checkpoint in its published form. Refuses if there is none yet. */
export async function newestCheckpoint(app: App): Promise<{ origin: string; size: number; note: string }> {
  const { origin, state } = await headsOf(app);
  const note = anchors.publishedNote(state);
  if (!state.checkpoint || note === undefined) return refuse("not_found", noCheckpoint(app));
  return { origin, size: state.checkpoint.size, note };
}

const noCheckpoint = ({ settings }: App) =>
  settings.anchoring
    ? `no checkpoint is signed yet: wait ${settings.anchoring.checkpoint_seconds} s or so after the first event`
    : "this service runs without ANCHORING and signs no checkpoints";

/** Refuses a size beyond the signed tree, because no signature would commit the service to its answer. */
export function checkSize(size: number, newest: number): void {
  if (size > newest)
    refuse("not_found", `the newest checkpoint has ${newest} events, not yet ${size}; retry later`);
}
