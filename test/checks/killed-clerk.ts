/**
 * A service that kills itself, like kill -9, before or after it appends an event of the type in DIES_AT. It serves
 * calls; with FOLLOWS it follows the chain until that event.
 */
import { checksReactor } from "../../src/reactors/checks/follow.ts";
import { aroundCommits, typesOf } from "../support/around-commits.ts";
import { startService } from "../support/service.ts";
import { DOOMED_SECONDS, turn } from "../support/turns.ts";

const { DIES, DIES_AT, FOLLOWS, DATABASE, RPC, GAS_KEY, PAY_TO, SIGNING_KEY } = process.env as Record<
  string,
  string
>;

const service = await startService({
  database_url: DATABASE!,
  // The settings of the service that started it.
  env: { SIGNING_KEY: SIGNING_KEY! },
  chain: { rpc_url: RPC!, gas_key: GAS_KEY!, pay_to: PAY_TO! },
});
const { app } = service;
const die = () => process.kill(process.pid, "SIGKILL");

aroundCommits(app.store, async (commit, send) => {
  const isTheOne = typesOf(commit).includes(DIES_AT!);
  if (isTheOne && DIES === "before") die();
  const result = await send();
  if (isTheOne) die();
  return result;
});
process.stdout.write(`${service.url}\n`);
while (FOLLOWS) {
  await turn(app, checksReactor, { seconds: DOOMED_SECONDS });
  await new Promise((wake) => setTimeout(wake, 50));
}
