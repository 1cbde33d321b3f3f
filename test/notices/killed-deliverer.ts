/** A service that delivers notices until it is killed. */
import { noticesReactor } from "../../src/reactors/notices/deliver.ts";
import { development } from "../alerts/delivery-setup.ts";
import { startService } from "../support/service.ts";
import { DOOMED_SECONDS, turnOf } from "../support/turns.ts";
import { folded } from "./notices-setup.ts";

const { DATABASE, SIGNING_KEY } = process.env as Record<string, string>;

const { app } = await startService({
  database_url: DATABASE!,
  env: { ...development, SIGNING_KEY: SIGNING_KEY! },
});
const { post } = app.webhooks;
// The receiver kills the process that posted.
app.webhooks.post = (message) =>
  post({ ...message, headers: { ...message.headers, "x-process": String(process.pid) } });
const take = noticesReactor.begin();
// One tenure until the lease is lost, as in the service.
for (;;)
  await turnOf(
    app,
    noticesReactor.name,
    async (tick) => {
      for (let isHeld = true; isHeld && !tick.signal.aborted; ) {
        await folded(app);
        isHeld = (await take(tick)) !== "lost";
        await new Promise((wake) => setTimeout(wake, 20));
      }
      return "done";
    },
    { patient: true, seconds: DOOMED_SECONDS },
  );
