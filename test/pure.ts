/** Which test files are pure: nothing that they import, however far, reaches a database, a process, a socket, a browser or a compiler. */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseAst } from "vite";
import { importOf, type Node, visit } from "./import-violations.ts";

const ROOT = join(import.meta.dirname, "..");

/** The packages by which a test reaches the world, or waits for another program's work. */
const WORLDLY = new Set([
  "@duckdb/node-api",
  "express",
  "node:child_process",
  "node:fs/promises",
  "node:http",
  "node:net",
  "node:worker_threads",
  "pg",
  "playwright-core",
  "solc",
]);

/** The repository paths of all test files, those of the clients' own package apart. */
export const testFiles = (): string[] =>
  readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .map((path) => `test/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".test.ts") && !path.startsWith("test/clients/"))
    .sort();

type Kept = { of(path: string): string[] | undefined; keep(path: string, imports: string[]): void };

/** Says of repository paths whether they are pure; each file is read once. Types count for nothing: they are gone when it runs. */
export function purity(read = (path: string) => readFileSync(join(ROOT, path), "utf8"), kept?: Kept) {
  const imported = new Map<string, string[]>();
  const importsOf = (path: string): string[] => {
    if (!path.endsWith(".ts")) return [];
    const known = imported.get(path) ?? kept?.of(path);
    if (known) return known;
    const found: string[] = [];
    const take = (node: Node) => {
      const wanted = importOf(node);
      if (wanted && !wanted.types) found.push(wanted.specifier);
    };
    const text = read(path);
    const { body } = parseAst(text, { lang: "ts" }) as unknown as { body: Node[] };
    // Only an import that is called stands deeper than the statements, and walking all of them is most of the work.
    if (text.includes("import(")) for (const node of body) visit(node, take);
    else body.forEach(take);
    const paths = found.map((name) => (name.startsWith(".") ? posix.join(posix.dirname(path), name) : name));
    imported.set(path, paths);
    kept?.keep(path, paths);
    return paths;
  };
  const reached = (path: string, seen: Set<string>): Set<string> => {
    for (const next of importsOf(path)) if (!seen.has(next)) reached(next, seen.add(next));
    return seen;
  };
  return (path: string): boolean => ![...reached(path, new Set())].some((name) => WORLDLY.has(name));
}

/** What files import, from one run to the next: reading all of them anew takes as long as many a test. */
export function keptImports(file = join(ROOT, "node_modules/.cache/tallystick/imports.json")) {
  const stamp = (path: string) => {
    const { mtimeMs, size } = statSync(join(ROOT, path));
    return `${mtimeMs} ${size}`;
  };
  const before = readKept(file);
  const now: Record<string, { stamp: string; imports: string[] }> = {};
  return {
    of(path: string) {
      const known = before[path];
      if (known?.stamp !== stamp(path)) return undefined;
      now[path] = known;
      return known.imports;
    },
    keep(path: string, imports: string[]) {
      now[path] = { stamp: stamp(path), imports };
    },
    /** In one step, since several runs may keep theirs at once. */
    save() {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.${process.pid}`, JSON.stringify(now));
      renameSync(`${file}.${process.pid}`, file);
    },
  };
}

function readKept(file: string): Record<string, { stamp: string; imports: string[] }> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}
