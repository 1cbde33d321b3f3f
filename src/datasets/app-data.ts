/** The stores that this folder adds to App. */
import type { Data } from "./reading.ts";
import type { SnapshotStore } from "./snapshots.ts";
import type { VintageStore } from "./vintage-store.ts";

declare module "../core/app.ts" {
  interface AppData {
    /** The current data; a call reads its context's data, which may be older. */
    data: Data;
    /** All vintages of this process, including past ones. */
    vintage_store: VintageStore;
    /** Vintages as files to download. */
    snapshots: SnapshotStore;
  }
}
