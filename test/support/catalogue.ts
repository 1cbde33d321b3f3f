/** The catalogue as the service has it, and operations of a test's own beside it. */
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import type { Operation, OperationDeclaration } from "../../src/api/declare/operation.ts";
import type { Area } from "../../src/areas/area.ts";
import { areas } from "../../src/areas/index.ts";

export const catalogue: readonly Operation[] = catalogueOf(areas).operations;

/** An area that has operations alone. */
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

/** An operation in its place, as a service would offer it. */
export const offered = (operation: OperationDeclaration): Operation =>
  catalogueOf([areaOf([operation])]).operations[0]!;

/** All areas with their entities, read models and reactors, and these operations alone. */
export const areasOffering = (operations: readonly OperationDeclaration[]): Area[] => [
  ...areas.map((area) => ({ ...area, operations: [] })),
  areaOf(operations),
];
