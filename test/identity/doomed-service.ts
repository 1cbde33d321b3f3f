/** A service beside another that ends itself, as kill -9 would, once an event of the type DIES_AFTER was appended and before anybody is answered. */
import { startService } from "../support/service.ts";
import { PROXIED } from "./agents.ts";

const { DIES_AFTER, DATABASE, DATA_DIR, VAULT } = process.env as Record<string, string>;

const service = await startService({
  env: PROXIED,
  vault: VAULT!,
  beside: { database_url: DATABASE!, data_dir: DATA_DIR! },
});
const { store } = service.app;
const { append } = store;
store.append = async (commit) => {
  const result = await append(commit);
  const types = commit.appends.flatMap(({ events }) => events.map(({ type }) => type));
  if (types.includes(DIES_AFTER!)) process.kill(process.pid, "SIGKILL");
  return result;
};
process.stdout.write(`${service.url}\n`);
