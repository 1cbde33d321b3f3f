/** How far the log is proven: signed, anchored, and unproven beyond. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import type { Hex } from "../domain/ports.ts";

export type AnchorStatus = {
  origin: string;
  /** Events in the log. */
  events: number;
  checkpoint: { size: number; root: Hex; signed_at: string } | null;
  /** The newest that stands in the chain as the log last saw it; `mined` may still be taken back. */
  anchor: (anchors.Anchor & { firmness: "mined" | "final" }) | null;
  /** Events beyond the newest anchor that is final: nothing on the chain commits to them for good. */
  unproven_events: number;
};

/** What the log says; the chain is not asked. */
export async function anchorStatus(app: App): Promise<AnchorStatus> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const state = await app.load(anchors, anchors.targetOf(origin));
  const { position: events } = await app.store.head(MAIN_LOG);
  const newest = anchors.newestAnchor(state);
  return {
    origin,
    events,
    checkpoint: state.checkpoint ? signed(state.checkpoint) : null,
    anchor: newest ? placed(newest) : null,
    unproven_events: events - (state.anchors.find(({ final }) => final)?.size ?? 0),
  };
}

const signed = ({ size, root, signed_at }: anchors.SignedCheckpoint) => ({ size, root, signed_at });

const placed = ({ final, ...anchor }: anchors.StandingAnchor) => ({
  ...anchor,
  firmness: final ? ("final" as const) : ("mined" as const),
});
