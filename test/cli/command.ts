/** The real command, without this process's environment. */
import { execFile } from "node:child_process";
import { join } from "node:path";

const bin = new URL("../../bin/tallystick", import.meta.url).pathname;

export type Ran = { code: number; stdout: string; stderr: string };

/** Runs `tallystick …args` with `dir` as its home and data folder, with the embedded database and chain. */
export function runCommand(dir: string, ...args: string[]): Promise<Ran> {
  const env = { HOME: dir, DATA_DIR: join(dir, "data"), PORT: "0", SANDBOX: "0", TRUST_SECONDS: "5" };
  return runWith(env, ...args);
}

/** Runs `tallystick …args` with these settings. */
export const runWith = (settings: Record<string, string | undefined>, ...args: string[]): Promise<Ran> =>
  runIn(process.cwd(), settings, ...args);

export function runIn(
  cwd: string,
  settings: Record<string, string | undefined>,
  ...args: string[]
): Promise<Ran> {
  const env = { PATH: process.env.PATH, LOG_LEVEL: "warn", ...settings };
  return new Promise((done) => {
    execFile(process.execPath, [bin, ...args], { cwd, env }, (error, stdout, stderr) => {
      done({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}
