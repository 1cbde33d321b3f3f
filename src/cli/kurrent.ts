/** `tallystick kurrent`: the log's copy in the KurrentDB of KURRENTDB_URL. */
import { Command } from "commander";
import type { App } from "../core/app.ts";
import { type OutsideLog, OutsideUnavailable } from "../core/model/ports/outside-log.ts";
import { refuse } from "../core/model/refusal.ts";
import { compareOutside } from "../outside/copy.ts";
import { about } from "./about.ts";
import { withProgress } from "./progress-bar.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export function kurrentCommand(terminal: Terminal): Command {
  const kurrent = new Command("kurrent").description(about.kurrent);
  kurrent
    .command("compare")
    .description("reads the copy from its start, and names the first event that differs")
    .action(async () => {
      const counts = await withCopy(terminal, async (app, outside) => {
        const { position: head } = await app.store.head();
        const tell = (stage: string, percent: number) =>
          process.stderr.write(`comparing: ${stage}, ${percent} %\n`);
        return withProgress("comparing", tell, (progress) =>
          compareOutside(app, outside, (position) => progress("check", position, head)),
        );
      });
      if ("differs" in counts) {
        process.stdout.write(`FAIL  the copy differs at position ${counts.position}: ${counts.differs}\n`);
        process.exitCode = 1;
        return;
      }
      const { same, missing } = counts;
      const rest = missing > 0 ? `; it lacks the newest ${missing}; a running service copies them` : "";
      process.stdout.write(`ok    ${same} events of the copy match, byte by byte${rest}\n`);
    });
  kurrent
    .command("install")
    .description("KurrentDB links each event into the stream <stream_id>@<tenant>@<copy> for subscribers")
    .action(async () => {
      const isNew = await withCopy(terminal, (_, outside) => outside.install());
      process.stdout.write(
        isNew
          ? "KurrentDB links events into their streams.\n"
          : "KurrentDB links them already; nothing changed.\n",
      );
    });
  return kurrent;
}

const withCopy = <T>(terminal: Terminal, work: (app: App, outside: OutsideLog) => Promise<T>): Promise<T> =>
  withRuntime(terminal, async ({ app }) => {
    if (!app.outside) return refuse("invalid", "set KURRENTDB_URL to the KurrentDB with the copy");
    return work(app, app.outside).catch((error) =>
      error instanceof OutsideUnavailable ? refuse("unavailable", error.message) : Promise.reject(error),
    );
  });
