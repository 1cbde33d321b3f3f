/** The checkpoints and anchors of the service's log. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import * as anchors from "../domain/anchoring/anchor.ts";

export type LogHeads = { origin: string; state: anchors.AnchorState };

/** Their stream is long, so concurrent readers of a process share one fold. */
export async function headsOf(app: App): Promise<LogHeads> {
  const { origin } = await app.store.identity(MAIN_LOG);
  const load = () => app.load(anchors, anchors.targetOf(origin));
  const first = app.once("anchoring: the first fold", (): { folded?: Promise<unknown> } => ({}));
  first.folded ??= load();
  await first.folded.catch((error) => {
    delete first.folded;
    throw error;
  });
  return { origin, state: await load() };
}
