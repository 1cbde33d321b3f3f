/** The service's catalogue, and a test's own operations. */
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import type { Operation, OperationDeclaration } from "../../src/api/declare/operation.ts";
import type { Area } from "../../src/areas/area.ts";
import { areas } from "../../src/areas/index.ts";

export const catalogue: readonly Operation[] = catalogueOf(areas).operations;

/** An area that has only operations. */
export const areaOf = (operations: readonly OperationDeclaration[]): Area => ({
  name: "test",
  about: "Operations of a test",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations,
  problems: {},
});

/** An operation as a service offers it. */
export const offered = (operation: OperationDeclaration): Operation =>
  catalogueOf([areaOf([operation])]).operations[0]!;

/** All areas with their entities, read models and reactors, but only these operations. */
export const areasOffering = (operations: readonly OperationDeclaration[]): Area[] => [
  ...areas.map((area) => ({ ...area, operations: [] })),
  areaOf(operations),
];
