import type { Command } from "commander";
import type { Terminal } from "./program.ts";
export function logCommands(_: Terminal): Command[] {
  return [];
}
