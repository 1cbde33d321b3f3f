/** The package of `npm run package`, installed from the registry in a folder of its own, tells a story by itself. */
import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const PACKAGER = fileURLToPath(new URL("../../bin/package.mjs", import.meta.url));

/** npm's codes for a registry that is not there, or does not let this machine in. */
const NO_REGISTRY =
  /\bE(NOTFOUND|AI_AGAIN|CONN\w+|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTCACHED|40[134]|50\d)\b|ERR_SOCKET_TIMEOUT/;

let folder: string;
let tarball: string;
let printed: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tallystick-installed-"));
  const { stdout } = await run(process.execPath, [PACKAGER], { cwd: folder });
  printed = stdout;
  tarball = join(folder, stdout.split(":")[0]!);
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const bytesBelow = (path: string): number =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

test("the package has at most 5 MB", async () => {
  expect((await stat(tarball)).size).toBeLessThan(5_000_000);
});

test("the package names the licence of each dependency, and whether vulnerabilities are known", async () => {
  const read = (name: string) => run("tar", ["-xzOf", tarball, `package/${name}`], { maxBuffer: 16e6 });
  const notices = (await read("NOTICES")).stdout;
  const { dependencies } = JSON.parse((await read("package.json")).stdout) as { dependencies: object };
  for (const [name, version] of Object.entries(dependencies))
    expect(notices).toContain(`${name} ${version}: `);
  expect(printed).toMatch(
    /^licences: \d+ kinds of \d+ packages, all allowed but \S+, which states none\nknown vulnerabilities: \S/m,
  );
});

test("the package installs in under 350 MB, and its demo pays, draws and verifies a report", async ({
  skip,
}) => {
  const options = { cwd: folder, maxBuffer: 16 * 1024 * 1024 };
  const isInstalled = await run("npm", ["install", "--prefer-offline", "--no-audit", tarball], options).then(
    () => true,
    (error: Error) => {
      if (NO_REGISTRY.test(error.message)) return false;
      throw error;
    },
  );
  if (!isInstalled) return skip("no registry can be reached here");
  expect(bytesBelow(join(folder, "node_modules"))).toBeLessThan(350e6);
  const { stdout } = await run("npx", ["tallystick", "demo", "--story", "report"], options);
  expect(stdout).toMatch(/^Done in /m);
  expect(stdout).not.toContain("bin/tallystick");
});
