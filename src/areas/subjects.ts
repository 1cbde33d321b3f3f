import { subjectOperations } from "../api/operations/subjects/erase.ts";
import * as subject from "../core/model/subject.ts";
import * as recall from "../core/model/unused-keys.ts";
import { erasuresProjection } from "../projections/subjects/erasures.ts";
import { sealedProjection } from "../projections/subjects/sealed.ts";
import { erasuresReactor } from "../reactors/subjects/erase.ts";
import { recallReactor } from "../reactors/subjects/recall.ts";
import type { Area } from "./area.ts";

export const subjects: Area = {
  name: "subjects",
  about: "Personal data in the log: sealed for its subject, and erased with the key",
  envelope: "success",
  entities: [subject, recall],
  projections: [sealedProjection, erasuresProjection],
  reactors: [erasuresReactor, recallReactor],
  operations: subjectOperations,
  problems: {},
};
