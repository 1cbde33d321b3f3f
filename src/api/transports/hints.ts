import { distance } from "fastest-levenshtein";
import type { Method, Operation, Path, Route } from "../declare/operation.ts";
import { methodOf, pathOf } from "../declare/operation-facts.ts";

export type Hint = (method: string, path: string) => string | undefined;

type KnownRoute = { method: Method; path: Path; parts: string[]; route: Route };

const MOST_PATH = 200;
const MOST_WRONG = 3;

export function hintsOf(operations: readonly Operation[]): Hint {
  const known: KnownRoute[] = operations.flatMap((operation) =>
    [pathOf(operation), ...operation.aliases].map((path) => ({
      method: methodOf(operation),
      path,
      parts: path.split("/"),
      route: `${methodOf(operation)} ${path}` as const,
    })),
  );
  return (method, path) => {
    if (path.length > MOST_PATH) return undefined;
    const parts = path.replace(/\/+$/, "").split("/");
    return endsTooSoon(known, method, parts) ?? otherMethods(known, parts) ?? slip(known, method, parts);
  };
}

const isParameter = (part: string) => part.startsWith("{");

/** A hint if the path lacks only its last parameters; otherwise undefined. */
function endsTooSoon(known: KnownRoute[], method: string, parts: string[]): string | undefined {
  const found = known.find((one) => {
    const rest = one.parts.slice(parts.length);
    return one.method === method && rest.length > 0 && rest.every(isParameter) && isAt(one, parts);
  });
  return found && `it needs /${found.parts.slice(parts.length).join("/")}: ${found.route}`;
}

const isAt = (one: KnownRoute, parts: string[]) => parts.every((part, at) => one.parts[at] === part);

function otherMethods(known: KnownRoute[], parts: string[]): string | undefined {
  const routes = known
    .filter((one) => one.parts.length === parts.length && isAt(one, parts))
    .map(({ route }) => route);
  return routes.length > 0 ? `call ${routes.join(" or ")}` : undefined;
}

function slip(known: KnownRoute[], method: string, parts: string[]): string | undefined {
  const near = known
    .map((one) => ({ one, wrong: wrongIn(one, parts), other: one.method === method ? 0 : 1 }))
    .filter(({ wrong }) => wrong <= MOST_WRONG)
    .toSorted((a, b) => a.wrong - b.wrong || a.other - b.other)[0];
  const last = parts.at(-1)!;
  const alike = known.filter(({ parts }) => parts.at(-1) === last && !parts[1]!.startsWith("api"));
  const meant = near?.one ?? (alike.length === 1 ? alike[0] : undefined);
  return meant && `did you mean ${meant.route}?`;
}

function wrongIn({ parts }: KnownRoute, names: string[]): number {
  if (parts.length !== names.length) return Number.POSITIVE_INFINITY;
  return parts.reduce((sum, part, at) => sum + (isParameter(part) ? 0 : distance(part, names[at]!)), 0);
}
