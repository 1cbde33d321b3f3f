/** `tallystick fetch`: the sources' own files, fetched whole or gone on with. */
import { join } from "node:path";
import { type Options, SingleBar } from "cli-progress";
import { Command, InvalidArgumentError } from "commander";
import { COMEXT_URL, fetchComext } from "../datasets/fetch.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Period } from "../domain/trade/units.ts";
import { about } from "./about.ts";
import { importAndTell } from "./data.ts";
import type { Terminal } from "./terminal.ts";

type ComextOptions = {
  period: Period;
  to?: Period;
  out?: string;
  url: string;
  again: boolean;
  import: boolean;
};

export function fetchCommand(terminal: Terminal): Command {
  const comext = new Command("comext")
    .description("fetch Eurostat's monthly bulk files full_v2_YYYYMM.7z, resuming where a fetch was cut off")
    .requiredOption("--period <YYYYMM>", "the month, or the first of several", asMonth)
    .option("--to <YYYYMM>", "the last month", asMonth)
    .option("--out <dir>", "where the files go (default: downloads in DATA_DIR)")
    .option("--import", "import them when all are there", false)
    .option("--again", "fetch a month although it is there: Eurostat revises them", false)
    .option(
      "--url <template>",
      "another place that has the files, with {period} for the month",
      asTemplate,
      COMEXT_URL,
    )
    .addHelpText("after", "\nCtrl-C keeps what has come; the same command goes on from there.")
    .action(async ({ period, to, out, ...options }: ComextOptions) => {
      const dir = out ?? join(terminal.settings().DATA_DIR, "downloads");
      const files = await interruptibly((signal) => {
        let bar = byteBar("");
        return fetchComext({
          ...options,
          from: period,
          to: to ?? period,
          dir,
          now: new Date(),
          signal,
          begin(month) {
            bar = byteBar(`full_v2_${month}.7z`);
          },
          progress: (done, total) => bar.tell(done, total),
          done(_, { path, sha256, bytes, fetched }) {
            bar.stop();
            const headline = fetched ? "fetched" : "already there";
            process.stdout.write(
              `${headline}: ${path}, ${bytes.toLocaleString("en")} bytes\nsha256 ${sha256}\n`,
            );
          },
        }).finally(() => bar.stop());
      });
      if (options.import)
        await importAndTell(
          terminal,
          files.map(({ path }) => path),
        );
    });
  return new Command("fetch").description(about.fetch).addCommand(comext);
}

const INTERRUPTED = "interrupted: what came is kept, and the same command goes on from there";

/** Ctrl-C ends the work and keeps what has come. */
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

/** A bar of bytes and their rate, where somebody is looking. */
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
  if (/^\d{4}52$/.test(text)) throw new InvalidArgumentError("52 is the file of a whole year; name months");
  if (!/^(19|20)\d{2}(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError("is a month, as 202512");
  return Number(text);
}

function asTemplate(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError("is an http(s) address");
  if (!text.includes("{period}")) throw new InvalidArgumentError("has {period} where the month goes");
  return text;
}
