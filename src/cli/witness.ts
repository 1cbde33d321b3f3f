/**
 * `tallystick witness`: runs a witness that cosigns checkpoints of the logs it follows. It needs no database and no
 * chain.
 */
import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { formatVerifierKey, MalformedNote, parseVerifierKey, type VerifierKey } from "../anchoring/note.ts";
import { systemReason } from "../core/model/system-reason.ts";
import { hostInUrl } from "../runtime/address.ts";
import { ConfigError } from "../runtime/config.ts";
import { serveWitness } from "../witness/server.ts";
import { openWitness } from "../witness/witness.ts";
import { about } from "./about.ts";
import { drain } from "./drain.ts";
import { endLineOfInterrupt, type Terminal } from "./terminal.ts";

const MOST_DRAIN_MS = 10_000;

type Options = { name: string; log: VerifierKey[]; dir: string; host: string; port: number };

const EXAMPLE = `
A witness needs neither a database nor a chain, and reads no settings. Keep the folder:
without the cosignatures in it the witness is useless. Example:

  tallystick witness --name witness.example.org --port 3100 --log "$(curl -s https://api.example.com/log/key)"

It prints what the log's operator adds to WITNESSES. GET / lists its logs.`;

export function witnessCommand({ logger }: Pick<Terminal, "logger">): Command {
  return new Command("witness")
    .description(about.witness)
    .requiredOption("--name <name>", "name of the witness's key, such as witness.example.org")
    .requiredOption("--log <verifier key>", "a log to follow: name+id+base64; may be repeated", asLogs)
    .option(
      "--dir <folder>",
      "folder for the key and the state, made at the first start",
      ".tallystick-witness",
    )
    .option("--host <address>", "address to listen on; 0.0.0.0 opens it to the network", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 takes any free one", asPort, 3100)
    .addHelpText("after", EXAMPLE)
    .action(async ({ name, log: logs, dir, host, port }: Options) => {
      const log = logger("info");
      const witness = await openWitness({
        dir: resolve(dir),
        name,
        logs,
        onFork: (fork) => log.error(fork, "the log has signed two histories; this one is not cosigned"),
      }).catch((error: Error) => {
        const what = error instanceof MalformedNote ? "--name" : "--dir";
        throw new ConfigError(`${what}: ${systemReason(error) ?? error.message}`);
      });
      const onError = (error: Error) => log.error({ reason: error.message }, "nothing can be cosigned");
      const server = await serveWitness(witness, { host, port, onError }).catch((error: Error) => {
        throw new ConfigError(
          `--port ${port} of --host ${host} cannot be used: ${systemReason(error) ?? error.message}`,
        );
      });
      const stop = (signal: NodeJS.Signals) => {
        endLineOfInterrupt(signal);
        void drain(server, MOST_DRAIN_MS).then(() => process.exit(0));
      };
      process.on("SIGINT", stop).on("SIGTERM", stop);

      const address = server.address();
      const url = `http://${hostInUrl(host)}:${typeof address === "object" && address ? address.port : port}/`;
      const key = formatVerifierKey(witness.key);
      const follows = (await witness.follows()).map(
        ({ origin, size }) => `follows    ${origin}, ${size} events cosigned`,
      );
      const lines = [`key        ${key}`, ...follows, `listens    ${url}`, `WITNESSES  ${url}#${key}`];
      process.stdout.write(`${lines.join("\n")}\n`);
    });
}

function asLogs(text: string, earlier: VerifierKey[] = []): VerifierKey[] {
  try {
    const key = parseVerifierKey(text.trim());
    if (key.type !== "ed25519") throw new MalformedNote(`the key of ${key.name} is a witness's, not a log's`);
    return [...earlier, key];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function asPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError("is a number from 0 to 65535");
  return port;
}
