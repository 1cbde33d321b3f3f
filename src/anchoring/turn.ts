/** What one turn of signing, anchoring or asking witnesses works with. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import type { Outcome } from "../core/background/reactor.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { LogDamaged, type LogTree, openTree, TreeTooShort } from "./tile-store.ts";

/** The log does not continue what was signed or anchored of it. */
export class LogDiverged extends Error {
  override readonly name = "LogDiverged";
}

/** `target`: the stream of the log's checkpoints and anchors; `now` in milliseconds of Unix time. */
export type Work = {
  app: App;
  tree: LogTree;
  origin: string;
  target: { tenant: string; id: string };
  now: number;
};

/** Does the work of one turn. Rejects with what the reactors' loop tells: the chain or the database is away. */
export async function takeTurn(app: App, act: (work: Work) => Promise<void>): Promise<Outcome<"diverged">> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const tree = openTree(app.pool, MAIN_LOG);
  const now = app.clock.now().getTime();
  try {
    await act({ app, tree, origin, target: anchors.targetOf(origin), now });
    return "done";
  } catch (error) {
    if (error instanceof LogDiverged) return { status: "diverged", reason: error.message };
    // A tree that was grown up to the log's head is too short only where events are missing.
    if (error instanceof LogDamaged || error instanceof TreeTooShort)
      return { status: "diverged", reason: `the log in this database is damaged: ${error.message}` };
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
