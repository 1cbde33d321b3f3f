/** A second process of a service: serves HTTP on its own port until it is killed. */
import { startService } from "../support/service.ts";

const { DATABASE, DATA, VAULT } = process.env as Record<string, string>;
const service = await startService({
  beside: { database_url: DATABASE!, data_dir: DATA! },
  vault: VAULT!,
});
process.stdout.write(`${service.url}\n`);
