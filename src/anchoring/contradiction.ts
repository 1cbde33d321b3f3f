/** Tests tree heads against the log in the database. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import type { Hex } from "../core/model/chain.ts";
import type { StoredHead } from "../core/model/ports/signed-heads.ts";
import * as anchors from "../domain/anchoring/anchor.ts";
import { headsOf } from "./heads.ts";
import { hexOf } from "./hex.ts";
import { openTree, TreeTooShort } from "./tile-store.ts";

/** A tree head with the name of its source. */
export type ClaimedHead = { size: number; root: Hex };

/** The log's newest checkpoint and anchor. `kept`: this machine's last signature, even if the database was reset. */
export async function knownHeads(app: App): Promise<{ kept: StoredHead | undefined; heads: ClaimedHead[] }> {
  const { origin, state } = await headsOf(app);
  const kept = await app.signed.last(origin);
  const heads = [state.checkpoint, anchors.newestAnchor(state), kept];
  return { kept, heads: heads.flatMap((head) => head ?? []) };
}

/**
 * Why these tree heads contradict the log, as a sentence, or null. Full tiles are trusted: only `verify` checks
 * them against the events, and the events themselves.
 */
export async function contradictionOf(app: App, heads: readonly ClaimedHead[]): Promise<string | null> {
  const { position } = await app.store.head(MAIN_LOG);
  const tree = openTree(app.pool, MAIN_LOG);
  for (const { size, root } of heads) {
    if (size > position)
      return `${size} events were signed or anchored, and the log has ${position}: it was cut`;
    try {
      if (hexOf(await tree.rootAt(size)) !== root)
        return `the first ${size} events are not those that were signed or anchored`;
    } catch (error) {
      if (!(error instanceof TreeTooShort)) throw error;
      return `the log in this database is damaged: ${error.message}`;
    }
  }
  return null;
}
