/** A service that ends itself, as kill -9 would, when a release is evaluated and its commit is due. */
import { signalsReactor } from "../../src/reactors/signals/evaluate.ts";
import { startService } from "../support/service.ts";
import { turnsUntilKilled } from "../support/turns.ts";
import { until } from "../support/until.ts";

const { DATABASE, DATA } = process.env as Record<string, string>;

const { app } = await startService({ beside: { database_url: DATABASE!, data_dir: DATA! } });
await until(() => app.vintages.open().length > 0);
app.commit = () => {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
};
await turnsUntilKilled(app, signalsReactor);
