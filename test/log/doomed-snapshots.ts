/** Runs a tick of storing snapshots, and ends itself like kill -9 at the step named by DIES_AT. */
import { areas } from "../../src/areas/index.ts";
import { snapshotReactor } from "../../src/reactors/log/snapshot-streams.ts";
import { openRuntime } from "../../src/runtime/assemble.ts";
import { silent } from "../support/doomed.ts";
import { patientConfig } from "../support/patience.ts";
import { DOOMED_SECONDS, turn } from "../support/turns.ts";
import { pilesArea } from "./piles.ts";

const { DIES_AT, ...env } = process.env;
const runtime = await openRuntime(patientConfig(env), silent, { chain: false, areas: [...areas, pilesArea] });
const snapshots = runtime.app.unit.snapshots!;
const { keep } = snapshots;
snapshots.keep = async (tx, ...given) => {
  if (DIES_AT === "before") process.kill(process.pid, "SIGKILL");
  await keep.call(snapshots, tx, ...given);
  if (DIES_AT === "within") process.kill(process.pid, "SIGKILL");
};
await turn(runtime.app, snapshotReactor, { seconds: DOOMED_SECONDS, patient: true });
process.kill(process.pid, "SIGKILL");
