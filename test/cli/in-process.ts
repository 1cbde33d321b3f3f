/**
 * Commands in this process, with the output and exit code of src/main.ts, because a separate process takes two
 * seconds to load.
 */
import { stripVTControlCharacters } from "node:util";
import { type Command, CommanderError } from "commander";
import pino from "pino";
import { vi } from "vitest";
import { textOfError } from "../../src/cli/error-text.ts";
import { program } from "../../src/cli/program.ts";
import { patientConfig } from "../support/patience.ts";
import type { Ran } from "./command.ts";

/**
 * Runs `tallystick …args` with only these settings; one command at a time, because the streams are this process's
 * own.
 */
export async function runHere(settings: Record<string, string | undefined>, ...args: string[]): Promise<Ran> {
  const written = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      // This process may have a terminal, whose colours the command would not have.
      written[stream] += stripVTControlCharacters(String(text));
      return true;
    }),
  );
  const logger = (level: string) =>
    pino({ level, base: undefined }, { write: (line) => void (written.stderr += line) });
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const root = await program({ settings: () => patientConfig(settings), logger }, args[0]);
    throwing(root);
    await root.parseAsync(args, { from: "user" });
    return { code: Number(process.exitCode ?? 0), ...written };
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode, ...written };
    return { code: 1, stdout: written.stdout, stderr: `${written.stderr}${textOfError(error)}\n` };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = before;
  }
}

/** A wrong option would end this process. */
export function throwing(command: Command): void {
  command.exitOverride();
  for (const one of command.commands) throwing(one);
}
