import { releaseSandbox } from "../../src/operator/releases.ts";
import type { Service } from "./service.ts";

/** A small sandbox dataset, built and released like the full one; resolves when the service has it open. */
export async function openSandbox({ app, data_dir }: Service, scale = 0.01): Promise<void> {
  const { facts } = await releaseSandbox(app, { data_dir, limits: { threads: 2, memory_mb: 512 }, scale });
  while (!app.vintages.open().some(({ vintage }) => vintage === facts.vintage)) {
    await new Promise((wake) => setTimeout(wake, 20));
  }
}
