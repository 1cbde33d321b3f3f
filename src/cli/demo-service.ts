/** Finds the service for the demo: a running one, or its own in DATA_DIR. */
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { z } from "zod";
import type { App } from "../core/app.ts";
import { refuse } from "../core/model/refusal.ts";
import { ownAddress } from "../runtime/address.ts";
import { openRuntime, type Runtime } from "../runtime/assemble.ts";
import type { Config } from "../runtime/config.ts";
import { openServer } from "../runtime/server.ts";
import { dataOpened } from "./data-opened.ts";

export type DemoService = {
  url: string;
  /** The demo opened it and closes it again. */
  own: boolean;
  /** The service's own log and chain, if this machine's DATA_DIR or DATABASE_URL leads to them. */
  app: App | undefined;
  close(): Promise<void>;
};

/** `stopping` ends its opening between two steps. */
type OwnService = { reactors?: boolean; stopping?: AbortSignal };

const PROBE_MS = 2_000;
/** How long to wait for a starting service. */
const STARTING_MS = 30_000;
/** Only a machine that is busy with other work takes so long. */
const OPENING_DATA_MS = 60_000;
/** How long to wait for the data of a running service. */
const READY_MS = 5_000;

/** The service at `url`; without one the service of the settings, or after `onOpening` the demo's own. */
export async function findService(
  config: Config,
  log: Logger,
  url: string | undefined,
  onOpening: () => void,
  own: OwnService = {},
): Promise<DemoService> {
  const hasAddress = config.PUBLIC_URL !== undefined || config.PORT !== 0;
  const candidate = url ?? (hasAddress ? ownAddress(config) : undefined);
  const origin = candidate && (await originOf(candidate));
  if (candidate && origin) {
    const runtime = await runtimeOf(config, log, candidate, origin);
    return { url: candidate, own: false, app: runtime?.app, close: async () => runtime?.close() };
  }
  if (url !== undefined)
    refuse("unavailable", `no Tallystick answers at ${url}; \`npm start\` runs one, or omit --url`);
  onOpening();
  return ownService(config, log, own);
}

const health = z.looseObject({
  data: z.looseObject({ log: z.looseObject({ origin: z.string() }) }),
});

/** The origin of a service's log; undefined if no Tallystick answers. */
async function originOf(url: string): Promise<string | undefined> {
  for (const deadline = Date.now() + STARTING_MS; ; await pause(250)) {
    try {
      const answer = await fetch(`${url}/v1/agent/health`, { signal: AbortSignal.timeout(PROBE_MS) });
      if (answer.status === 503 && Date.now() < deadline) continue;
      return health.parse(await answer.json()).data.log.origin;
    } catch (error) {
      // A service that accepts the connection and is slow may be starting, too.
      const isSlow = error instanceof Error && error.name === "TimeoutError";
      if (!isSlow || Date.now() >= deadline) return undefined;
    }
  }
}

/** The service's runtime, if it matches these settings. */
async function runtimeOf(
  config: Config,
  log: Logger,
  url: string,
  origin: string,
): Promise<Runtime | undefined> {
  const near = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
  const known = config.DATABASE_URL !== undefined || existsSync(config.DATA_DIR);
  if (!near || !known) return undefined;
  const runtime = await openRuntime(config, log, { chain: true, folds: "requested" });
  if ((await runtime.app.store.identity()).origin === origin) return runtime;
  await runtime.close();
  return undefined;
}

async function ownService(
  config: Config,
  log: Logger,
  { reactors = false, stopping: leaving }: OwnService,
): Promise<DemoService> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopping = new AbortController();
  let runtime: Runtime | undefined;
  const close = async () => {
    stopping.abort();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await runtime?.close();
  };
  try {
    const settings = { ...config, PUBLIC_URL: url };
    runtime = await openRuntime(settings, log, {
      chain: true,
      reactors,
      ...(leaving && { stopping: leaving }),
    });
    server.on("request", await openServer(runtime, settings, log, stopping.signal));
    // Data that cannot be opened are reported by later requests.
    await ownDataOpened(runtime.app, stopping.signal);
    return { url, own: true, app: runtime.app, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until the demo's own service has opened its data, for a minute at most. */
export const ownDataOpened = (app: App, stopping?: AbortSignal): Promise<void> =>
  dataOpened(app, AbortSignal.any([AbortSignal.timeout(OPENING_DATA_MS), ...(stopping ? [stopping] : [])]));

/** Waits until the service has opened its releases; otherwise later requests report that. */
export async function serviceReady(url: string): Promise<void> {
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await pause(100)) {
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(PROBE_MS) }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
  }
}
