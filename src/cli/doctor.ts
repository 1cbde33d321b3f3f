/** `tallystick doctor`: judges what the service needs from this machine and its neighbours, before or while it runs. */
import { createServer } from "node:http";
import { Command } from "commander";
import { localAddress } from "../runtime/address.ts";
import { type Check, checkup, fail, ok, warn } from "../runtime/checkup.ts";
import { type Config, ConfigError } from "../runtime/config.ts";
import { about } from "./about.ts";
import { readiness } from "./own-address.ts";
import { marked, type Terminal } from "./terminal.ts";

export const doctorCommand = (terminal: Terminal): Command =>
  new Command("doctor")
    .description(about.doctor)
    .option("--json", "print JSON: an array of checks", false)
    .addHelpText("after", "\nIt changes nothing. A failed check names its remedy, and the exit code is 1.")
    .action(async ({ json }: { json: boolean }) => {
      const checks = await allChecks(terminal);
      process.stdout.write(json ? `${JSON.stringify(checks, null, 2)}\n` : page(checks));
      if (checks.some(({ status }) => status === "fail")) process.exitCode = 1;
    });

async function allChecks({ settings }: Terminal): Promise<Check[]> {
  let config: Config;
  try {
    config = settings();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const says = error.message
      .replace(/:\n\s*/, ": ")
      .replace(/\n(?=See )/, ". ")
      .replaceAll(/\n\s*/g, "; ");
    return [fail("settings", says, "mend them in .env or the environment")];
  }
  const [port, ...others] = [await checkPort(config), ...(await checkup(config))];
  return [checkSettings(config), port!, ...others];
}

function checkSettings({ misspelt, BASE_RPC_URL }: Config): Check {
  const money = BASE_RPC_URL === undefined ? "on a development chain" : "with real money on Base";
  if (misspelt.length === 0) return ok("settings", `valid, ${money}`);
  return warn("settings", misspelt.join("; "), "correct the name");
}

const ANSWER_MS = 3_000;

/** A port is free, or the service itself has it. */
async function checkPort({ HOST, PORT }: Config): Promise<Check> {
  const name = "port";
  const url = localAddress({ HOST, PORT });
  const error = await listening(HOST, PORT);
  if (error === undefined) return ok(name, `${PORT} of ${HOST} is free`);
  const found = await readiness(url, ANSWER_MS).catch(() => undefined);
  if (found?.is_ours && found.ok) return ok(name, `the service runs at ${url}, and is ready`);
  if (found?.is_ours)
    return warn(name, `the service runs at ${url}, and is not ready`, "`tallystick status` says why");
  const says =
    error.code === "EADDRINUSE"
      ? `another program has ${PORT} of ${HOST}`
      : `${PORT} of ${HOST} cannot be used: ${error.message}`;
  return fail(name, says, "set PORT to a free one, or HOST to an address of this machine");
}

const listening = (host: string, port: number): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((done) => {
    const server = createServer();
    server.once("error", done).listen(port, host, () => server.close(() => done(undefined)));
  });

const page = (checks: readonly Check[]): string => {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, says, remedy }) => [
    `${marked(status !== "fail", status.padEnd(4))}  ${name.padEnd(width)}  ${says}`,
    ...(remedy === null ? [] : [`${" ".repeat(width + 8)}${remedy}`]),
  ]);
  return `${lines.join("\n")}\n`;
};
