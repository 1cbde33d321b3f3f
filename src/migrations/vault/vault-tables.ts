import type { MigrationSet } from "../../../eventstore/migrations.ts";

/** The tables of the vault of personal data, which lie in a database of their own. */
export const vaultTables: MigrationSet = {
  name: "src/migrations/vault",
  folder: new URL("./", import.meta.url),
  schema: "subject_keys",
};
