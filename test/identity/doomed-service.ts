/**
 * A second service process that kills itself (as kill -9) after it appends an event of type DIES_AFTER and before it
 * answers.
 */

import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { startService } from "../support/service.ts";
import { PROXIED } from "./agents.ts";

const { DIES_AFTER, DATABASE, DATA_DIR, VAULT } = process.env as Record<string, string>;

const service = await startService({
  env: PROXIED,
  vault: VAULT!,
  beside: { database_url: DATABASE!, data_dir: DATA_DIR! },
});
aroundCommits(service.app.store, async (commit, send) => {
  const result = await send();
  if (typesOf(commit).includes(DIES_AFTER!)) process.kill(process.pid, "SIGKILL");
  return result;
});
process.stdout.write(`${service.url}\n`);
