/** `tallystick serve`: listens from the first second, opens the runtime behind the door, and leaves in good order. */

import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { Command } from "commander";
import { problemOfRefusal } from "../api/problem.ts";
import type { App } from "../app.ts";
import { openRuntime, type Runtime } from "../assemble.ts";
import { type Config, ConfigError } from "../config.ts";
import { digestOf } from "../domain/access/secret.ts";
import { Refusal } from "../domain/refusal.ts";
import { issueKey } from "../operator/keys.ts";
import { keyByDigest, keysProjection } from "../projections/access/keys.ts";
import { openServer } from "../server.ts";
import { about } from "./about.ts";
import { expectSandbox } from "./ensure-sandbox.ts";
import { hostInUrl, type Terminal } from "./terminal.ts";

/** Connections that are still busy after this are cut. */
const DRAIN_MS = 10_000;

export const serveCommand = (terminal: Terminal): Command =>
  new Command("serve")
    .description(about.serve)
    .addHelpText("after", "\nSettings come from the environment; .env.example lists them.")
    .action(() => serve(terminal));

async function serve({ settings, logger }: Terminal): Promise<void> {
  const config = settings();
  const log = logger(config.LOG_LEVEL);
  const stopping = new AbortController();
  const door: { handle: RequestListener } = { handle: startingUp };
  const server = await openDoor(config, (req, res) => door.handle(req, res));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : config.PORT;
  const public_url = config.PUBLIC_URL ?? `http://${hostInUrl(config.HOST)}:${port}`;

  const opening = openRuntime({ ...config, PUBLIC_URL: public_url }, log, { chain: true, reactors: true });
  const stop = once(async (signal: string) => {
    log.info({ signal }, "stopping: no new calls, those under way are finished");
    stopping.abort();
    await drain(server);
    // A signal may come while the runtime is still opening: what is begun is finished and then closed.
    await opening.then(
      (runtime) => runtime.close(),
      () => undefined,
    );
    log.info("stopped");
    log.flush();
    process.exit(0);
  });
  process.on("SIGINT", stop).on("SIGTERM", stop);

  let runtime: Runtime | undefined;
  let makeSandbox: ReturnType<typeof expectSandbox> | undefined;
  try {
    runtime = await opening;
    const { app } = runtime;
    // Before anybody can ask whether the service is ready.
    if (config.SANDBOX && app.settings.allow_synthetic) makeSandbox = expectSandbox(app, config, log);
    const embedded = config.DATABASE_URL === undefined && config.BASE_RPC_URL === undefined;
    const sandboxKey = embedded ? await keptSandboxKey(app, config.DATA_DIR) : undefined;
    const settings = { ...config, PUBLIC_URL: public_url };
    door.handle = await openServer(runtime, settings, log, stopping.signal, sandboxKey);
    greet(public_url, app, sandboxKey);
  } catch (error) {
    // Whatever is open would keep the process alive behind a door that says "starting" for ever.
    stopping.abort();
    server.close();
    server.closeAllConnections();
    await runtime?.close();
    throw error;
  }
  await makeSandbox?.(stopping.signal);
}

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
      // How long a request may take to arrive, so that slow senders cannot hold connections for ever.
      { requestTimeout: 30_000, headersTimeout: 10_000, keepAliveTimeout: 65_000 },
      handle,
    );
    server
      .once("listening", () => done(server))
      .once("error", (error: NodeJS.ErrnoException) => {
        const reason =
          error.code === "EADDRINUSE"
            ? "is taken; set PORT to a free one"
            : `cannot be used: ${error.message}`;
        fail(new ConfigError(`PORT ${config.PORT} of HOST ${config.HOST} ${reason}`));
      });
    server.listen(config.PORT, config.HOST);
  });
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(late);
}

/** The key for trying things out: kept in DATA_DIR, made once for each embedded database; none where the log takes nothing. */
async function keptSandboxKey(app: App, dataDir: string): Promise<string | undefined> {
  const path = join(dataDir, "sandbox.key");
  const kept = (await readFile(path, "utf8").catch(() => "")).trim();
  if (kept !== "" && (await isKnown(app, kept))) return kept;
  if (!(await accepts(app))) return undefined;
  const { secret } = await issueKey(app, {
    tenant: "sandbox",
    space: "test",
    label: "made at first start",
    scopes: ["read", "quote", "order"],
    daily: null,
    monthly: null,
  });
  await writeFile(path, `${secret}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return secret;
}

/** A log that contradicts what was signed is served all the same, for reading. */
const accepts = ({ accepting }: App): Promise<boolean> =>
  accepting.confirm().then(
    () => true,
    () => false,
  );

async function isKnown(app: App, secret: string): Promise<boolean> {
  await app.caughtUp(keysProjection);
  const key = await keyByDigest(app.pool, digestOf(secret));
  return key !== undefined && key.revoked_at === null;
}

function greet(url: string, app: App, key: string | undefined): void {
  const lines = [
    `\nTallystick listens at ${url}   (a page for people; OpenAPI ${url}/openapi.json, MCP ${url}/mcp)`,
    `The log, and how far it is proven: ${url}/log\n`,
  ];
  if (app.embedded_chain) {
    lines.push(
      "Payments settle on a development chain: its USDC is worth nothing, and its signatures would be valid on Base.",
      "Do not sign with a funded wallet. `npm run demo` pays a first call with a demo wallet.\n",
    );
  } else lines.push(`Payments settle on Base and go to ${app.pay_to}; ${app.chain.sender} pays for gas.\n`);
  if (key) {
    lines.push(
      `Sandbox key  ${key}\n`,
      "Try these:",
      `  curl -s '${url}/v1/agent/health'`,
      `  curl -s -H 'Authorization: Bearer ${key}' '${url}/v1/agent/trade/top-partners?reporter=DE&limit=3'`,
      `  curl -s -H 'Authorization: Bearer ${key}' '${url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z'\n`,
    );
  } else lines.push("Issue a key with `tallystick keys issue --tenant NAME`.\n");
  process.stdout.write(`${lines.join("\n")}\n`);
}

function once<A extends unknown[]>(work: (...args: A) => Promise<void>): (...args: A) => void {
  let begun = false;
  return (...args) => {
    if (begun) return;
    begun = true;
    void work(...args);
  };
}
