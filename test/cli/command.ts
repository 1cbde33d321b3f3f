/** The real command in a folder of its own: the embedded database and chain, and nothing of this process's environment. */
import { execFile } from "node:child_process";
import { join } from "node:path";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;

export type Ran = { code: number; stdout: string; stderr: string };

/** Runs `tallystick …args` with `dir` for its home and its data. */
export function runCommand(dir: string, ...args: string[]): Promise<Ran> {
  const env = {
    PATH: process.env.PATH,
    HOME: dir,
    DATA_DIR: join(dir, "data"),
    PORT: "0",
    SANDBOX: "0",
    LOG_LEVEL: "warn",
    TRUST_SECONDS: "5",
  };
  return new Promise((done) => {
    execFile(process.execPath, [bin, ...args], { env }, (error, stdout, stderr) => {
      done({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}
