// Compiles the service once, at `npm install`: every TypeScript file of src and eventstore becomes JavaScript at the same
// place below dist, with what it reads beside it. bin/tallystick runs that, so that nothing is compiled at a start.
// With --tests the programs that tests start are compiled beside it.
import { cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = ["eventstore", "src"];
/** Browsers load it; it is bundled a page at a time, and the verifiers are served as they are. */
const EXPLORER = join("src", "explorer");
const PAGES = [
  "page.ts",
  "worker.ts",
  "rng.ts",
  "docs.ts",
  "try.ts",
  "directory.ts",
  "agent.ts",
  "market.ts",
];

/** Files below a folder, as paths from the root; packages are left alone, such as the stock clients of test/clients. */
async function filesIn(folder) {
  const entries = await readdir(join(ROOT, folder), { withFileTypes: true });
  const found = entries
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]));
  return (await Promise.all(found)).flat();
}

/** Packages of hundreds of modules, which every process would find, open and compile one by one: a file each in dist/packages. */
const GATHERED = ["jose", "viem", "viem/accounts", "viem/chains", "viem/siwe", "viem/utils", "zod"];
const gatheredAs = (name) => join("packages", name.replaceAll("/", "-"));

/** Each file stays one file: relative imports are left, with the ending that they have in dist. */
const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path: path.replace(/\.ts$/, ".js"), external: true },
    );
    onResolve({ filter: /^[a-z]/ }, ({ path, resolveDir }) =>
      GATHERED.includes(path)
        ? { path: relative(resolveDir, join(ROOT, `${gatheredAs(path)}.js`)), external: true }
        : undefined,
    );
  },
};

const withTests = process.argv.includes("--tests");
const files = (await Promise.all(SOURCES.map(filesIn))).flat();
const programs = withTests ? (await filesIn("test")).filter((file) => /(?<!\.test)\.ts$/.test(file)) : [];
const isServed = (file) => file.startsWith(EXPLORER);
const isCompiled = (file) => extname(file) === ".ts" && !isServed(file);
const out = join(ROOT, `dist.${process.pid}`);
const options = { absWorkingDir: ROOT, format: "esm", logLevel: "error" };

await build({
  ...options,
  entryPoints: [...files.filter(isCompiled), ...programs],
  outdir: out,
  outbase: ".",
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20.19",
  sourcemap: "linked",
  plugins: [apart],
});
await build({
  ...options,
  entryPoints: GATHERED.map((name) => ({ in: name, out: gatheredAs(name) })),
  outdir: out,
  bundle: true,
  splitting: true,
  chunkNames: "packages/[name]-[hash]",
  platform: "node",
  target: "node20.19",
});
await build({
  ...options,
  entryPoints: PAGES.map((page) => join(EXPLORER, page)),
  outdir: join(out, EXPLORER),
  bundle: true,
  external: ["./verifier.js", "./roll-verifier.js"],
  target: "es2022",
  minify: true,
  legalComments: "none",
});
for (const file of files.filter((file) => extname(file) !== ".ts")) {
  await mkdir(dirname(join(out, file)), { recursive: true });
  await cp(join(ROOT, file), join(out, file));
}
// Whoever starts meanwhile finds the old one whole or the new one whole.
await writeFile(join(out, "complete"), "");
if (withTests) await writeFile(join(out, "test", "complete"), "");
await rm(join(ROOT, "dist"), { recursive: true, force: true });
await rename(out, join(ROOT, "dist"));
