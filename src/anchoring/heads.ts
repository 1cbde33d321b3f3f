/** The checkpoints and anchors of the service's log, for whoever asks about them. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";

export type LogHeads = { origin: string; state: anchors.AnchorState };

const first = new WeakMap<App, Promise<unknown>>();

/** As the log has them now. Their stream is long: a process folds it once, however many ask before that is done. */
export async function headsOf(app: App): Promise<LogHeads> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const load = () => app.load(anchors, anchors.targetOf(origin));
  const folded = first.get(app) ?? load();
  first.set(app, folded);
  await folded.catch((error) => {
    first.delete(app);
    throw error;
  });
  return { origin, state: await load() };
}
