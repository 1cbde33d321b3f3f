/**
 * Makes a snapshot until its file is whole but not yet in place, reports that and waits to be killed. Arguments:
 * folder, vintage.
 */
import { SnapshotStore } from "../../src/datasets/snapshots.ts";
import { openVintages, type VintageStore } from "../../src/datasets/vintage-store.ts";

const [data_dir = "", vintage = ""] = process.argv.slice(2);
const vintages = openVintages({ dataDir: data_dir, threads: 2, memory_mb: 512 });
const halting = {
  leaseVintage: async (name: string) => {
    const lease = await vintages.leaseVintage(name);
    const query: typeof lease.query = async (...request) => {
      const answer = await lease.query(...request);
      console.log("written");
      await new Promise(() => setInterval(() => {}, 1_000));
      return answer as never;
    };
    return { ...lease, query };
  },
} as unknown as VintageStore;
await new SnapshotStore({ data_dir, vintages: halting }).open(vintage, "2026-01-01T00:00:00.000Z");
