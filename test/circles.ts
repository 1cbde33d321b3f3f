/** Finds source files that import each other in a circle. */
import { posix } from "node:path";
import { importsOf } from "./import-violations.ts";

/** The given files that this one imports, types included. */
function importedBy(path: string, source: string, known: ReadonlySet<string>): string[] {
  const names = importsOf(source).flatMap(({ specifier }) =>
    specifier.startsWith(".") ? [posix.join(posix.dirname(path), specifier)] : [],
  );
  return [...new Set(names)].filter((name) => known.has(name));
}

/** Each circle as the sorted list of its files: the strongly connected components (Tarjan, 1972) of more than one. */
export function circlesAmong(paths: readonly string[], read: (path: string) => string): string[][] {
  const known = new Set(paths);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const walk = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.get(path)!);
    open.push(path);
    for (const next of importedBy(path, read(path), known)) {
      if (!order.has(next)) walk(next);
      if (open.includes(next)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(next)!));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const path of paths) if (!order.has(path)) walk(path);
  return circles;
}
