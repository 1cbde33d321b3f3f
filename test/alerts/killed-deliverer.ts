/** A service that kills itself, like kill -9, after a webhook has taken an alert and before that is recorded. */
import { deliveriesReactor } from "../../src/reactors/alerts/deliver.ts";
import { startService } from "../support/service.ts";
import { turnsUntilKilled } from "../support/turns.ts";
import { development, folded } from "./delivery-setup.ts";

const { DATABASE, SIGNING_KEY } = process.env as Record<string, string>;

const { app } = await startService({
  database_url: DATABASE!,
  env: { ...development, SIGNING_KEY: SIGNING_KEY! },
});
const { post } = app.webhooks;
app.webhooks.post = async (message) => {
  await post(message);
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
};
await folded(app);
await turnsUntilKilled(app, deliveriesReactor);
