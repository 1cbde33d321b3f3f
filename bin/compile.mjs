// Compiles the service once, at `npm install`: what a process or a thread starts with becomes a file at the same place below
// dist, and the modules that they share become chunks of it, with what they read beside it. bin/tallystick runs that, so that
// nothing is compiled at a start, and some hundred files are opened instead of a thousand. With --tests the programs that tests
// start are compiled beside it.
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
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
  "operator.ts",
  "wallet.ts",
];

/** Documents without an address: each script has all that it runs, the verifier too. */
const VIEWS = ["series.ts", "ranking.ts", "map.ts", "report.ts", "proof.ts"];

/** Files below a folder, as paths from the root; packages are left alone, such as the stock clients of test/clients. */
async function filesIn(folder) {
  const entries = await readdir(join(ROOT, folder), { withFileTypes: true });
  const found = entries
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]));
  return (await Promise.all(found)).flat();
}

/** What processes and threads start with, and what bench/verify.ts measures as it is compiled. */
const STARTED = [
  "src/main.ts",
  "src/adapters/execution/child.ts",
  "src/adapters/printing/thread.ts",
  "src/datasets/reference/workbook-thread.ts",
  "eventstore/verify/reading-thread.ts",
  "eventstore/verify/verify-export.ts",
  "src/audit/verify-pack.ts",
  "src/runtime/assemble-audit.ts",
];

/** What most processes load, or of hundreds of modules: a file each in dist/packages, instead of some eight hundred in node_modules. */
const GATHERED = [
  "@apiture/openapi-down-convert",
  "@modelcontextprotocol/node",
  "@modelcontextprotocol/server",
  "@opentelemetry/api",
  "aws4fetch",
  "canonicalize",
  "cli-progress",
  "commander",
  "compression",
  "cors",
  "csv-parse/sync",
  "csv-stringify/sync",
  "double-metaphone",
  "express",
  "fast-xml-parser",
  "fastest-levenshtein",
  "helmet",
  "hyparquet",
  "hyparquet-writer",
  "jose",
  "lru-cache",
  "markdown-it",
  "merkletreejs",
  "ml-matrix",
  "multiformats/bases/base58",
  "negotiator",
  "p-limit",
  "pg",
  "pg-copy-streams",
  "prom-client",
  "raw-body",
  "standardwebhooks",
  "transliteration",
  "viem",
  "viem/accounts",
  "viem/chains",
  "viem/siwe",
  "viem/utils",
  "zod",
];
const gatheredAs = (name) => join("packages", name.replaceAll("/", "-"));

const gathered = {
  name: "gathered",
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
      GATHERED.includes(path) ? { path: `#dist/${gatheredAs(path)}.js`, external: true } : undefined,
    );
    onResolve({ filter: /^#dist\// }, ({ path }) => ({ path, external: true }));
  },
};

/** Whatever chunk a module comes into, `import.meta` names the place that it has of its own: what it reads stands beside that. */
const placed = {
  name: "placed",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const place = JSON.stringify(relative(ROOT, path).replace(/\.ts$/, ".js"));
      const own = text.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, `placeOf(${place}).$1`);
      const isAsked = own !== text;
      return { contents: isAsked ? `import { placeOf } from "#dist/place.js";${own}` : text, loader: "ts" };
    });
  },
};
const PLACE = `import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
export function placeOf(file) {
  const { href } = new URL(file, import.meta.url);
  const filename = fileURLToPath(href);
  return { url: href, filename, dirname: dirname(filename) };
}
`;

const withTests = process.argv.includes("--tests");
const files = (await Promise.all(SOURCES.map(filesIn))).flat();
/** What tests start exports nothing. */
const isProgram = async (file) =>
  /(?<!\.test)\.ts$/.test(file) && !/^export /m.test(await readFile(join(ROOT, file), "utf8"));
async function programsIn(folder) {
  const all = await filesIn(folder);
  const are = await Promise.all(all.map(isProgram));
  return all.filter((_, at) => are[at]);
}
const out = join(ROOT, `dist.${process.pid}`);
const options = { absWorkingDir: ROOT, format: "esm", logLevel: "error" };

const together = (entryPoints, chunks) =>
  build({
    ...options,
    entryPoints,
    outdir: out,
    outbase: ".",
    bundle: true,
    splitting: true,
    chunkNames: `${chunks}/[name]-[hash]`,
    packages: "external",
    platform: "node",
    target: "node20.19",
    sourcemap: "linked",
    plugins: [gathered, placed],
  });

await together(STARTED, "chunks");
if (withTests) await together(await programsIn("test"), "test/chunks");
// Of a CommonJS package Node finds the names, and esbuild does not: each package gets a module that says them.
const entries = join(out, "packages", "entries");
await mkdir(entries, { recursive: true });
const entryOf = (name) => join(entries, `${name.replaceAll("/", "-")}.mjs`);
for (const name of GATHERED) {
  const names = Object.keys(await import(name)).filter((one) => /^\w+$/.test(one) && one !== "__esModule");
  await writeFile(entryOf(name), `export { ${names.join(", ")} } from "${name}";`);
}
await build({
  ...options,
  entryPoints: GATHERED.map((name) => ({ in: entryOf(name), out: gatheredAs(name) })),
  outdir: out,
  bundle: true,
  splitting: true,
  chunkNames: "packages/[name]-[hash]",
  platform: "node",
  target: "node20.19",
  // CommonJS within asks for Node's own modules by `require`.
  banner: {
    js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
  },
  // Without the condition of bundlers: the same files as Node would take.
  conditions: [],
  // It is optional, and not installed.
  external: ["pg-native"],
});
await rm(entries, { recursive: true });
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
await build({
  ...options,
  entryPoints: VIEWS.map((view) => join(EXPLORER, "views", view)),
  outdir: join(out, EXPLORER, "views"),
  bundle: true,
  // The verifier loads it where it runs as a program.
  external: ["node:*"],
  target: "es2022",
  minify: true,
  legalComments: "none",
});
for (const file of files.filter((file) => extname(file) !== ".ts")) {
  await mkdir(dirname(join(out, file)), { recursive: true });
  await cp(join(ROOT, file), join(out, file));
}
await writeFile(join(out, "place.js"), PLACE);
// Whoever starts meanwhile finds the old one whole or the new one whole.
await writeFile(join(out, "complete"), "");
if (withTests) await writeFile(join(out, "test", "complete"), "");
await rm(join(ROOT, "dist"), { recursive: true, force: true });
await rename(out, join(ROOT, "dist"));
