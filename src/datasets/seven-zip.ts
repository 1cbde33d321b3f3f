/** Runs the 7-Zip program in a separate folder. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { chmod, copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { path7za } from "7zip-bin";
import { Refusal } from "../core/model/refusal.ts";

export const NO_TEXT = "has no text; if the archive has a password, unpack it first";

/** Runs a 7za command on an archive; `ended` refuses a damaged archive. */
export type SevenZip = (
  archive: string,
  name: string,
  command: string[],
) => { child: ChildProcessByStdio<null, Readable, Readable>; ended: Promise<void> };

export async function sevenZip(dir: string, signal?: AbortSignal): Promise<SevenZip> {
  // The package's binary lacks the execute bit, and node_modules may be read-only.
  const program = join(dir, "7za");
  await copyFile(path7za, program);
  await chmod(program, 0o700);
  return (archive, name, command) => {
    // An empty password and no input turn an encrypted archive into an error instead of a prompt.
    const child = spawn(program, [...command, "-p-", "--", archive], {
      signal,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = exit(child, name);
    // It is awaited after the program's output, or not at all if that is refused first.
    ended.catch(() => undefined);
    return { child, ended };
  };
}

function exit(program: ChildProcess, name: string): Promise<void> {
  let complaint = "";
  program.stderr?.on("data", (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  return new Promise((done, fail) => {
    program.once("error", fail);
    program.once("close", (code) => {
      if (code === 0) return done();
      if (/password|encrypted/i.test(complaint)) return fail(new Refusal("invalid", `${name} ${NO_TEXT}`));
      // A line with only the archive's path says nothing.
      const why =
        complaint
          .split("\n")
          .map((line) => line.trim())
          .find((line) => /ERROR: (?!.*\.7z : )/.test(line)) ?? `7za ended with ${code}`;
      fail(new Refusal("invalid", `${name} is damaged or cut off (7z: ${why}): fetch it again`));
    });
  });
}
