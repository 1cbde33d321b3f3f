/** `tallystick serve`: listens at once, opens the runtime meanwhile, and shuts down in order. */

import { createServer, type RequestListener, type Server } from "node:http";
import { Command } from "commander";
import { problemOfRefusal } from "../api/serve/problem.ts";
import { Refusal } from "../core/model/refusal.ts";
import { localAddress, ownAddress } from "../runtime/address.ts";
import { type Config, ConfigError } from "../runtime/config.ts";
import { startDatabase } from "../runtime/database.ts";
import { sendSpans } from "../runtime/span-export.ts";
import { about } from "./about.ts";
import { drain } from "./drain.ts";
import { readiness } from "./own-address.ts";
import { endLineOfInterrupt, type Terminal } from "./terminal.ts";

/** Running calls get half of the shutdown time, at most ten seconds; then busy connections are closed. */
const MOST_DRAIN_MS = 10_000;

export const serveCommand = (terminal: Terminal): Command =>
  new Command("serve")
    .description(about.serve)
    .addHelpText(
      "after",
      "\nSettings come from the environment or .env, such as PORT=3001; .env.example lists them.",
    )
    .action(() => serve(terminal));

async function serve({ settings, logger }: Terminal): Promise<void> {
  const config = settings();
  const log = logger(config.LOG_LEVEL);
  const stopSpans = await sendSpans(config);
  const stopping = new AbortController();
  const door: { handle: RequestListener } = { handle: startingUp };
  const server = await openDoor(config, (req, res) => door.handle(req, res));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : config.PORT;
  const public_url = ownAddress({ ...config, PORT: port });

  if (config.DATABASE_URL === undefined) process.stdout.write(`Starting Postgres in ${config.DATA_DIR} …\n`);
  // Postgres starts while the remaining code loads.
  const database = startDatabase(config, log, { stopping: stopping.signal });
  // The code that awaits it later reports its failure.
  database.catch(() => undefined);
  const opening = import("./serving.ts").then(({ openServing }) =>
    openServing({ ...config, PUBLIC_URL: public_url }, log, { database, stopping: stopping.signal }),
  );
  const stop = once(async (signal: NodeJS.Signals) => {
    endLineOfInterrupt(signal);
    if (config.LINGER_SECONDS > 0) {
      log.info(
        { signal, seconds: config.LINGER_SECONDS },
        "leaving: /ready says so; calls are still accepted",
      );
      const { handle } = door;
      door.handle = (req, res) => (req.url === "/ready" ? leaving : handle)(req, res);
      await new Promise((wake) => setTimeout(wake, config.LINGER_SECONDS * 1_000));
    }
    log.info({ signal }, "stopping: no new calls, running calls finish");
    // A hanging part, such as an unresponsive database, must not block the process's end.
    setTimeout(() => {
      log.warn(
        { seconds: config.LEAVE_SECONDS },
        "stopped before all calls finished: another process, or the next start, completes them",
      );
      log.flush();
      process.exit(1);
    }, config.LEAVE_SECONDS * 1_000).unref();
    stopping.abort();
    await drain(server, Math.min(MOST_DRAIN_MS, config.LEAVE_SECONDS * 500));
    // A signal may come during opening: the current step completes, and what is open is closed.
    await opening.then(
      ({ close }) => close(),
      () => undefined,
    );
    await stopSpans();
    log.info("stopped");
    log.flush();
    process.exit(0);
  });
  process.on("SIGINT", stop).on("SIGTERM", stop);

  const opened = await opening.catch((error) => {
    // Stopped during opening: that is not a failure, and `stop` ends the process.
    if (stopping.signal.aborted) return undefined;
    // Open parts would keep the process alive while it reports "starting" forever.
    stopping.abort();
    server.close();
    server.closeAllConnections();
    throw error;
  });
  if (opened === undefined) return;
  door.handle = opened.handle;
  process.stdout.write(opened.greeting);
  await opened.prepareData(stopping.signal, () => {
    if (!stopping.signal.aborted) process.stdout.write(opened.ready);
  });
}

/** The answer of /ready while proxies should stop sending calls. */
const leaving: RequestListener = (_req, res) => {
  res.writeHead(503, { "Content-Type": "application/json" }).end('{"status":"leaving"}');
};

const startingUp: RequestListener = (req, res) => {
  if (req.url === "/health" || req.url === "/healthz") {
    res.writeHead(200, { "Content-Type": "application/json" }).end('{"status":"starting"}');
    return;
  }
  const refusal = new Refusal("unavailable", "the service is starting", { retry_after_s: 2 });
  const { status, headers, problem } = problemOfRefusal(refusal, {
    public_url: "",
    instance: req.url ?? "/",
  });
  res
    .writeHead(status, { ...headers, "Content-Type": "application/problem+json" })
    .end(JSON.stringify(problem));
};

function openDoor(config: Config, handle: RequestListener): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer(
      // Limits how long a request may take to arrive, so that slow senders cannot occupy connections.
      { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
      handle,
    );
    server
      .once("listening", () => done(server))
      .once("error", (error: NodeJS.ErrnoException) => {
        whyTaken(config, error).then((reason) =>
          fail(new ConfigError(`PORT ${config.PORT} of HOST ${config.HOST} ${reason}`)),
        );
      });
    server.listen(config.PORT, config.HOST);
  });
}

const PROBE_MS = 2_000;

async function whyTaken(config: Config, error: NodeJS.ErrnoException): Promise<string> {
  if (error.code !== "EADDRINUSE") return `cannot be used: ${error.message}`;
  const found = await readiness(localAddress(config), PROBE_MS).catch(() => undefined);
  if (!found?.is_ours) return "is taken; set PORT to a free one";
  const { COMMAND } = await import("./command-name.ts");
  return `is taken: a Tallystick runs there already, and \`${COMMAND} status\` shows it; set PORT to a free one for another`;
}

function once<A extends unknown[]>(work: (...args: A) => Promise<void>): (...args: A) => void {
  let begun = false;
  return (...args) => {
    if (begun) return;
    begun = true;
    void work(...args);
  };
}
