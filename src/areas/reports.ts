import { briefOperations } from "../api/operations/reports/briefs.ts";
import { frontRunOperations } from "../api/operations/reports/front-run.ts";
import { questionOperations } from "../api/operations/reports/questions.ts";
import { storedReportOperations } from "../api/operations/reports/stored-report.ts";
import * as frontRun from "../domain/reports/front-run.ts";
import { reportProblems } from "../domain/reports/problems.ts";
import * as report from "../domain/reports/report.ts";
import { frontRunProjection } from "../projections/reports/front-run.ts";
import { storedReportsProjection } from "../projections/reports/stored-reports.ts";
import { frontRunReactor } from "../reactors/reports/watch-front-runs.ts";
import type { Area } from "./area.ts";

export const reports: Area = {
  name: "reports",
  about: "Documents in which every figure can be verified",
  envelope: "success",
  entities: [report, frontRun],
  projections: [storedReportsProjection, frontRunProjection],
  reactors: [frontRunReactor],
  operations: [...briefOperations, ...questionOperations, ...storedReportOperations, ...frontRunOperations],
  problems: reportProblems,
};
