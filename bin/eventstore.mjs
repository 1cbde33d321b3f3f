// Makes the package of the log alone: tallystick-eventstore-<version>.tgz comes into the folder where it is called.
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = join(ROOT, "eventstore");

/** Files that compiled files read from their own folder. */
const READ = ["migrations", "verify/fast-path/reader.wasm"];

const stage = await mkdtemp(join(tmpdir(), "tallystick-eventstore-"));
try {
  const compiler = join(ROOT, "node_modules/tsc/bin/tsc");
  const settings = join(SOURCES, "tsconfig.package.json");
  await run(process.execPath, [compiler, "-p", settings, "--outDir", join(stage, "dist")]);
  for (const part of READ) await cp(join(SOURCES, part), join(stage, "dist", part), { recursive: true });
  for (const part of ["package.json", "README.md"]) await cp(join(SOURCES, part), join(stage, part));
  await cp(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", process.cwd()], {
    cwd: stage,
  });
  const [{ filename, size }] = JSON.parse(stdout);
  process.stdout.write(`${filename}: ${(size / 1e3).toFixed(0)} kB\n`);
} finally {
  await rm(stage, { recursive: true, force: true });
}
