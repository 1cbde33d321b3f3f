/** What one turn of anchoring works with, and what may become of it. */
import type { App } from "../app.ts";
import type { LogTree } from "./tile-store.ts";

/**
 * What became of a turn. The chain was `away`, lags `behind`, or is another than the anchors are on (`foreign`); the
 * contract is not on it (`unplaced`); the log does not continue what was signed or anchored of it (`diverged`); all is
 * anchored, and the RPC endpoint gives no proof of it (`unproven`).
 */
export type AnchorTurn =
  | { status: "done" | "taken" }
  | { status: "away" | "behind" | "foreign" | "unplaced" | "diverged" | "unproven"; message: string };

/** Ends a turn where it stands. */
export class TurnEnded extends Error {
  readonly turn: AnchorTurn;

  constructor(status: "behind" | "foreign" | "unplaced" | "diverged" | "unproven", message: string) {
    super(message);
    this.turn = { status, message };
  }
}

/** `target`: the stream of the log's checkpoints and anchors; `now` in milliseconds of Unix time. */
export type Work = {
  app: App;
  tree: LogTree;
  origin: string;
  target: { tenant: string; id: string };
  now: number;
};

export const meta = { actor: "reactor:anchoring", operation: "anchoring.anchor" };
