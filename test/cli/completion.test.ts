/** The scripts of `tallystick completion`, read and run by the shells themselves. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere } from "./in-process.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-completion-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const isThere = (shell: string): boolean => {
  try {
    execFileSync(shell, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn(`there is no ${shell} here: its completion is not read`);
    return false;
  }
};

const scriptFor = async (shell: string) => (await runHere({}, "completion", shell)).stdout;

for (const shell of ["bash", "zsh", "fish"])
  test.runIf(isThere(shell))(`${shell} accepts its script`, async () => {
    const file = join(dir, shell);
    await writeFile(file, await scriptFor(shell));
    execFileSync(shell, ["-n", file]);
  });

test.runIf(isThere("bash"))("bash completes commands, options and the values of an option", async () => {
  const script = await scriptFor("bash");
  const completed = (...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(" ");
    const run = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _tallystick; echo "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", run], { encoding: "utf8" }).trim();
  };
  expect(completed("tallystick", "keys", "is")).toBe("issue");
  expect(completed("tallystick", "shop", "add", "--v")).toBe("--vat");
  expect(completed("tallystick", "demo", "--story", "s")).toBe("shop skill");
  expect(completed("tallystick", "market", "hide", "b")).toBe("bounty");
});
