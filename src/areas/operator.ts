import { operatorOperations } from "../api/operations/operator/overview.ts";
import type { Area } from "./area.ts";

export const operator: Area = {
  name: "operator",
  about: "The service as its operator sees it",
  envelope: "none",
  entities: [],
  projections: [],
  reactors: [],
  operations: operatorOperations,
  problems: {},
};
