import { releaseSandboxTables } from "../../src/operator/reference.ts";
import { releaseSandbox, releaseSandboxLv } from "../../src/operator/releases.ts";
import type { Service } from "./service.ts";

const limits = { threads: 2, memory_mb: 512 };

/** A small sandbox dataset and the tables beside it, built and released like the full one; resolves when the service has it open. */
export async function openSandbox(service: Service, scale = 0.01): Promise<void> {
  const { app, data_dir } = service;
  const { facts } = await releaseSandbox(app, { data_dir, limits, scale });
  const tables = await releaseSandboxTables(app, data_dir);
  await opened(service, [facts, ...tables.map((table) => table.facts)]);
}

/** Latvia at CN8 out of the sandbox that was opened before. */
export async function openSandboxLv(service: Service): Promise<void> {
  const { facts } = await releaseSandboxLv(service.app, { data_dir: service.data_dir, limits });
  await opened(service, [facts]);
}

async function opened({ app }: Service, wanted: { vintage: string }[]): Promise<void> {
  const open = () => [...app.vintages.open(), ...app.reference.open()].map(({ vintage }) => vintage);
  while (!wanted.every(({ vintage }) => open().includes(vintage))) {
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
