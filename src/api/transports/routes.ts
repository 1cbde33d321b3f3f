/** Finds a route segment by segment, so that the cost does not depend on the number of routes. */
import type { Fields } from "../declare/input.ts";
import type { Method, Path } from "../declare/operation.ts";

export type Entry<Target> = { method: Method; path: Path; target: Target };

export type RouteMatch<Target> = { target: Target; params: Fields } | { allowed: Method[] };

/** Throws URIError on invalid percent-encoding. */
export type RouteTable<Target> = (method: string, path: string) => RouteMatch<Target> | undefined;

type RouteNode<Target> = {
  written: Map<string, RouteNode<Target>>;
  parameter?: RouteNode<Target>;
  ends: RouteEnds<Target>;
  rest: RouteEnds<Target>;
};
type RouteEnds<Target> = Map<Method, RouteEnd<Target>>;
type RouteEnd<Target> = { target: Target; parameters: Parameter[] };
type Parameter = { name: string; at: number; is_rest: boolean };

/**
 * A literal segment precedes a parameter, which precedes a rest parameter. Case and a final slash are ignored; HEAD
 * is treated as GET. Throws on duplicate routes.
 */
export function routeTable<Target>(entries: Iterable<Entry<Target>>): RouteTable<Target> {
  const root = nowhere<Target>();
  for (const entry of entries) add(root, entry);
  return (method, path) => {
    const wanted = (method === "HEAD" ? "GET" : method) as Method;
    const query: RouteQuery = { method: wanted, parts: partsOf(path), allowed: new Set() };
    const end = find(root, 0, query);
    if (end) return { target: end.target, params: paramsOf(end, path) };
    return query.allowed.size > 0 ? { allowed: [...query.allowed] } : undefined;
  };
}

function partsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1, parts.at(-1) === "" ? -1 : undefined);
}

const nowhere = <Target>(): RouteNode<Target> => ({ written: new Map(), ends: new Map(), rest: new Map() });

function add<Target>(root: RouteNode<Target>, { method, path, target }: Entry<Target>): void {
  const parameters: Parameter[] = [];
  let node = root;
  let ends: RouteEnds<Target> | undefined;
  for (const [at, part] of partsOf(path).entries()) {
    const [, plus, name] = /^\{(\+?)(\w+)\}$/.exec(part) ?? [];
    if (name !== undefined) parameters.push({ name, at, is_rest: plus === "+" });
    if (plus === "+") ends = node.rest;
    else if (name !== undefined) node = node.parameter ??= nowhere();
    else node = writtenAt(node, part.toLowerCase());
  }
  ends ??= node.ends;
  if (ends.has(method)) throw new Error(`two routes are ${method} ${path}`);
  ends.set(method, { target, parameters });
}

function writtenAt<Target>({ written }: RouteNode<Target>, part: string): RouteNode<Target> {
  const next = written.get(part) ?? nowhere<Target>();
  written.set(part, next);
  return next;
}

type RouteQuery = { method: Method; parts: string[]; allowed: Set<Method> };

/** Finds the route. Collects the other methods of the path in `allowed`. */
function find<Target>(node: RouteNode<Target>, at: number, query: RouteQuery): RouteEnd<Target> | undefined {
  const part = query.parts[at];
  if (part === undefined) return taken(node.ends, query);
  const written = node.written.get(part.toLowerCase());
  return (
    (written && find(written, at + 1, query)) ??
    (node.parameter && part !== "" ? find(node.parameter, at + 1, query) : undefined) ??
    taken(node.rest, query)
  );
}

function taken<Target>(
  ends: RouteEnds<Target>,
  { method, allowed }: RouteQuery,
): RouteEnd<Target> | undefined {
  const end = ends.get(method);
  if (!end) for (const other of ends.keys()) allowed.add(other);
  return end;
}

/** A rest parameter includes the final slash of the path. */
function paramsOf({ parameters }: RouteEnd<unknown>, path: string): Fields {
  const parts = path.split("/").slice(1);
  return Object.fromEntries(
    parameters.map(({ name, at, is_rest }) => [
      name,
      decodeURIComponent(is_rest ? parts.slice(at).join("/") : parts[at]!),
    ]),
  );
}
