/** Where the process begins: the environment becomes settings, the command line decides what to run. */
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import pino from "pino";
import { textOfError } from "./cli/error-text.ts";
import { linesForTerminal } from "./cli/log-lines.ts";
import { program } from "./cli/program.ts";
import { systemReason } from "./core/model/system-reason.ts";
import { traceFields } from "./core/tracing.ts";
import { ConfigError, readConfig } from "./runtime/config.ts";

// A reader that has seen enough (`| head`) is not a failure; what is begun is finished and let go of.
const hasLeft = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EPIPE";
process.stdout.on("error", (error) => {
  if (hasLeft(error)) return;
  process.stderr.write(`standard output: ${textOfError(error)}\n`);
  process.exit(1);
});

/** The names in the file. */
function loadEnvironment(file: string): string[] {
  try {
    const values = Object.entries(parseEnv(readFileSync(file, "utf8")));
    for (const [name, value] of values) process.env[name] ??= value;
    return values.map(([name]) => name);
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${systemReason(error) ?? (error as Error).message}`);
  }
}

try {
  // The environment's own values come first.
  const in_file = existsSync(".env") ? loadEnvironment(".env") : [];
  const settings = () => {
    const config = readConfig(process.env, { in_file });
    for (const message of config.misspelt) logger(config.LOG_LEVEL).warn(message);
    return config;
  };
  const lines = await linesForTerminal(process.stderr.isTTY);
  const logger = (level: string) =>
    pino(
      { level, redact: ["req.headers", "secret", "authorization"], base: undefined, mixin: traceFields },
      lines ?? pino.destination({ fd: 2, sync: false }),
    );
  const [wanted, command] = process.argv.slice(2);
  const root = await program({ settings, logger }, wanted === "help" ? command : wanted);
  await root.parseAsync(process.argv);
} catch (error) {
  if (!hasLeft(error)) {
    const stack = process.env.LOG_LEVEL === "debug";
    process.stderr.write(`${textOfError(error, { stack })}\n`);
    process.exitCode = 1;
  }
}
