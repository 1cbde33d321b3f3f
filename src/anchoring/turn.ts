/** What one turn of signing, anchoring or asking witnesses works with, and what may become of it. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { ChainUnavailable } from "../domain/ports.ts";
import { alone } from "../turn.ts";
import { LogDamaged, type LogTree, openTree, TreeTooShort } from "./tile-store.ts";

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

/** Does the work unless another process is at it. Rejects with what is nobody's fault but ours: the database is away. */
export async function takeTurn(
  app: App,
  what: "signing" | "anchoring" | "cosigning",
  act: (work: Work) => Promise<void>,
): Promise<AnchorTurn> {
  try {
    const status = await alone(app, what, async () => {
      const { origin } = await app.store.identity(MAIN_LOG);
      const tree = openTree(app.pool, MAIN_LOG);
      await act({ app, tree, origin, target: anchors.targetOf(origin), now: app.clock.now().getTime() });
      return "done" as const;
    });
    return { status };
  } catch (error) {
    if (error instanceof TurnEnded) return error.turn;
    if (error instanceof ChainUnavailable) return { status: "away", message: error.message };
    // A tree that was grown up to the log's head is too short only where events are missing.
    if (error instanceof LogDamaged || error instanceof TreeTooShort)
      return { status: "diverged", message: `the log in this database is damaged: ${error.message}` };
    throw error;
  }
}

/** How many events the log has, all of which the tree covers then, unless `signal` ended its growing. */
export async function grownTo({ app, tree }: Work, signal?: AbortSignal): Promise<number> {
  const { position } = await app.store.head(MAIN_LOG);
  await tree.grow({ signal });
  return position;
}

export const meta = { actor: "reactor:anchoring", operation: "anchoring.anchor" };
