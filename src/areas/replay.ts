import { snapshotOperations } from "../api/operations/replay/snapshots.ts";
import { replayOperations } from "../api/operations/replay/wal-since.ts";
import { replayProblems } from "../domain/replay/problems.ts";
import type { Area } from "./area.ts";

export const replay: Area = {
  name: "replay",
  about: "The change feed and dated snapshots",
  envelope: "success",
  entities: [],
  projections: [],
  reactors: [],
  operations: [...replayOperations, ...snapshotOperations],
  problems: replayProblems,
};
