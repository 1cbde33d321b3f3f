/** Shared context of a tick of signing, anchoring or cosigning. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import type { idleUntil, Outcome } from "../core/background/reactor.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { LogDamaged, type LogTree, openTree, TreeTooShort } from "./tile-store.ts";

/** The log does not continue its signed or anchored part. */
export class LogDiverged extends Error {
  override readonly name = "LogDiverged";
}

/** `target`: the stream of the log's checkpoints and anchors; `now` in Unix milliseconds. */
export type TickContext = {
  app: App;
  tree: LogTree;
  origin: string;
  target: { tenant: string; id: string };
  now: number;
};

/** The rest that follows a tick without work. */
export type Rest = ReturnType<typeof idleUntil>;

/** Runs one tick. Rejects with errors that the reactors' loop reports: the chain or the database is unavailable. */
export async function runTick(
  app: App,
  act: (work: TickContext) => Promise<Rest | undefined>,
): Promise<Outcome<"diverged">> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const tree = openTree(app.pool, MAIN_LOG);
  const now = app.clock.now().getTime();
  try {
    return (await act({ app, tree, origin, target: anchors.targetOf(origin), now })) ?? "done";
  } catch (error) {
    if (error instanceof LogDiverged) return { status: "diverged", reason: error.message };
    // A tree grown to the log's head is too short only where events are missing.
    if (error instanceof LogDamaged || error instanceof TreeTooShort)
      return { status: "diverged", reason: `the log in this database is damaged: ${error.message}` };
    throw error;
  }
}

/** The number of events in the log, all covered by the tree unless `signal` stopped its growth. */
export async function grownTo({ app, tree }: TickContext, signal?: AbortSignal): Promise<number> {
  const { position } = await app.store.head(MAIN_LOG);
  await tree.grow({ signal });
  return position;
}

export const meta = { actor: "reactor:anchoring", operation: "anchoring.anchor" };
