/** Everything the service offers, area by area: what the server and all documents derive from. */
import {
  type Envelope,
  methodOf,
  type Operation,
  type OperationDeclaration,
  type Path,
  pathOf,
} from "./operation.ts";

/** What the API knows of an area. */
export type OfferedArea = {
  /** One lower-case word: the tag in OpenAPI and the name in `?areas=`. */
  name: string;
  /** What it is for, in a line. */
  about: string;
  envelope: Envelope;
  operations: readonly OperationDeclaration[];
};

/** Areas that offer something, and all their operations in order. */
export type Catalogue = { areas: readonly OfferedArea[]; operations: readonly Operation[] };

/** Paths that older clients write with /api before them. */
const WITH_PREFIX = ["/v1/agent/", "/soul/"];

const aliasesOf = ({ aliases = [], ...declared }: OperationDeclaration): Path[] => {
  const path = pathOf(declared);
  const prefixed = WITH_PREFIX.some((start) => path.startsWith(start)) ? [`/api${path}` as const] : [];
  return [...new Set([...prefixed, ...aliases])];
};

/** Throws where two operations share a name, or any route at which they are served. */
export function catalogueOf(areas: readonly OfferedArea[]): Catalogue {
  const operations = areas.flatMap(({ name, envelope, operations }) =>
    operations.map((declared) => ({
      envelope,
      redirects: [],
      ...declared,
      aliases: aliasesOf(declared),
      area: name,
    })),
  );
  refuseTwice(
    "name",
    operations.map(({ name }) => name),
  );
  refuseTwice("route", operations.flatMap(routesOf));
  return { areas: areas.filter(({ operations }) => operations.length > 0), operations };
}

/** Every route at which something of an operation is answered, its parameters without their names. */
const routesOf = (operation: Operation): string[] =>
  [
    operation.route,
    ...operation.aliases.map((path) => `${methodOf(operation)} ${path}`),
    ...operation.redirects,
  ].map((route) => route.replaceAll(/\{(\+?)\w+\}/g, "{$1}"));

function refuseTwice(field: string, values: readonly string[]): void {
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) throw new Error(`two operations have the ${field} ${value}`);
    seen.add(value);
  }
}
