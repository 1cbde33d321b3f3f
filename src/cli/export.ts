import { Command } from "commander";
import { exportFile, exportLog, exportStream } from "../../eventstore/files/export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { contradictionInRows, headsToCompare } from "../anchoring/compare-rows.ts";
import { evidenceDespite, evidenceFor } from "../anchoring/gather-evidence.ts";
import { LogDamaged, TreeTooShort } from "../anchoring/tile-store.ts";
import { refuse } from "../core/model/refusal.ts";
import { about } from "./about.ts";
import { asCount } from "./option-values.ts";
import { type Terminal, withRuntime } from "./terminal.ts";

type ExportOptions = { from?: number; to?: number; tenant?: string; stream?: string; despite: boolean };

export function exportCommand(terminal: Terminal): Command {
  return new Command("export")
    .description(about.export)
    .argument("[file]", "a new file, gzipped if its name ends in .gz; default: standard output")
    .option("--from <position>", "first position of the log", asCount)
    .option("--to <position>", "last position, extended to the end of its commit", asCount)
    .option("--tenant <name>", "with --stream: its tenant")
    .option("--stream <id>", "with --tenant: one stream, from its start")
    .option(
      "--despite",
      "export a log that contradicts its signatures or anchors; the contradicting records are included",
      false,
    )
    .action(async (file: string | undefined, options: ExportOptions) => {
      const { from, to, tenant, stream, despite } = options;
      if ((tenant === undefined) !== (stream === undefined))
        refuse("invalid", "--tenant and --stream go together");
      const log_id = MAIN_LOG;
      const exported = await withRuntime(terminal, async ({ app }) => {
        const heads = await headsToCompare(app);
        // A long read uses a replica, if one has the whole current log.
        const copy = await app.readers.fresh("log", (await app.store.head()).position);
        const { pool } = copy?.parts ?? app;
        const contradiction = await contradictionInRows({ pool, store: app.store }, heads);
        if (contradiction && !despite)
          refuse(
            "conflict",
            `${contradiction}; an export would hide that. \`tallystick verify\` shows where; --despite exports it with the contradiction`,
          );
        if (contradiction) process.stderr.write(`NOT the signed log: ${contradiction}\n`);
        const beside = contradiction ? evidenceDespite(app) : evidenceFor(app);
        if (tenant !== undefined && stream !== undefined) {
          const one = { log_id, tenant, stream_id: stream, beside };
          return file ? exportFile(pool, one, file) : exportStream(pool, one, process.stdout);
        }
        return file
          ? exportFile(pool, { log_id, from, to, beside }, file)
          : exportLog(pool, { log_id, from, to, beside }, process.stdout);
      }).catch((error: NodeJS.ErrnoException) => {
        if (error instanceof LogDamaged || error instanceof TreeTooShort)
          return refuse("unavailable", `${error.message}; \`tallystick verify\` shows what is wrong`);
        if (error instanceof RangeError) return refuse("invalid", error.message);
        if (error.code !== "EEXIST") throw error;
        return refuse("conflict", `${file} exists: an export needs a new file`);
      });
      process.stderr.write(
        `${exported.events} events; head ${exported.head.position}:${exported.head.hash}\n` +
          "Save the head: `tallystick verify --head` then detects a cut or rewritten log.\n",
      );
    });
}
