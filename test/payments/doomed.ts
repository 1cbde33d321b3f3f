/** Starts a second service process that dies, pauses or blocks at a step of a paid call. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { inject } from "vitest";
import type { Workshop } from "../chain/fixture.ts";
import { startProgram } from "../support/compiled.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";

export type DoomedService = {
  url: string;
  child: ChildProcess;
  /** Resolves when the next call reaches the step. */
  arrived(): Promise<string>;
  /** Makes the next call pause the process at a step, or block there. */
  tell(what: "pause" | "stick", step: string): void;
  ended: Promise<unknown>;
};

/** Dies at a step, or never at "none". Adds the process to `children`, which are killed at the end. */
export async function startDoomed(
  dies_at: string,
  beside: { database_url: string },
  workshop: Workshop,
  children: ChildProcess[],
): Promise<DoomedService> {
  const child = startProgram("test/payments/doomed-service.ts", [], {
    env: {
      PATH: process.env.PATH,
      // Its temporary files are removed with the run.
      TMPDIR: inject("runDir"),
      DIES_AT: dies_at,
      DATABASE: beside.database_url,
      RPC: workshop.node.rpc_url,
      GAS_KEY,
      PAY_TO: PAYEE,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const ended = once(child, "exit");
  const line = async () => ((await once(child.stdout!, "data")) as [Buffer])[0].toString().trim();
  const tell = (what: string, step: string) => void child.stdin!.write(`${what} ${step}\n`);
  return { url: await line(), child, arrived: line, tell, ended };
}
