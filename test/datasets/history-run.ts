/**
 * Imports a history like the command, and kills itself with SIGKILL: at the nth report, or some milliseconds after
 * it. node history-run.ts <database> <data dir> <url> <from> <to> <nth, 0 for never> <ms>
 */
import { join } from "node:path";
import pino from "pino";
import { importHistory } from "../../src/operator/history.ts";
import { withRuntime } from "../../src/runtime/assemble.ts";
import { patientConfig } from "../support/patience.ts";

const [database, dataDir, url, from, to, nth, ms] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const config = patientConfig({ DATABASE_URL: database, DATA_DIR: dataDir, SANDBOX: "0", ANCHORING: "0" });
const die = () => process.kill(process.pid, "SIGKILL");
let reports = 0;
let waited = 0;
const tell = () => {
  reports++;
  if (reports !== Number(nth)) return;
  if (ms === "0") die();
  else setTimeout(die, Number(ms));
};

const summary = await withRuntime(
  config,
  pino({ level: "silent" }),
  ({ app }) =>
    importHistory(app, {
      data_dir: dataDir,
      dir: join(dataDir, "downloads"),
      limits: { threads: 1, memory_mb: 256 },
      from: Number(from),
      to: Number(to),
      url,
      now: new Date("2026-04-20T00:00:00Z"),
      pause: async (ms) => (waited += ms),
      time: () => Date.now() + waited,
      tell,
    }),
  { chain: false, folds: "requested" },
);
process.stdout.write(
  `${JSON.stringify({ reports, brought: summary.brought, missing: summary.missing.length })}\n`,
);
