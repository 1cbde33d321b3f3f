/** Another process of a service: serves HTTP on its own port until it is killed. */
import { PROXIED } from "../identity/agents.ts";
import { startService } from "../support/service.ts";

const { DATABASE, DATA } = process.env as Record<string, string>;
const service = await startService({
  beside: { database_url: DATABASE!, data_dir: DATA! },
  chain: "embedded",
  env: PROXIED,
});
process.stdout.write(`${service.url}\n`);
