import { ideaOperations } from "../api/operations/evolution/ideas.ts";
import * as idea from "../domain/evolution/idea.ts";
import { ideasProjection } from "../projections/evolution/ideas.ts";
import type { Area } from "./area.ts";

export const evolution: Area = {
  name: "evolution",
  about: "Improvements of this service that others propose: checked as texts, never run",
  envelope: "success",
  entities: [idea],
  projections: [ideasProjection],
  reactors: [],
  operations: ideaOperations,
  problems: {},
};
