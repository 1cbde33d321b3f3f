import type { MigrationSet } from "../../eventstore/migrations.ts";

/** The tables that no log can rebuild: counters, kept answers, the tree, what was read of the chain, who folds what. */
export const keptTables: MigrationSet = {
  name: "src/migrations",
  folder: new URL("./", import.meta.url),
  schema: "tallystick",
};
