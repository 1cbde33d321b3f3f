import { catalogOperations } from "../api/operations/skills/catalog.ts";
import { executionOperations } from "../api/operations/skills/executions.ts";
import { runOperations } from "../api/operations/skills/run.ts";
import { runFor } from "../api/operations/skills/run-skill.ts";
import * as execution from "../domain/skills/execution.ts";
import { skillProblems } from "../domain/skills/problems.ts";
import { executionsProjection } from "../projections/skills/executions.ts";
import { skillsReactor } from "../reactors/skills/run.ts";
import type { Area } from "./area.ts";

export const skills: Area = {
  name: "skills",
  about: "Skills: a task in words, done by a plan over several operations, as one report",
  envelope: "success",
  entities: [execution],
  projections: [executionsProjection],
  reactors: [skillsReactor(runFor)],
  operations: [...catalogOperations, ...runOperations, ...executionOperations],
  problems: skillProblems,
};
