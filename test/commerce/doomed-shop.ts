/**
 * A second service process that kills itself (as kill -9) once a call of each tenant in STEPS reaches its step: just
 * before or after (SIDE) an event of that type is appended. Until then those calls wait there. It also runs the reactor
 * that expires orders.
 */
import type { Commit } from "../../eventstore/types.ts";
import { ordersReactor } from "../../src/reactors/commerce/orders.ts";
import { aroundCommits } from "../support/around-commits.ts";
import { startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";

const { DATABASE, DATA, VAULT, SIDE, STEPS } = process.env as Record<string, string>;
const waited = new Map(Object.entries(JSON.parse(STEPS!) as Record<string, string>));

const { app, url } = await startService({
  beside: { database_url: DATABASE!, data_dir: DATA! },
  vault: VAULT!,
  chain: "embedded",
});
aroundCommits(app.store, async (commit, send) => {
  const tenant = tenantAtItsStep(commit);
  if (SIDE === "before") await stop(tenant);
  const result = await send();
  if (SIDE === "after") await stop(tenant);
  return result;
});

const tenantAtItsStep = ({ appends }: Commit): string | undefined =>
  appends.find(({ tenant, events }) => events.some(({ type }) => type === waited.get(tenant)))?.tenant;

async function stop(tenant: string | undefined): Promise<void> {
  if (tenant === undefined) return;
  waited.delete(tenant);
  if (waited.size === 0) process.kill(process.pid, "SIGKILL");
  await new Promise(() => undefined);
}

process.stdout.write(`${url}\n`);
for (;;) await turn(app, ordersReactor, { patient: true });
