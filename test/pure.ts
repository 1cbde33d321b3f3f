/** Which test files are pure: nothing that they import, however far, reaches a database, a process, a socket, a browser or a compiler. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseAst } from "vite";
import { importOf, type Node, visit } from "./import-rules.ts";

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

/** Says of repository paths whether they are pure; each file is read once. Types count for nothing: they are gone when it runs. */
export function purity(read = (path: string) => readFileSync(join(ROOT, path), "utf8")) {
  const imported = new Map<string, string[]>();
  const importsOf = (path: string): string[] => {
    const known = imported.get(path);
    if (known || !path.endsWith(".ts")) return known ?? [];
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
    return paths;
  };
  const reached = (path: string, seen: Set<string>): Set<string> => {
    for (const next of importsOf(path)) if (!seen.has(next)) reached(next, seen.add(next));
    return seen;
  };
  return (path: string): boolean => ![...reached(path, new Set())].some((name) => WORLDLY.has(name));
}
