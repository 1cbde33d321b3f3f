/** Compares all rows of the log with the signed and anchored heads. Every row is hashed; no tile is trusted. */
import { MAIN_LOG } from "../../eventstore/types.ts";
import type { App } from "../core/app.ts";
import { checkRange, faultSentence, type LogTables } from "./check-rows.ts";
import { type ClaimedHead, knownHeads } from "./contradiction.ts";
import { hexOf } from "./hex.ts";
import { headsOfOthers, provenHeads } from "./proven-heads.ts";
import { damagedTile } from "./tile-store.ts";
import { Frontier } from "./tree.ts";

/** The chain and each witness have this long to answer. */
const DEADLINE_MS = 5_000;

type NamedHead = ClaimedHead & { source?: string };

/** All known heads: the log's, this machine's, and those of the chain and the witnesses. */
export async function headsToCompare(app: App): Promise<NamedHead[]> {
  const [{ heads }, proven, shown] = await Promise.all([
    knownHeads(app),
    provenHeads(app),
    headsOfOthers(app, DEADLINE_MS),
  ]);
  return [...heads, ...proven, ...shown];
}

/**
 * Why the rows contradict these heads, as a sentence, or null. Read the heads first, because the log may grow
 * meanwhile.
 */
export async function contradictionInRows(
  { pool, store }: LogTables,
  heads: readonly NamedHead[],
): Promise<string | null> {
  const { position } = await store.head(MAIN_LOG);
  const frontier = new Frontier();
  const sizes = new Set(heads.map(({ size }) => size));
  const differing: NamedHead[] = [];
  const { fault } = await checkRange({ pool, store }, 0, position, (row) => {
    frontier.appendEvent(row.event_hash);
    if (!sizes.has(frontier.size)) return;
    const root = hexOf(frontier.root());
    differing.push(...heads.filter((head) => head.size === frontier.size && head.root !== root));
  });
  if (fault) return faultSentence(fault);
  const [other] = differing;
  if (other)
    return `the first ${other.size} events are not those that were signed or anchored${sourceOf(other)}`;
  const beyond = heads.find(({ size }) => size > frontier.size);
  if (beyond)
    return `${beyond.size} events were signed or anchored, and the log has ${frontier.size}: it was cut${sourceOf(beyond)}`;
  const tile = await damagedTile(pool, MAIN_LOG);
  return tile ? `the log in this database is damaged: ${tile.reason}` : null;
}

const sourceOf = ({ source }: NamedHead) => (source ? `; ${source} shows it` : "");
