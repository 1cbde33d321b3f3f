/**
 * Seals each full segment of the log below a final anchor: writes and checks its file, stores it as an object, and
 * names it in an event. After a crash the next tick creates the same file.
 */
import { digestOf } from "../../eventstore/files/backup.ts";
import { type SegmentFacts, writeSegment } from "../../eventstore/files/segment-file.ts";
import { logGenesis } from "../../eventstore/hash.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { RowChecks } from "../../eventstore/verify/row-checks.ts";
import { type StoredRow, storedPages } from "../../eventstore/verify/stored-rows.ts";
import type { App } from "../core/app.ts";
import { type Outcome, reactor } from "../core/background/reactor.ts";
import { ObjectsUnavailable } from "../core/model/ports/objects.ts";
import * as segments from "../domain/log/segments.ts";
import { headsOf } from "./heads.ts";
import { LogDiverged } from "./tick.ts";
import { LogDamaged, openTree, TreeTooShort } from "./tile-store.ts";
import { Frontier } from "./tree.ts";

export type SealingOptions = {
  /** A power of two. Default: 2^20. */
  events?: number;
};

type SealingFailure = "unreached" | "diverged";

export const sealingReactor = (options: SealingOptions = {}) =>
  reactor<object, SealingFailure>({
    name: "log-sealing",
    every_ms: 10_000,
    runs: ({ settings }) => settings.anchoring !== undefined,
    memory: () => ({}),
    take: ({ app, signal }) => sealTick(app, { ...options, signal }),
    failures: {
      unreached: "segments of the log are not sealed: the object store is unavailable",
      diverged: "segments of the log are not sealed: its events are not those that were signed",
      failed: "segments of the log cannot be sealed; trying again",
    },
    grave: ["diverged"],
    resumed: "segments of the log are sealed again",
  });

/** Seals the segments up to the newest final anchor, in order. */
export async function sealTick(
  app: App,
  { events = segments.SEGMENT_EVENTS, signal }: SealingOptions & { signal?: AbortSignal },
): Promise<Outcome<SealingFailure>> {
  const { origin, state } = await headsOf(app);
  const anchored = state.anchors.findLast(({ final }) => final)?.size ?? 0;
  const target = segments.targetOf(origin);
  try {
    for (;;) {
      const { to: sealed, log_hash } = await app.load(segments, target);
      const [from, to] = [sealed + 1, sealed + events];
      if (to > anchored) return "idle";
      const previous_log_hash = log_hash ?? logGenesis(origin).toString("hex");
      const facts: SegmentFacts = { origin, first: from, last: to, previous_log_hash };
      const done = await app.objects.aside((path) => putSegment(app, facts, path, signal));
      if (done === "stopped") return "done";
      await app.decide(segments, target, segments.seal(done), { meta });
    }
  } catch (error) {
    if (error instanceof ObjectsUnavailable) return { status: "unreached", reason: error.message };
    if (error instanceof LogDiverged || error instanceof LogDamaged || error instanceof TreeTooShort)
      return { status: "diverged", reason: error.message };
    throw error;
  }
}

const meta = { actor: "reactor:log-sealing", operation: "log.seal" };

/**
 * Writes and stores a segment's file; returns the facts for its event. Throws LogDiverged if the events are not the
 * signed ones.
 */
export async function putSegment(
  app: App,
  facts: SegmentFacts,
  path: string,
  signal?: AbortSignal,
): Promise<segments.SealedSegment | "stopped"> {
  const { first, last, origin, previous_log_hash } = facts;
  const frontier = new Frontier();
  const checks = new RowChecks(facts);
  let log_hash = previous_log_hash;
  async function* pages() {
    for await (const page of storedPages(app.pool, { log_id: MAIN_LOG, after: first - 1, to: last })) {
      if (signal?.aborted) return;
      for (const row of page) take(row);
      yield page;
    }
  }
  const take = (row: StoredRow) => {
    const fault = checks.fault(row);
    if (fault !== undefined) throw new LogDiverged(`the event at position ${row.position}: ${fault}`);
    frontier.appendEvent(row.event_hash);
    log_hash = row.log_hash.toString("hex");
  };
  await writeSegment(path, facts, pages());
  if (signal?.aborted) return "stopped";
  const rows = last - first + 1;
  if (frontier.size !== rows)
    throw new LogDiverged(`${frontier.size} events are at the ${rows} positions from ${first} on`);
  const subtree_root = frontier.root();
  const node = await openTree(app.pool, MAIN_LOG).subtreeRoot({ begin: first - 1, end: last });
  if (!node.equals(subtree_root))
    throw new LogDiverged(`the events ${first} to ${last} are not those of the tree that is signed`);
  const { sha256, bytes } = await digestOf(path);
  await app.objects.putFile(segments.objectOf(origin, sha256), path);
  const hashes = { prev_log_hash: previous_log_hash, log_hash, subtree_root: subtree_root.toString("hex") };
  return { from: first, to: last, sha256, bytes, rows, ...hashes };
}
