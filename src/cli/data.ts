import { access, constants } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { leftOutReasons } from "../datasets/layouts/layout.ts";
import { headerOf } from "../datasets/reference/read.ts";
import { referenceLayoutOf } from "../datasets/reference/tables.ts";
import { SMALL, sizeAt } from "../datasets/sandbox.ts";
import { isReporter, type ReporterCode, unknownReporter } from "../domain/trade/reporters.ts";
import { importReference, type ReferenceRelease, releaseSandboxTables } from "../operator/reference.ts";
import { importFiles, releaseSandbox, releaseSandboxLv, type VintageRelease } from "../operator/releases.ts";
import type { Runtime } from "../runtime/assemble.ts";
import { about } from "./about.ts";
import { buildOptions } from "./build-options.ts";
import { interruptibly } from "./progress-bar.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function dataCommands(terminal: Terminal): Command[] {
  const { settings } = terminal;
  const importing = new Command("import")
    .description(about.import)
    .argument(
      "<file...>",
      "trade data (full_v2_YYYYMM.7z, SDMX-CSV DS-045409, Easy Comext, Comtrade, a snapshot; CSV, .xlsx or Parquet) or a reference table",
    )
    .option("--reporters <codes>", "the reporters in the files, if they are not all 27", asReporters)
    .option("--afresh", "start from these files alone", false)
    .addHelpText("after", "\nThe running service keeps answering and switches to the new vintage itself.")
    .action((files: string[], options: ImportChoice) => importAndTell(terminal, files, options));

  const sandbox = new Command("sandbox")
    .description(about.sandbox)
    .option(
      "--scale <n>",
      "all years, with this share of chapters, partners and products; default: six years, few partners",
      asScale,
    )
    .action(async ({ scale }: { scale?: number }) => {
      const config = settings();
      const work = async ({ app }: Runtime) => {
        for (const table of await releaseSandboxTables(app, config.DATA_DIR)) tellTable(table);
        tell(
          await interruptibly("sandbox dataset", (progress, signal) =>
            releaseSandbox(app, {
              ...buildOptions(config),
              size: scale === undefined ? SMALL : sizeAt(scale),
              progress,
              signal,
            }),
          ),
        );
        tell(
          await interruptibly("Latvia at CN8", (progress, signal) =>
            releaseSandboxLv(app, { ...buildOptions(config), progress, signal }),
          ),
        );
      };
      await withRuntime(terminal, work, { makes_log: true });
    });

  return [importing, sandbox];
}

type ImportChoice = { reporters?: ReporterCode[]; afresh?: boolean };

/** Imports the files and reports the result. */
async function importAndTell(terminal: Terminal, files: string[], options: ImportChoice = {}): Promise<void> {
  const config = terminal.settings();
  // A wrong path is refused before anything starts.
  for (const file of files) await access(file, constants.R_OK);
  if (referenceLayoutOf(await headerOf(files[0]!))) {
    const { afresh = false } = options;
    tellTable(
      await withRuntime(terminal, ({ app }) => importReference(app, config.DATA_DIR, files, { afresh }), {
        makes_log: true,
      }),
    );
    return;
  }
  const { report, ...released } = await withRuntime(
    terminal,
    ({ app }) =>
      interruptibly("import", (progress, signal) =>
        importFiles(app, files, { ...buildOptions(config), ...options, progress, signal }),
      ),
    { makes_log: true },
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

function tell({ facts, unchanged }: VintageRelease): void {
  const { dataset, vintage, rows, periods, control_totals } = facts;
  const headline = unchanged ? "already current" : "released";
  process.stdout.write(
    `${dataset} ${headline}: vintage ${vintage.slice(0, 16)}, ${rows.toLocaleString("en")} rows, ` +
      `${periods.from} to ${periods.to}\n` +
      `imports EUR ${control_totals.import_eur.toLocaleString("en")}, exports EUR ${control_totals.export_eur.toLocaleString("en")}\n`,
  );
}

function tellTable({ facts, unchanged }: ReferenceRelease): void {
  const { dataset, vintage, rows, as_of } = facts;
  process.stdout.write(
    `${dataset} ${unchanged ? "already current" : "released"}: vintage ${vintage.slice(0, 16)}, ` +
      `${rows.toLocaleString("en")} rows${as_of === null ? "" : `, to ${as_of}`}\n`,
  );
}

export function asReporters(text: string): ReporterCode[] {
  return text.split(",").map((code) => {
    if (!isReporter(code)) throw new InvalidArgumentError(unknownReporter(code));
    return code;
  });
}

function asScale(text: string): number {
  const scale = Number(text);
  if (!(scale > 0 && scale <= 1)) throw new InvalidArgumentError("is above 0 and at most 1");
  return scale;
}
