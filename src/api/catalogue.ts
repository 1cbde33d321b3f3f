/** Everything the service offers, area by area: what the server and all documents derive from. */
import { type ProblemType, problemRegistry } from "../domain/problem.ts";
import type { Envelope, Operation, OperationDeclaration } from "./operation.ts";

/** What the API knows of an area. */
export type OfferedArea = {
  /** One lower-case word: the tag in OpenAPI and the name in `?areas=`. */
  name: string;
  /** What it is for, in a line. */
  about: string;
  envelope: Envelope;
  operations: readonly OperationDeclaration[];
  /** The kinds of problems that are its own; their file in src/domain declares them. */
  problems: Readonly<Record<string, ProblemType>>;
};

/** Areas that offer something, all their operations in order, and every kind of problem that a call may end in. */
export type Catalogue = {
  areas: readonly OfferedArea[];
  operations: readonly Operation[];
  problems: readonly ProblemType[];
};

/** Throws where two operations share a name or a route, or two kinds of problems a slug. */
export function catalogueOf(areas: readonly OfferedArea[]): Catalogue {
  const operations = areas.flatMap(({ name, envelope, operations }) =>
    operations.map((declared) => ({ envelope, ...declared, area: name })),
  );
  for (const field of ["name", "route"] as const) {
    const seen = new Set<string>();
    for (const operation of operations) {
      if (seen.has(operation[field])) throw new Error(`two operations have the ${field} ${operation[field]}`);
      seen.add(operation[field]);
    }
  }
  return {
    areas: areas.filter(({ operations }) => operations.length > 0),
    operations,
    problems: problemRegistry(areas),
  };
}
