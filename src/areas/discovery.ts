import { discoveryOperations } from "../api/operations/discovery/discovery.ts";
import { findOperations } from "../api/operations/discovery/find.ts";
import { resourceOperations } from "../api/operations/discovery/resources.ts";
import type { Area } from "./area.ts";

export const discovery: Area = {
  name: "discovery",
  about: "Health, feeds and the lists that an agent reads before its first call",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations: [...discoveryOperations, ...findOperations, ...resourceOperations],
  problems: {},
};
