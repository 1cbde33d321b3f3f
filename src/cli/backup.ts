/** `tallystick backup` and `tallystick restore`: the log as a folder, and a database restored from one. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { addToBackup, type BackupSegment } from "../../eventstore/files/backup.ts";
import { makeFolder } from "../../eventstore/files/folder.ts";
import { BackupUnsound } from "../../eventstore/files/restore-source.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { contradictionInRows, headsToCompare } from "../anchoring/compare-rows.ts";
import { evidenceFor } from "../anchoring/gather-evidence.ts";
import type { App } from "../core/app.ts";
import { OutsideUnavailable } from "../core/model/ports/outside-log.ts";
import { refuse } from "../core/model/refusal.ts";
import { vintagesDir } from "../datasets/manifest.ts";
import * as segments from "../domain/log/segments.ts";
import { segmentsAfter, segmentsProjection } from "../projections/anchoring/segments.ts";
import { about } from "./about.ts";
import { interruptibly } from "./progress-bar.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

export const backupCommands = (terminal: Terminal): Command[] => [
  backupCommand(terminal),
  restoreCommand(terminal),
];

function backupCommand(terminal: Terminal): Command {
  return new Command("backup")
    .description(about.backup)
    .argument("<folder>", "a new folder, or one with a backup of this log: newer events are added")
    .addHelpText("after", "\nIt excludes the vault of personal data and the secrets: see docs/operating.md.")
    .action(async (folder: string) => {
      const { DATA_DIR } = terminal.settings();
      const { backup, added } = await withRuntime(terminal, async ({ app }) => {
        const contradiction = await contradictionInRows(app, await headsToCompare(app));
        if (contradiction)
          refuse(
            "conflict",
            `${contradiction}; a backup would hide that: use \`tallystick export --despite\``,
          );
        const segments = await segmentsOf(app);
        return interruptibly("backup", (progress) =>
          addToBackup(app.pool, folder, {
            log_id: MAIN_LOG,
            segments,
            beside: evidenceFor(app),
            progress: (done, total) => progress("write", done, total),
          }),
        );
      }).catch((error) => {
        if (error instanceof RangeError) return refuse("conflict", error.message);
        throw error;
      });
      await keepManifests(DATA_DIR, folder);
      const head = backup.packs.at(-1);
      process.stdout.write(
        `${added} events added; ${folder} has the log up to ${head ? `${head.last}:${head.log_hash}` : "0"}\n`,
      );
    });
}

/** The sealed segments; those that a backup lacks are fetched from the objects. */
async function segmentsOf(app: App): Promise<BackupSegment[]> {
  const { origin } = await app.store.identity(MAIN_LOG);
  await app.caughtUp(segmentsProjection);
  const sealed = await segmentsAfter(app.pool, {});
  return sealed.map(({ from, to, log_hash, sha256, bytes }) => ({
    ...{ first: from, last: to, log_hash, sha256, bytes },
    async write(path) {
      if (!(await app.objects.getFile(segments.objectOf(origin, sha256), path)))
        refuse(
          "unavailable",
          `the file of the segment ${from} to ${to} is not in the object store: check if OBJECTS_URL or DATA_DIR changed`,
        );
    },
  }));
}

/** The contents of vintages: their files are imported again from the same sources and compared with this. */
async function keepManifests(dataDir: string, folder: string): Promise<void> {
  await makeFolder(folder);
  await cp(vintagesDir(dataDir), join(folder, "vintages"), {
    recursive: true,
    filter: (path) => path === vintagesDir(dataDir) || path.endsWith(".json"),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

function restoreCommand({ settings, logger }: Terminal): Command {
  return new Command("restore")
    .description(about.restore)
    .argument(
      "<from>",
      "a folder from `tallystick backup`, or the log's copy in KurrentDB: esdb://user:password@host:2113?tls=true",
    )
    .option(
      "--epoch <digits>",
      "for a copy: the last part of the log's origin; needed if DATA_DIR/signed lacks the log",
    )
    .addHelpText(
      "after",
      `
DATABASE_URL (with DATABASE_OWNER_URL, for two roles) is an empty database; default: a new one in DATA_DIR. Nothing
changes if a hash is wrong, or if the chain of BASE_RPC_URL or one of WITNESSES has seen more of the log. Exits with 1 when
the log is read-only: it lacks signed or anchored events.`,
    )
    .action(async (from: string, { epoch }: { epoch?: string }) => {
      const { restoreService, RestoreUnfinished } = await import("../runtime/restoring.ts");
      const { events, head, contradiction, held_against, left_out } = await interruptibly(
        "restore",
        (progress) => restoreService(settings(), logger("warn"), from, { progress, epoch }),
      ).catch((error) => {
        if (error instanceof BackupUnsound || error instanceof RangeError)
          return refuse("conflict", error.message);
        if (error instanceof OutsideUnavailable || error instanceof RestoreUnfinished)
          return refuse("unavailable", error.message);
        throw error;
      });
      process.stdout.write(`${events} events restored; head ${head.position}:${head.hash}\n`);
      if (left_out > 0)
        process.stdout.write(
          `The copy ends within a commit: ${left_out} events after the last whole one are left out.\n`,
        );
      process.stdout.write(
        held_against.length > 0
          ? `Compared with ${held_against.join(", ")}.\n`
          : "Compared with nothing outside: DATA_DIR/signed, WITNESSES and BASE_RPC_URL show no signed position.\n",
      );
      if (contradiction === null) return;
      process.stdout.write(`Read-only, without appending or signing: ${contradiction}\n`);
      process.exitCode = 1;
    });
}
