/** Seals the log's segments, and ends itself like kill -9 at the step named by DIES_AT. */
import { sealingReactor } from "../../src/anchoring/seal-segments.ts";
import { openDoomed } from "../support/doomed.ts";
import { turnsUntilKilled } from "../support/turns.ts";

const app = await openDoomed({
  before: { LogSegmentSealed: "before it is recorded" },
  after: { LogSegmentSealed: "after it is recorded" },
});
const { objects } = app;
const { putFile } = objects;
objects.putFile = async (name, path) => {
  if (process.env.DIES_AT === "before it is put") process.kill(process.pid, "SIGKILL");
  await putFile(name, path);
};
await turnsUntilKilled(app, sealingReactor({ events: Number(process.env.SEGMENT_EVENTS) }));
