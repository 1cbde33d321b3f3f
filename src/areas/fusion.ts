import { fusionOperations } from "../api/operations/fusion/fusion.ts";
import { sanctionsOperations } from "../api/operations/fusion/sanctions.ts";
import type { Area } from "./area.ts";

export const fusion: Area = {
  name: "fusion",
  about: "Several sources and methods put to one question: markets, countries, sanctioned names",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations: [...fusionOperations, ...sanctionsOperations],
  problems: {},
};
