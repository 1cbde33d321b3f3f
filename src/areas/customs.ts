import { customsOperations } from "../api/operations/customs/customs.ts";
import * as duties from "../domain/customs/duty-changes.ts";
import * as comparison from "../domain/customs/duty-comparison.ts";
import { dutiesReactor } from "../reactors/customs/compare-duties.ts";
import type { Area } from "./area.ts";

export const customs: Area = {
  name: "customs",
  about: "Latvia's customs: trade at KN8, the nomenclature, import duties",
  envelope: "success",
  entities: [duties, comparison],
  projections: [],
  reactors: [dutiesReactor],
  operations: customsOperations,
  problems: {},
};
