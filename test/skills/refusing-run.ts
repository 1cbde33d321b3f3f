/** The service's own runs, but those of one skill are refused: no task that was understood fails by itself. */
import { runFor } from "../../src/api/operations/skills/run-skill.ts";
import { refuseWith } from "../../src/core/model/refusal.ts";
import type { RunSteps } from "../../src/reactors/skills/run.ts";

export const REFUSED_SKILL = "sniper";

export const refusingRun: RunSteps = async (run) =>
  run.facts.agent === REFUSED_SKILL ? refuseWith("task", "there are no such data") : runFor(run);
