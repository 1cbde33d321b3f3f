/** A worker of skills that ends itself, as kill -9 would, around the append of an event: DIES_AT, such as "after SkillStepDone". */
import { openCurrent } from "../../src/operator/keep-open.ts";
import { executionsProjection } from "../../src/projections/skills/executions.ts";
import { skillsReactor } from "../../src/reactors/skills/run.ts";
import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { startService } from "../support/service.ts";
import { DOOMED_SECONDS, turn } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { refusingRun } from "./refusing-run.ts";

const { DATABASE, DATA, VAULT, DIES_AT } = process.env as Record<string, string>;

const { app } = await startService({
  beside: { database_url: DATABASE!, data_dir: DATA! },
  vault: VAULT!,
});
aroundCommits(app.store, async (commit, send) => {
  const types = typesOf(commit);
  const dieAt = (when: string) => {
    if (types.some((type) => DIES_AT === `${when} ${type}`)) process.kill(process.pid, "SIGKILL");
  };
  dieAt("before");
  const answer = await send();
  dieAt("after");
  return answer;
});
await openCurrent(app, (_, error) => {
  throw error;
});
const reactor = skillsReactor(refusingRun);
await until(async () => {
  await app.caughtUp(executionsProjection, { wait_ms: 10_000 });
  // Its lease among processes is short, so that the test need not wait for it.
  await turn(app, reactor, { patient: true, seconds: DOOMED_SECONDS });
  return false;
});
