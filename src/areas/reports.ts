import { briefOperations } from "../api/operations/reports/briefs.ts";
import { keptOperations } from "../api/operations/reports/kept.ts";
import { questionOperations } from "../api/operations/reports/questions.ts";
import { reportProblems } from "../domain/reports/problems.ts";
import * as report from "../domain/reports/report.ts";
import { keptReportsProjection } from "../projections/reports/kept.ts";
import type { Area } from "./area.ts";

export const reports: Area = {
  name: "reports",
  about: "Documents in which every figure can be asked again",
  envelope: "success",
  entities: [report],
  projections: [keptReportsProjection],
  reactors: [],
  operations: [...briefOperations, ...questionOperations, ...keptOperations],
  problems: reportProblems,
};
