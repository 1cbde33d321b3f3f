/** The Merkle path from an agent's score to the root in the event of the computation. */
import { LRUCache } from "lru-cache";
import type { App } from "../../../core/app.ts";
import { refuse } from "../../../core/model/refusal.ts";
import { type ScoreProof, ScoreTree } from "../../../domain/trust/score-tree.ts";
import { type ComputedRow, type Moment, scoresOf } from "../../../projections/trust/scores.ts";

/** Callers mostly request the newest computation, so few trees are cached. */
const MOST_TREES = 3;

const treesOf = ({ once }: App) =>
  once("trees of scores", () => new LRUCache<number, ScoreTree>({ max: MOST_TREES }));

/** Null for a computation without scores, or from the time before events had roots. */
export async function scoreProofOf(
  app: App,
  moment: Moment,
  sx: number,
  { position, day }: ComputedRow,
): Promise<(ScoreProof & { root: string }) | null> {
  const trees = treesOf(app);
  let tree = trees.get(position);
  if (!tree) {
    const [event] = await app.store.readLog({ after: position - 1, limit: 1 });
    const root = event?.payload.result_root;
    if (root === undefined) return null;
    tree = new ScoreTree(await scoresOf(moment, day));
    if (tree.root !== root) refuse("unavailable", "the stored scores are not those of the log's event");
    trees.set(position, tree);
  }
  const proof = tree.proofOf(sx);
  return proof ? { root: tree.root, ...proof } : null;
}
