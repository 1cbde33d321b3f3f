import { subjectOperations } from "../api/operations/subjects/erase.ts";
import * as subject from "../domain/subjects/subject.ts";
import { erasuresProjection } from "../projections/subjects/erasures.ts";
import { sealedProjection } from "../projections/subjects/sealed.ts";
import { erasuresReactor } from "../reactors/subjects/erase.ts";
import type { Area } from "./area.ts";

export const subjects: Area = {
  name: "subjects",
  about: "Personal data in the log: sealed for whom it is about, and erased with the key",
  envelope: "success",
  entities: [subject],
  projections: [sealedProjection, erasuresProjection],
  reactors: [erasuresReactor],
  operations: subjectOperations,
  problems: {},
};
