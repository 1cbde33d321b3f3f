import * as key from "../domain/access/key.ts";
import { keysProjection } from "../projections/access/keys.ts";
import type { Area } from "./area.ts";

export const access: Area = {
  name: "access",
  about: "API keys and their quotas",
  envelope: "success",
  entities: [key],
  projections: [keysProjection],
  reactors: [],
  operations: [],
  problems: {},
};
