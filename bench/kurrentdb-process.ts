/** The tests' fake KurrentDB in a separate process, so that it does not share the measured event loop. */
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
  // The parent has ended.
  process.once("disconnect", () => process.exit());
}
