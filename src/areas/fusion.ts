import { fusionOperations } from "../api/operations/fusion/fusion.ts";
import type { Area } from "./area.ts";

export const fusion: Area = {
  name: "fusion",
  about: "Several sources and methods put to one question: markets, countries",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations: fusionOperations,
  problems: {},
};
