import type pg from "pg";
import { StreamCache } from "../core/commands/stream-cache.ts";
import { StreamLocks } from "../core/commands/stream-locks.ts";
import { StreamSnapshots } from "../core/commands/stream-snapshots.ts";

/** `key`: seals the snapshots. */
export const openStreams = (
  pool: pg.Pool,
  key: Uint8Array,
  entities: ConstructorParameters<typeof StreamSnapshots>[2],
) => ({
  cache: new StreamCache(),
  locks: new StreamLocks(pool),
  snapshots: new StreamSnapshots(pool, key, entities),
});
