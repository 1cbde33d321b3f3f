/** Stores the folded state of each stream that grew by five hundred events, for processes that have yet to fold it. */

import { type Outcome, reactor, type Tick } from "../../core/background/reactor.ts";
import { foldAfresh } from "../../core/commands/stream-folds.ts";
import type { DueSnapshot } from "../../core/commands/stream-snapshots.ts";

/** Interval of the scan of all long streams for missing snapshots. */
const LOOK_BACK_MS = 600_000;

/** `after`: the position up to which no snapshot was due; `looked_back_at`: in milliseconds of Unix time. */
type Memory = { after: number; looked_back_at: number };

export const snapshotReactor = reactor({
  name: "stream-snapshots",
  every_ms: 5_000,
  memory: (): Memory => ({ after: 0, looked_back_at: 0 }),
  take: snapshotTurn,
  failures: { failed: "snapshots of long streams cannot be stored; trying again" },
  resumed: "snapshots of long streams are stored again",
});

async function snapshotTurn({ memory, ...turn }: Tick<Memory>): Promise<Outcome<"done">> {
  const { app, signal } = turn;
  const now = app.clock.now().getTime();
  if (now - memory.looked_back_at >= LOOK_BACK_MS) Object.assign(memory, { after: 0, looked_back_at: now });
  const { position: head } = await app.store.head();
  for (;;) {
    const due = (await app.unit.snapshots?.due(memory.after)) ?? [];
    for (const one of due) {
      if (signal.aborted) return "done";
      await storeSnapshot(turn, one);
      memory.after = one.position;
    }
    if (due.length === 0) break;
  }
  memory.after = Math.max(memory.after, head);
  return { idle_until: new Date(memory.looked_back_at + LOOK_BACK_MS).toISOString() };
}

async function storeSnapshot(
  { app, lease }: Omit<Tick, "memory">,
  { entity, tenant, stream_id }: DueSnapshot,
): Promise<void> {
  const id = stream_id.slice(entity.prefix.length);
  const { state, version } = await foldAfresh(app.unit, entity, { tenant, id });
  const [last] = await app.store.readStream({ tenant, stream_id, after_version: version - 1, limit: 1 });
  // A log that was cut has no such event, and needs no state of it.
  if (!last) return;
  const { event_hash } = last;
  await lease.transaction((tx) =>
    app.unit.snapshots!.keep(tx, entity, { tenant, stream_id }, { state, version, event_hash }),
  );
}
