/**
 * A service that kills itself, like kill -9, at a commit of the evaluation: the first, or the one after a given
 * number.
 */

import { currentReferences } from "../../src/projections/reference/releases.ts";
import { signalsReactor } from "../../src/reactors/signals/evaluate.ts";
import { aroundCommits } from "../support/around-commits.ts";
import { startService } from "../support/service.ts";
import { turnsUntilKilled } from "../support/turns.ts";
import { until } from "../support/until.ts";

const { DATABASE, DATA, AFTER = "0" } = process.env as Record<string, string>;

const { app } = await startService({ beside: { database_url: DATABASE!, data_dir: DATA! } });
await until(() => app.data.vintages.open().length > 0);
const tables = (await currentReferences(app.pool)).length;
await until(() => app.data.reference.open().length >= tables);
let left = Number(AFTER);
aroundCommits(app.store, async ({ meta }, send) => {
  if (meta?.operation !== "signals.evaluate" || left-- > 0) return send();
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
});
await turnsUntilKilled(app, signalsReactor);
