import { createWriteStream } from "node:fs";
import { createGzip } from "node:zlib";
import { Command } from "commander";
import { exportLog } from "../../eventstore/export.ts";
import { formatVerdicts, verifyDatabase, verifyFile } from "../../eventstore/verify/verify.ts";
import { withHouse } from "../compose.ts";
import type { Terminal } from "./program.ts";

export function logCommands({ settings, logger }: Terminal): Command[] {
  return [];
}
