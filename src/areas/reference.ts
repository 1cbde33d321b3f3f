import * as dataset from "../domain/reference/dataset.ts";
import { referenceProjection } from "../projections/reference/releases.ts";
import type { Area } from "./area.ts";

export const reference: Area = {
  name: "reference",
  about: "The small reference tables, and their releases",
  envelope: "success",
  entities: [dataset],
  projections: [referenceProjection],
  reactors: [],
  operations: [],
  problems: {},
};
