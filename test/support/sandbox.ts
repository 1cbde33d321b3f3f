import { releaseSandboxTables } from "../../src/operator/reference.ts";
import { releaseSandbox } from "../../src/operator/releases.ts";
import type { Service } from "./service.ts";

/** A small sandbox dataset and the tables beside it, built and released like the full one; resolves when the service has it open. */
export async function openSandbox({ app, data_dir }: Service, scale = 0.01): Promise<void> {
  const { facts } = await releaseSandbox(app, { data_dir, limits: { threads: 2, memory_mb: 512 }, scale });
  const tables = await releaseSandboxTables(app, data_dir);
  const wanted = [facts, ...tables.map((table) => table.facts)];
  const open = () => [...app.vintages.open(), ...app.reference.open()].map(({ vintage }) => vintage);
  while (!wanted.every(({ vintage }) => open().includes(vintage))) {
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
