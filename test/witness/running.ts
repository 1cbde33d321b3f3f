/** A witness like in production: a separate process, by the command line. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { parseVerifierKey, type VerifierKey } from "../../src/anchoring/note.ts";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;

export type RunningWitness = {
  url: string;
  key: VerifierKey;
  /** The operator's entry for WITNESSES. */
  setting: string;
  /** Its output at the start. */
  greeting: string[];
  kill(signal: NodeJS.Signals): Promise<void>;
};

const LINES = 4;

/** Starts one that follows a log. Rejects with its output when it ends. */
export async function runWitness(
  dir: string,
  vkey: string,
  { name = "w.example", port = 0 } = {},
): Promise<RunningWitness> {
  const child: ChildProcess = spawn(
    process.execPath,
    [bin, "witness", "--name", name, "--log", vkey, "--dir", dir, "--port", String(port)],
    { env: { PATH: process.env.PATH, PORT: "no setting is read" }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let complaint = "";
  child.stderr!.on("data", (part) => {
    complaint += part;
  });
  const ended = once(child, "exit");
  const greeting: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    greeting.push(line);
    if (greeting.length === LINES) break;
  }
  if (greeting.length < LINES) {
    await ended;
    throw new Error(complaint);
  }
  const setting = greeting.at(-1)!.replace(/^WITNESSES +/, "");
  const [url, key] = setting.split("#") as [string, string];
  return {
    url,
    key: parseVerifierKey(key),
    setting,
    greeting,
    kill: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}
