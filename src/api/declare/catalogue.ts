import { problemRegistry } from "../../core/model/problem.ts";
import type { Catalogue, OfferedArea, Operation, OperationDeclaration, Path } from "./operation.ts";
import { methodOf, pathOf } from "./operation-facts.ts";

/** Older clients call these paths with the prefix /api. */
const WITH_PREFIX = ["/v1/agent/", "/soul/"];

const aliasesOf = ({ aliases = [], ...declared }: OperationDeclaration): Path[] => {
  const prefixed = [pathOf(declared), ...aliases]
    .filter((path) => WITH_PREFIX.some((start) => path.startsWith(start)))
    .map((path): Path => `/api${path}`);
  return [...new Set([...prefixed, ...aliases])];
};

/** Throws on a duplicate operation name, route or problem slug. */
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
  return {
    areas: areas.filter(({ operations }) => operations.length > 0),
    operations,
    problems: problemRegistry(areas),
  };
}

/** Routes without the names of their parameters, so that equal routes compare equal. */
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
