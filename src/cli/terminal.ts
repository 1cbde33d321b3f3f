import { styleText } from "node:util";
import type { Logger } from "pino";
import { refuse } from "../core/model/refusal.ts";
import type { Runtime, RuntimeOptions } from "../runtime/assemble.ts";
import type { Config } from "../runtime/config.ts";
import type { Database } from "../runtime/database.ts";

/** The process parts that a command needs. */
export type Terminal = { settings: () => Config; logger: (level: string) => Logger };

/** `makes_log`: for a command that may be the first in its folder. */
type Opening = Partial<RuntimeOptions> & { makes_log?: boolean };

/** Opens the runtime for one command; its modules take a second, so they load only then. */
export async function withRuntime<T>(
  terminal: Terminal,
  work: (runtime: Runtime) => Promise<T>,
  { makes_log = false, ...opening }: Opening = {},
): Promise<T> {
  const config = terminal.settings();
  const database = opening.database ?? openDatabase(terminal, config, { makes_log });
  // The runtime, which awaits it later, reports its failure.
  database.catch(() => undefined);
  const assembled = await import("../runtime/assemble.ts");
  const options: RuntimeOptions = { chain: false, folds: "requested", ...opening, database };
  return assembled.withRuntime(config, terminal.logger("warn"), work, options);
}

/** Starts a command's database. A command in a wrong folder is refused there, and leaves nothing behind. */
export async function openDatabase(
  { logger }: Pick<Terminal, "logger">,
  config: Config,
  { makes_log = false }: { makes_log?: boolean } = {},
): Promise<Database> {
  if (!makes_log) await refuseWithoutLog(config);
  const { startDatabase } = await import("../runtime/database.ts");
  const onStart = () => void process.stderr.write(`Starting Postgres in ${config.DATA_DIR} …\n`);
  return startDatabase(config, logger("warn"), { onStart });
}

async function refuseWithoutLog(config: Config): Promise<void> {
  const { hasLog } = await import("../runtime/database.ts");
  if (hasLog(config)) return;
  const { COMMAND } = await import("./command-name.ts");
  refuse(
    "not_found",
    `there is no log in ${config.DATA_DIR}: change to the folder where the service runs, or set DATA_DIR; \`${COMMAND} serve\` starts a new log`,
  );
}

/** The exit code of a command that Ctrl-C ends at once, as shells count it: 128 and the signal. */
export const INTERRUPTED = 130;

/** The terminal shows ^C where the cursor is: what follows begins on a line of its own. */
export function endLineOfInterrupt(signal: NodeJS.Signals): void {
  if (signal === "SIGINT" && process.stderr.isTTY) process.stderr.write("\n");
}

/** A word in green or red on a colour terminal. */
export const marked = (ok: boolean, word: string) =>
  process.stdout.isTTY && process.stdout.hasColors() ? styleText(ok ? "green" : "red", word) : word;
