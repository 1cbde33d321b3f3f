import { SingleBar } from "cli-progress";
import { Command, InvalidArgumentError } from "commander";
import type { Logger } from "pino";
import type { App } from "../app.ts";
import type { Config } from "../config.ts";
import { leftOutReasons } from "../datasets/layouts/layout.ts";
import type { Progress } from "../datasets/progress.ts";
import { headerOf } from "../datasets/reference/read.ts";
import { referenceLayoutOf } from "../datasets/reference/tables.ts";
import { SANDBOX } from "../datasets/sandbox.ts";
import { SANDBOX_LV } from "../datasets/sandbox-lv.ts";
import { isReporter, type ReporterCode, unknownReporter } from "../domain/trade/reporters.ts";
import { importReference, type ReferenceReleased, releaseSandboxTables } from "../operator/reference.ts";
import {
  type BuildOptions,
  importFiles,
  isReleased,
  type Released,
  releaseSandbox,
  releaseSandboxLv,
} from "../operator/releases.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function dataCommands(terminal: Terminal): Command[] {
  const { settings } = terminal;
  const importing = new Command("import")
    .description("import files as the next vintage of their dataset: all of them or nothing")
    .argument(
      "<file...>",
      "trade data (full_v2_YYYYMM.7z, SDMX-CSV DS-045409, Easy Comext, Comtrade) or a table of reference data",
    )
    .option("--reporters <codes>", "the reporters in the files, where they are not all 27", asReporters)
    .option("--afresh", "start from nothing but these files", false)
    .addHelpText("after", "\nThe running service goes on answering and swaps to the new vintage by itself.")
    .action((files: string[], options: ImportChoice) => importAndTell(terminal, files, options));

  const sandbox = new Command("sandbox")
    .description("make the synthetic data that answers where no real data covers the question")
    .option("--scale <n>", "share of the full size, for trying things out", asScale, 1)
    .action(async ({ scale }: { scale: number }) => {
      const config = settings();
      await withRuntime(terminal, async ({ app }) => {
        for (const table of await releaseSandboxTables(app, config.DATA_DIR)) tellTable(table);
        tell(
          await withProgress("sandbox dataset", (progress, signal) =>
            releaseSandbox(app, { ...buildOptions(config), scale, progress, signal }),
          ),
        );
        tell(
          await withProgress("Latvia at CN8", (progress, signal) =>
            releaseSandboxLv(app, { ...buildOptions(config), progress, signal }),
          ),
        );
      });
    });

  return [importing, sandbox];
}

type ImportChoice = { reporters?: ReporterCode[]; afresh?: boolean };

/** Imports the files and says what came of it. */
export async function importAndTell(
  terminal: Terminal,
  files: string[],
  options: ImportChoice = {},
): Promise<void> {
  const config = terminal.settings();
  if (referenceLayoutOf(await headerOf(files[0]!))) {
    tellTable(await withRuntime(terminal, ({ app }) => importReference(app, config.DATA_DIR, files)));
    return;
  }
  const { report, ...released } = await withRuntime(terminal, ({ app }) =>
    withProgress("import", (progress, signal) =>
      importFiles(app, files, { ...buildOptions(config), ...options, progress, signal }),
    ),
  );
  tell(released);
  const leftOut = Object.entries(leftOutReasons)
    .map(([reason, words]) => ({ words, count: report.left_out[reason as keyof typeof leftOutReasons] }))
    .filter(({ count }) => count > 0)
    .map(({ words, count }) => `${count.toLocaleString("en")} ${words}`);
  process.stdout.write(
    `${report.rows_read.toLocaleString("en")} rows read, ${report.rows_per_s.toLocaleString("en")} a second; ` +
      `${report.equal_duplicates} equal duplicates; left out: ${leftOut.join(", ") || "none"}\n`,
  );
}

/** Makes the sandbox if there is none yet; the service answers everything else meanwhile. */
export async function ensureSandbox(
  app: App,
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    await releaseSandboxTables(app, config.DATA_DIR, { only_missing: true });
    const made = [
      { dataset: SANDBOX, what: "sandbox dataset", make: releaseSandbox },
      { dataset: SANDBOX_LV, what: "Latvia at CN8", make: releaseSandboxLv },
    ];
    app.vintage_store.expect(made.map(({ dataset }) => ({ dataset, synthetic: true, released: false })));
    for (const { dataset, what, make } of made) {
      if (await isReleased(app, dataset)) continue;
      const work = (progress: Progress) => make(app, { ...buildOptions(config), progress, signal });
      const { facts } = await withProgress(what, work, signal);
      log.info({ dataset, vintage: facts.vintage, rows: facts.rows }, "a sandbox dataset is ready");
    }
  } catch (error) {
    if (!signal.aborted)
      log.error({ err: error }, "the sandbox dataset could not be made; `tallystick sandbox` tries again");
  }
}

const buildOptions = (config: Config): BuildOptions => ({
  data_dir: config.DATA_DIR,
  limits: { threads: config.DUCKDB_THREADS, memory_mb: config.IMPORT_MEMORY_MB },
});

const STAGES = { read: "reading", check: "checking", write: "writing", publish: "publishing" } as const;

/** Shows a bar while `work` runs, where somebody is looking; Ctrl-C stops the work and leaves nothing behind. */
async function withProgress<T>(
  what: string,
  work: (progress: Progress, signal: AbortSignal) => Promise<T>,
  given?: AbortSignal,
): Promise<T> {
  const bar = new SingleBar({
    format: "{what}: {stage} {bar} {percentage}% | {duration_formatted}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    clearOnComplete: true,
    noTTYOutput: false,
  });
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error("interrupted; nothing was changed"));
  if (!given) process.once("SIGINT", interrupt);
  bar.start(1000, 0, { what, stage: STAGES.read });
  try {
    return await work(
      (stage, done, total) =>
        bar.update(Math.floor((done / Math.max(total, 1)) * 1000), { what, stage: STAGES[stage].padEnd(10) }),
      given ?? interrupted.signal,
    );
  } finally {
    bar.stop();
    process.off("SIGINT", interrupt);
  }
}

function tell({ facts, unchanged }: Released): void {
  const { dataset, vintage, rows, periods, control_totals } = facts;
  const headline = unchanged ? "already current" : "released";
  process.stdout.write(
    `${dataset} ${headline}: vintage ${vintage.slice(0, 16)}, ${rows.toLocaleString("en")} rows, ` +
      `${periods.from} to ${periods.to}\n` +
      `imports EUR ${control_totals.import_eur.toLocaleString("en")}, exports EUR ${control_totals.export_eur.toLocaleString("en")}\n`,
  );
}

function tellTable({ facts, unchanged }: ReferenceReleased): void {
  const { dataset, vintage, rows, as_of } = facts;
  process.stdout.write(
    `${dataset} ${unchanged ? "already current" : "released"}: vintage ${vintage.slice(0, 16)}, ` +
      `${rows.toLocaleString("en")} rows${as_of === null ? "" : `, to ${as_of}`}\n`,
  );
}

function asReporters(text: string): ReporterCode[] {
  return text.split(",").map((code) => {
    if (!isReporter(code)) throw new InvalidArgumentError(unknownReporter(code));
    return code;
  });
}

function asScale(text: string): number {
  const scale = Number(text);
  if (!(scale > 0 && scale <= 1)) throw new InvalidArgumentError("a scale is above 0 and at most 1");
  return scale;
}
