/** Reference tables of a test's own making, real or invented, in a store as a process has it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { storeText, textOfTable } from "../../src/datasets/reference/files.ts";
import { ReferenceStore } from "../../src/datasets/reference/store.ts";
import { type ReferenceTable, sandboxOf } from "../../src/datasets/reference/table.ts";

type Made = (store: ReferenceStore, dir: string) => Promise<void>;

/** Rows that count as real, or with `synthetic` as the sandbox's. */
export const made =
  <Row extends object>(table: ReferenceTable<Row>, rows: Row[], synthetic = false): Made =>
  async (store, dir) => {
    const dataset = synthetic ? sandboxOf(table) : table.name;
    const { reference, text } = textOfTable(table, { dataset, source: table.source, synthetic }, rows);
    await storeText(dir, reference.vintage, text);
    await store.serve(reference.vintage);
  };

export async function storeOf(...tables: Made[]): Promise<ReferenceStore> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-tables-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const store = new ReferenceStore({ data_dir: dir, allow_synthetic: true });
  for (const make of tables) await make(store, dir);
  return store;
}
