import type { MigrationSet } from "../../eventstore/migrations.ts";

/** The tables that no log can rebuild: counters, stored answers, the tree, transfers on chain, leases. */
export const serviceTables: MigrationSet = {
  name: "src/migrations",
  folder: new URL("./", import.meta.url),
  schema: "tallystick",
};
