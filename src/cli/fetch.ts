/** `tallystick fetch`: downloads the sources' own files, or continues downloads. */
import { join } from "node:path";
import { type Options, SingleBar } from "cli-progress";
import { Command, InvalidArgumentError } from "commander";
import { makeFolder } from "../../eventstore/files/folder.ts";
import { Refusal, refuse } from "../core/model/refusal.ts";
import { COMEXT_URL, fetchComext } from "../datasets/fetch.ts";
import type { ReporterCode } from "../domain/trade/reporters.ts";
import type { Period } from "../domain/trade/units.ts";
import { about } from "./about.ts";
import { buildOptions } from "./build-options.ts";
import { asReporters } from "./data.ts";
import { shownHistory, summaryOf } from "./history-progress.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

type ComextOptions = {
  period?: Period;
  from?: Period;
  to?: Period;
  out?: string;
  url: string;
  again: boolean;
  import: boolean;
  reporters?: ReporterCode[];
  stop: boolean;
  discard: boolean;
};

/** The command did what it could, but months are missing. */
const MONTHS_MISSING = 2;

export function fetchCommand(terminal: Terminal): Command {
  const comext = new Command("comext")
    .description("fetch Eurostat's monthly bulk files full_v2_YYYYMM.7z, resuming an interrupted fetch")
    .option("--period <YYYYMM>", "the month, or the first of several", asMonth)
    .option("--from <YYYYMM>", "the first of several months, with --to", asMonth)
    .option("--to <YYYYMM>", "the last month", asMonth)
    .option("--out <dir>", "the target folder (default: downloads in DATA_DIR)")
    .option("--import", "import each month, and release year by year", false)
    .option("--again", "fetch a month even if it exists: Eurostat revises them", false)
    .option(
      "--reporters <codes>",
      "with --import: the reporters in the files, if they are not all 27",
      asReporters,
    )
    .option("--stop", "with --import: stop at the first broken or missing month", false)
    .option("--discard", "with --import: remove an archive once it is imported", false)
    .option(
      "--url <template>",
      "another source of the files, with {period} for the month",
      asTemplate,
      COMEXT_URL,
    )
    .addHelpText(
      "after",
      "\nCtrl-C keeps the fetched files; the same command resumes. With --import the exit code is 2 where months are missing.",
    )
    .action(async ({ period, from, to, out, ...options }: ComextOptions) => {
      const first = period ?? from;
      if (first === undefined || (period !== undefined && from !== undefined))
        refuse(
          "invalid",
          "name the month by --period, or the first of several by --from and the last by --to",
        );
      if (from !== undefined && to === undefined)
        refuse(
          "invalid",
          `--from starts a range: name the last month by --to, or one month by --period ${from}`,
        );
      refuseWithoutImport(options);
      const settings = terminal.settings();
      const dir = out ?? join(settings.DATA_DIR, "downloads");
      await makeFolder(dir);
      const request = { ...options, from: first, to: to ?? first, dir, now: new Date() };
      if (options.import) await bringHistory(terminal, request);
      else await fetchFiles(request);
    });
  return new Command("fetch").description(about.fetch).addCommand(comext);
}

/** Options of an import have no effect on a download alone. */
function refuseWithoutImport(
  options: Pick<ComextOptions, "import" | "reporters" | "stop" | "discard">,
): void {
  if (options.import) return;
  const given = (["reporters", "stop", "discard"] as const).filter((name) => options[name]);
  if (given.length === 0) return;
  const named = given.map((name) => `--${name}`).join(", ");
  refuse("invalid", `${named} needs --import: add --import, or omit ${named}; nothing was fetched`);
}

type FetchRequest = Omit<ComextOptions, "period" | "from" | "to" | "out"> & {
  from: Period;
  to: Period;
  dir: string;
  now: Date;
};

async function fetchFiles(request: FetchRequest): Promise<void> {
  await interruptibly((signal) => {
    let bar = byteBar("");
    return fetchComext({
      ...request,
      signal,
      begin(month) {
        bar = byteBar(`full_v2_${month}.7z`);
      },
      progress: (done, total) => bar.tell(done, total),
      done(_, { path, sha256, bytes, fetched }) {
        bar.stop();
        const headline = fetched ? "fetched" : "already there";
        process.stdout.write(`${headline}: ${path}, ${bytes.toLocaleString("en")} bytes\nsha256 ${sha256}\n`);
      },
    }).finally(() => bar.stop());
  });
}

async function bringHistory(terminal: Terminal, request: FetchRequest): Promise<void> {
  const { importHistory } = await import("../operator/history.ts");
  const options = buildOptions(terminal.settings());
  const shown = shownHistory((line) => process.stdout.write(`${line}\n`));
  const summary = await withRuntime(
    terminal,
    ({ app }) =>
      interruptibly((signal) =>
        importHistory(app, { ...options, ...request, signal, tell: shown.tell }),
      ).finally(shown.end),
    { makes_log: true },
  );
  process.stdout.write(`${summaryOf(summary)}\n`);
  if (summary.missing.length > 0 || summary.left) process.exitCode = MONTHS_MISSING;
}

const INTERRUPTED = "interrupted: fetched files are kept, and the same command resumes";

/** Ctrl-C stops the work and preserves what has arrived. */
async function interruptibly<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Refusal("unavailable", INTERRUPTED));
  process.once("SIGINT", interrupt);
  try {
    return await work(interrupted.signal);
  } finally {
    process.off("SIGINT", interrupt);
  }
}

/** A bar of bytes and their rate, on a terminal. */
function byteBar(file: string) {
  const size = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  let began: { at: number; done: number } | undefined;
  const format: Options["format"] = (_, { value, total, progress }, { rate, known }) => {
    const filled = "█".repeat(Math.round(progress * 30)).padEnd(30, "░");
    const share = known ? ` ${filled} ${Math.floor(progress * 100)}% |` : "";
    return `${file}:${share} ${size(value)}${known ? ` of ${size(total)}` : ""}, ${size(rate)} a second`;
  };
  const bar = new SingleBar({ format, hideCursor: true, clearOnComplete: true, noTTYOutput: false });
  return {
    tell(done: number, total: number | undefined) {
      if (!began || done < began.done) {
        began = { at: performance.now(), done };
        bar.start(total ?? done, done, { rate: 0, known: total !== undefined });
      }
      const seconds = (performance.now() - began.at) / 1000;
      if (total === undefined) bar.setTotal(Math.max(done, 1));
      bar.update(done, {
        rate: seconds > 0 ? (done - began.done) / seconds : 0,
        known: total !== undefined,
      });
    },
    stop: () => bar.stop(),
  };
}

function asMonth(text: string): Period {
  if (/^\d{4}52$/.test(text))
    throw new InvalidArgumentError("is a month such as 202512; 52 means a whole year");
  if (!/^(19|20)\d{2}(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError("is a month such as 202512");
  return Number(text);
}

function asTemplate(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError("is an http(s) address");
  if (!text.includes("{period}")) throw new InvalidArgumentError("has {period} for the month");
  return text;
}
