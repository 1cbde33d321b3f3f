import { anchoringReactor, cosigningReactor, signingReactor } from "../anchoring/reactors.ts";
import { logGauges } from "../api/gauges/log.ts";
import { logOperations } from "../api/operations/log/tree.ts";
import * as anchor from "../domain/anchoring/anchor.ts";
import { logProblems } from "../domain/anchoring/problems.ts";
import { headsProjection } from "../projections/anchoring/heads.ts";
import { streamsProjection } from "../projections/anchoring/streams.ts";
import { objectsReactor } from "../reactors/log/delete-objects.ts";
import { snapshotReactor } from "../reactors/log/snapshot-streams.ts";
import { followReactor } from "../reactors/outside/follow.ts";
import type { Area } from "./area.ts";

export const log: Area = {
  name: "log",
  about: "The event log for auditors: checkpoints, tiles, proofs and anchors",
  envelope: "none",
  entities: [anchor],
  projections: [headsProjection, streamsProjection],
  reactors: [
    signingReactor(),
    anchoringReactor(),
    cosigningReactor(),
    snapshotReactor,
    objectsReactor,
    followReactor,
  ],
  operations: logOperations,
  problems: logProblems,
  gauges: logGauges,
};
