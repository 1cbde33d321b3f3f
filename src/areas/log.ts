import { logOperations } from "../api/operations/log/tree.ts";
import * as anchor from "../domain/anchoring/anchor.ts";
import { logProblems } from "../domain/anchoring/problems.ts";
import { anchorGasProjection } from "../projections/anchoring/gas.ts";
import { logProjection } from "../projections/anchoring/log.ts";
import type { Area } from "./area.ts";

export const log: Area = {
  name: "log",
  about: "The event log for auditors: checkpoints, tiles, proofs and anchors",
  envelope: "none",
  entities: [anchor],
  projections: [logProjection, anchorGasProjection],
  operations: logOperations,
  problems: logProblems,
};
