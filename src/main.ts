/** Where the process begins: the environment becomes settings, the command line decides what to run. */
import { existsSync } from "node:fs";
import pino from "pino";
import { textOfError } from "./cli/error-text.ts";
import { linesForTerminal } from "./cli/log-lines.ts";
import { program } from "./cli/program.ts";
import { traceFields } from "./core/tracing.ts";
import { readConfig } from "./runtime/config.ts";

// A reader that has seen enough (`| head`) is no failure; what is begun is finished and let go of.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  // The environment's own values come first.
  if (existsSync(".env")) process.loadEnvFile(".env");
  const settings = () => {
    const config = readConfig(process.env);
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
  process.stderr.write(`${textOfError(error)}\n`);
  process.exitCode = 1;
}
