import { Command, InvalidArgumentError } from "commander";
import { exportFile, exportLog, exportStream } from "../../eventstore/export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { type HeldHead, parseHeldHead } from "../../eventstore/verify/held-head.ts";
import { formatVerdicts } from "../../eventstore/verify/report.ts";
import { verifyDatabase } from "../../eventstore/verify/verify-database.ts";
import { verifyFile } from "../../eventstore/verify/verify-export.ts";
import { withHouse } from "../compose.ts";
import { refuse } from "../domain/refusal.ts";
import { verifyReceiptCommand } from "./receipt.ts";
import type { Terminal } from "./terminal.ts";

type ExportOptions = { from?: number; to?: number; tenant?: string; stream?: string };
type VerifyOptions = { head: HeldHead[]; origin?: string; maxStreams: number; json: boolean };

export function logCommands({ settings, logger }: Terminal): Command[] {
  const exporting = new Command("export")
    .description("write the log, or one stream of it, as NDJSON that anyone can verify")
    .argument("[file]", "a new file, packed where its name ends in .gz; standard output when left out")
    .option("--from <position>", "first position of the log", asCount)
    .option("--to <position>", "last position, completed to the end of its commit", asCount)
    .option("--tenant <name>", "with --stream: whose stream")
    .option("--stream <id>", "with --tenant: one stream, whole")
    .action(async (file: string | undefined, { from, to, tenant, stream }: ExportOptions) => {
      if ((tenant === undefined) !== (stream === undefined))
        refuse("invalid", "--tenant and --stream go together");
      const log_id = MAIN_LOG;
      const exported = await withHouse(settings(), logger("warn"), ({ app: { pool } }) => {
        if (tenant !== undefined && stream !== undefined) {
          const one = { log_id, tenant, stream_id: stream };
          return file ? exportFile(pool, one, file) : exportStream(pool, one, process.stdout);
        }
        return file
          ? exportFile(pool, { log_id, from, to }, file)
          : exportLog(pool, { log_id, from, to }, process.stdout);
      }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
        return refuse("conflict", `${file} exists already: an export is written to a new file`);
      });
      process.stderr.write(
        `${exported.events} events; head ${exported.head.position}:${exported.head.hash}\n` +
          "Keep the head: with it `tallystick verify --head` notices a log that was cut or rewritten.\n",
      );
    });

  const verifying = new Command("verify")
    .description("check every hash and link of an export, or of the database itself")
    .argument("[file]", "an export (.gz too), or - for standard input; the database when left out")
    .option("--head <position:hash>", "a head or a feed cursor that you kept; may be repeated", asHeads, [])
    .option(
      "--origin <origin>",
      "the log's origin as you know it; whatever the export says is believed when left out",
    )
    .option("--max-streams <n>", "streams to keep in mind, some 180 bytes each", asCount, 1_000_000)
    .option("--json", "print the report as JSON", false)
    .addHelpText(
      "after",
      "\nExits with 1 when any verdict fails. A file is verified without the service or its database.",
    )
    .action(async (file: string | undefined, { head, origin, maxStreams, json }: VerifyOptions) => {
      const report = file
        ? await verifyFile(file, { heads: head, origin, max_streams: maxStreams })
        : await withHouse(settings(), logger("warn"), ({ app }) =>
            verifyDatabase(app.pool, MAIN_LOG, { heads: head, origin, max_streams: maxStreams }),
          );
      process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : formatVerdicts(report));
      if (!report.ok) process.exitCode = 1;
    });

  verifying.enablePositionalOptions().addCommand(verifyReceiptCommand({ settings }));
  return [exporting, verifying];
}

function asCount(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("is a whole number from 1");
  return Number(text);
}

function asHeads(text: string, before: HeldHead[]): HeldHead[] {
  try {
    return [...before, parseHeldHead(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
