import { rowsReactor } from "../anchoring/check-rows.ts";
import { anchoringReactor, cosigningReactor, signingReactor } from "../anchoring/reactors.ts";
import { sealingReactor } from "../anchoring/seal-segments.ts";
import { logGauges } from "../api/describe/gauges/log.ts";
import { logOperations } from "../api/operations/log/tree.ts";
import * as anchor from "../domain/anchoring/anchor.ts";
import { logProblems } from "../domain/anchoring/problems.ts";
import * as segments from "../domain/log/segments.ts";
import { headsProjection } from "../projections/anchoring/heads.ts";
import { segmentsProjection } from "../projections/anchoring/segments.ts";
import { streamsProjection } from "../projections/anchoring/streams.ts";
import { objectsReactor } from "../reactors/log/delete-objects.ts";
import { snapshotReactor } from "../reactors/log/snapshot-streams.ts";
import { followReactor } from "../reactors/outside/follow.ts";
import type { Area } from "./area.ts";

export const log: Area = {
  name: "log",
  about: "The event log for auditors: checkpoints, tiles, proofs and anchors",
  envelope: "none",
  entities: [anchor, segments],
  projections: [headsProjection, streamsProjection, segmentsProjection],
  reactors: [
    signingReactor(),
    anchoringReactor(),
    cosigningReactor(),
    sealingReactor(),
    rowsReactor,
    snapshotReactor,
    objectsReactor,
    followReactor,
  ],
  operations: logOperations,
  problems: logProblems,
  gauges: logGauges,
};
