/** The stores that this folder adds to App. */
import type { ReferenceStore } from "./reference/store.ts";
import type { SnapshotStore } from "./snapshots.ts";
import type { VintageStore, Vintages } from "./vintage-store.ts";

declare module "../core/app.ts" {
  interface AppData {
    /** The vintages that answers read from. */
    vintages: Vintages;
    /** All vintages of this process, past ones too. */
    vintage_store: VintageStore;
    /** The small tables beside the trade data. */
    reference: ReferenceStore;
    /** Vintages as files to download. */
    snapshots: SnapshotStore;
  }
}
