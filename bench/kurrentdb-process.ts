/** The fake KurrentDB of the tests in a process of its own, so that it does not share a loop with what is measured. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { KurrentDB } from "../test/support/kurrentdb.ts";

export type KurrentProcess = { url: string; stop(): void };

export async function startKurrentDB(): Promise<KurrentProcess> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), {
    env: { ...process.env, KURRENTDB_PROCESS: "1" },
  });
  const [url] = (await once(child, "message")) as [string];
  return { url, stop: () => void child.kill("SIGKILL") };
}

if (process.env.KURRENTDB_PROCESS) {
  const db = new KurrentDB();
  await db.open();
  process.send!(db.url);
  // Whoever asked for it is gone.
  process.once("disconnect", () => process.exit());
}
