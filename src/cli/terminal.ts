import { styleText } from "node:util";
import type { Logger } from "pino";
import type { Runtime, RuntimeOptions } from "../runtime/assemble.ts";
import type { Config } from "../runtime/config.ts";

/** The process parts that a command needs. */
export type Terminal = { settings: () => Config; logger: (level: string) => Logger };

/** Opens the runtime for one command; its modules take a second, so they load only then. */
export async function withRuntime<T>(
  { settings, logger }: Terminal,
  work: (runtime: Runtime) => Promise<T>,
  opening?: RuntimeOptions,
): Promise<T> {
  const assembled = await import("../runtime/assemble.ts");
  const options: RuntimeOptions = { chain: false, folds: "requested", ...opening };
  return assembled.withRuntime(settings(), logger("warn"), work, options);
}

/** A host in URL form; one that means every address becomes this machine's own. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
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
