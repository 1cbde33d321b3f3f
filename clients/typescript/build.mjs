// Makes the package of the TypeScript client: types generated from the OpenAPI document, what src has compiled for Node and
// bundlers, and once more as one file with its dependencies for Workers.
//
//     node clients/typescript/build.mjs [--into <folder>] [--openapi <file>]
//
// Without a folder tallystick-client-<version>.tgz comes into the folder where it is called. Without a file the document is that
// of this checkout.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { build } from "esbuild";
import openapiTypes, { astToString } from "openapi-typescript";

const run = promisify(execFile);
const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = join(HERE, "../..");
const MOST = { maxBuffer: 64 * 1024 * 1024 };

const { values } = parseArgs({ options: { into: { type: "string" }, openapi: { type: "string" } } });
const document =
  values.openapi === undefined
    ? (await run(process.execPath, ["--import", "tsx", "clients/openapi.ts"], { cwd: ROOT, ...MOST })).stdout
    : await readFile(values.openapi, "utf8");

const stage = values.into ?? (await mkdtemp(join(tmpdir(), "tallystick-client-")));
for (const part of ["package.json", "README.md"]) await cp(join(HERE, part), join(stage, part));
await cp(join(ROOT, "LICENSE"), join(stage, "LICENSE"));

const compiled = { bundle: true, format: "esm", target: "es2022", logLevel: "warning" };
const entry = [join(HERE, "src/index.ts")];
await build({ ...compiled, entryPoints: entry, outfile: join(stage, "dist/index.js"), packages: "external" });
await build({
  ...compiled,
  entryPoints: entry,
  outfile: join(stage, "dist/worker.js"),
  platform: "browser",
  conditions: ["workerd", "worker", "browser", "import"],
  minify: true,
});

// Declarations are made in the sources' folder, where the compiler finds the dependencies.
const generated = join(HERE, "generated/openapi.d.ts");
await mkdir(dirname(generated), { recursive: true });
await writeFile(generated, astToString(await openapiTypes(JSON.parse(document))));
const compiler = join(ROOT, "node_modules/tsc/bin/tsc");
await run(process.execPath, [compiler, "-p", HERE, "--outDir", join(stage, "types")], MOST);
await mkdir(join(stage, "types/generated"), { recursive: true });
await cp(generated, join(stage, "types/generated/openapi.d.ts"));

if (values.into === undefined) {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", process.cwd()], {
    cwd: stage,
    ...MOST,
  });
  const [{ filename, size }] = JSON.parse(stdout);
  process.stdout.write(`${filename}: ${(size / 1e3).toFixed(0)} kB\n`);
  await rm(stage, { recursive: true });
}
