/** The tier of each test file: pure, story or long. Its name and imports decide; no file is marked. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const ROOT = join(import.meta.dirname, "..");

export type Tier = "imports" | "pure" | "stories" | "long";

/** Long files that take a minute or more: a run begins with them. */
export const LONGEST = [
  "documented/guides",
  "datasets/history",
  "projections/equal",
  "signals/track-record",
  "cli/package",
  "cli/cli",
  "explorer/page",
  "trust/eas",
  "reports/reports",
  "datasets/readers-fuzz",
];

/** The packages that open a database, a process, a socket, a browser or a compiler. */
const OPENERS = new Set([
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

/** The repository paths of all test files, except those of the clients' own package. */
export const testFiles = (): string[] =>
  readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .map((path) => `test/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".test.ts") && !path.startsWith("test/clients/"))
    .sort();

/** Returns the tier of a repository path. `read` returns a file's source. */
export function tiers(read = (path: string) => readFileSync(join(ROOT, path), "utf8")) {
  const opens = openers(read);
  return (path: string): Tier => {
    if (path === "test/imports.test.ts") return "imports";
    if (path.endsWith(".long.test.ts")) return "long";
    return opens(path) ? "stories" : "pure";
  };
}

/**
 * True if a test file opens something: it, or an imported file of test/, imports a package that opens, or a source
 * file that does so itself. A source file further away is loaded, but the test can only reach it through such a
 * file.
 */
function openers(read: (path: string) => string): (path: string) => boolean {
  const imported = new Map<string, string[]>();
  const importsOf = (path: string): string[] => {
    if (!path.endsWith(".ts")) return [];
    const cached = imported.get(path);
    if (cached) return cached;
    const paths = specifiersIn(read(path)).map((name) =>
      name.startsWith(".") ? posix.join(posix.dirname(path), name) : name,
    );
    imported.set(path, paths);
    return paths;
  };
  // A source file that reads files does so for a test, which then opens a folder.
  const isOpener = (name: string) => OPENERS.has(name) && name !== "node:fs/promises";
  const opens = (path: string, seen: Set<string>): boolean =>
    importsOf(path).some((name) => OPENERS.has(name)) ||
    importsOf(path).some((next) => {
      if (seen.has(next)) return false;
      seen.add(next);
      return next.startsWith("test/") ? opens(next, seen) : importsOf(next).some(isOpener);
    });
  return (path) => opens(path, new Set([path]));
}

const IMPORT = /^import\s(?!type\s)([^;"]*?)\bfrom\s+"([^"]+)"/gm;
const CALLED = /\bawait import\("([^."][^"]*)"\)/g;
const TYPES_ONLY = /^\{(\s*type\s[^,}]+,?)+\s*\}\s*$/;
/** The first line after the imports: a later match is in a string. */
const BODY = /^(?!import\b)[a-z@]/m;

/**
 * The modules that a file imports at run time: types are erased, and reading a file opens nothing that a test could
 * wait for.
 */
function specifiersIn(text: string): string[] {
  const head = text.slice(0, BODY.exec(text)?.index);
  const declared = [...head.matchAll(IMPORT)]
    .filter(([, names = ""]) => !TYPES_ONLY.test(names) && names.trim() !== "{ readFile }")
    .map(([, , from]) => from!);
  return [...declared, ...[...text.matchAll(CALLED)].map(([, called]) => called!)];
}
