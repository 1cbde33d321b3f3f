/**
 * The contenders of bench/tree.ts, each in a separate process: tsx bench/tree-contender.ts <contender> <events>
 * <database url>
 */
import { hash } from "node:crypto";
import { openPool } from "../eventstore/pool.ts";
import { openTree } from "../src/anchoring/tile-store.ts";
import { hashesIn } from "../src/anchoring/tiles.ts";
import { Frontier, leafHash, rootOver } from "../src/anchoring/tree.ts";

/** `root` is undefined if a contender computes none. */
export type RoundFigures = { seconds: number; megabytes: number; root?: string };

async function measured(work: () => Promise<Buffer | undefined> | Buffer | undefined): Promise<RoundFigures> {
  const begun = performance.now();
  const root = await work();
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, megabytes: process.resourceUsage().maxRSS / 1024, root: root?.toString("hex") };
}

/** Made-up event hashes, one per event. */
const madeUp = (events: number): Buffer => {
  const bytes = Buffer.alloc(events * 32);
  for (let n = 0; n < events; n++) hash("sha256", `1 ${n + 1}`, "buffer").copy(bytes, n * 32);
  return bytes;
};

export const CONTENDERS: Record<
  string,
  (events: number, url: string) => Promise<RoundFigures> | RoundFigures
> = {
  async "grow, from Postgres to Postgres"(events, url) {
    const pool = openPool(url);
    const tree = openTree(pool, 1);
    const turn = await measured(async () => {
      await tree.grow();
      return tree.rootAt(events);
    });
    await pool.end();
    return turn;
  },
  "frontier, in memory": (events) => {
    const leaves = madeUp(events);
    return measured(() => {
      const frontier = new Frontier();
      for (let n = 0; n < events; n++) frontier.append(leafHash(leaves.subarray(n * 32, n * 32 + 32)));
      return frontier.root();
    });
  },
  "one merkletreejs tree, in memory": (events) => {
    const leaves = hashesIn(madeUp(events));
    return measured(() => rootOver(leaves.map(leafHash)));
  },
  "bare loop of the hashes": (events) => {
    const leaves = madeUp(events);
    return measured(() => {
      const leaf = Buffer.alloc(33);
      const node = Buffer.alloc(65, 1);
      for (let n = 0; n < events; n++) {
        leaves.copy(leaf, 1, n * 32, n * 32 + 32);
        hash("sha256", leaf, "buffer").copy(node, 1);
        if (n > 0) hash("sha256", node, "buffer").copy(node, 33);
      }
      return undefined;
    });
  },
};

if (process.argv[1] === import.meta.filename) {
  const [contender, events, url] = process.argv.slice(2) as [string, string, string];
  console.log(JSON.stringify(await CONTENDERS[contender]!(Number(events), url)));
}
