import { discoveryOperations } from "../api/operations/fusion/discovery.ts";
import { fusionOperations } from "../api/operations/fusion/fusion.ts";
import { queryOperations } from "../api/operations/fusion/query.ts";
import { sanctionsOperations } from "../api/operations/fusion/sanctions.ts";
import { deepAnalysisOperations } from "../api/operations/reports/questions.ts";
import { questionProblems } from "../domain/questions/problems.ts";
import type { Area } from "./area.ts";

export const fusion: Area = {
  name: "fusion",
  about: "Several sources and methods put to one question: markets, countries, sanctioned names",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations: [
    ...discoveryOperations,
    ...fusionOperations,
    ...queryOperations,
    ...deepAnalysisOperations,
    ...sanctionsOperations,
  ],
  problems: questionProblems,
};
