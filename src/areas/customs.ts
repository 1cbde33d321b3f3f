import { customsOperations } from "../api/operations/customs/customs.ts";
import type { Area } from "./area.ts";

export const customs: Area = {
  name: "customs",
  about: "Latvia's customs: trade at KN8, the nomenclature, import duties",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations: customsOperations,
  problems: {},
};
