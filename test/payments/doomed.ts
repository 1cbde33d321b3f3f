/** Starts a service in a process of its own, beside another, that dies, pauses or sticks at a step of a paid call. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { inject } from "vitest";
import type { Workshop } from "../chain/fixture.ts";
import { startProgram } from "../support/compiled.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";

export type Doomed = {
  url: string;
  child: ChildProcess;
  /** Resolves when the next call comes to the step. */
  arrived(): Promise<string>;
  /** Has the next call pause the process at a step, or stick there. */
  tell(what: "pause" | "stick", step: string): void;
  ended: Promise<unknown>;
};

/** Dies at a step, or never at "none". What is started is added to `children`, who are to be killed at the end. */
export async function startDoomed(
  dies_at: string,
  beside: { database_url: string },
  workshop: Workshop,
  children: ChildProcess[],
): Promise<Doomed> {
  const child = startProgram("test/payments/doomed-service.ts", [], {
    env: {
      PATH: process.env.PATH,
      // What it leaves behind goes with the run.
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
