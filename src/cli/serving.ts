/** The service of `tallystick serve`: runtime, server and sandbox. Its code loads while Postgres starts. */
import { chmod, readFile, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import type { Logger } from "pino";
import type { App } from "../core/app.ts";
import { SANDBOX } from "../datasets/sandbox.ts";
import { SANDBOX_LV } from "../datasets/sandbox-lv.ts";
import { digestOf } from "../domain/access/secret.ts";
import { SANDBOX_NAME } from "../domain/sandbox/examples.ts";
import * as dataset from "../domain/trade/dataset.ts";
import { issueKey } from "../operator/keys.ts";
import { keyByDigest, keysProjection } from "../projections/access/keys.ts";
import { openRuntime } from "../runtime/assemble.ts";
import type { Config } from "../runtime/config.ts";
import type { Database } from "../runtime/database.ts";
import { refuseOtherChain } from "../runtime/refuse-other-chain.ts";
import { openServer } from "../runtime/server.ts";
import { dataOpened } from "./data-opened.ts";
import { expectSandbox, type MakeSandbox } from "./ensure-sandbox.ts";
import { readyText, sandboxKeyPath } from "./ready-text.ts";

export type Serving = {
  handle: RequestListener;
  greeting: string;
  /** Printed once every operation answers. */
  ready: string;
  /** Creates the sandbox, if configured, and opens the data; then calls `ready`. */
  prepareData: MakeSandbox;
  close(): Promise<void>;
};

/** Opens everything, or closes what was opened. */
export async function openServing(
  config: Config & { PUBLIC_URL: string },
  log: Logger,
  { database, stopping }: { database: Promise<Database>; stopping: AbortSignal },
): Promise<Serving> {
  const checked = refuseOtherChain(config);
  // It is awaited below, where what was opened meanwhile can be closed.
  checked.catch(() => undefined);
  const runtime = await openRuntime(config, log, { chain: true, reactors: true, database, stopping });
  try {
    await checked;
    const { app, close } = runtime;
    stopping.throwIfAborted();
    const own_calls = new Set<string>();
    // Announced before anybody can query whether the service is ready.
    const makeSandbox =
      config.SANDBOX && app.settings.allow_synthetic ? expectSandbox(app, config, log, own_calls) : undefined;
    const prepareData: MakeSandbox = makeSandbox ?? ((signal, ready) => dataOpened(app, signal).then(ready));
    const embedded = config.DATABASE_URL === undefined && config.BASE_RPC_URL === undefined;
    const sandboxKey = config.SANDBOX && embedded ? await storedSandboxKey(app, config.DATA_DIR) : undefined;
    const handle = await openServer(runtime, config, log, stopping, { sandbox_key: sandboxKey, own_calls });
    const isMakingSandbox = makeSandbox !== undefined && !(await hasSandbox(app));
    const greeting = greetingOf(config.PUBLIC_URL, app, isMakingSandbox);
    return { handle, greeting, ready: readyText(config.PUBLIC_URL, sandboxKey), prepareData, close };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

/** The sandbox's key: stored in DATA_DIR, one per embedded database; none if the log is read-only. */
async function storedSandboxKey(app: App, dataDir: string): Promise<string | undefined> {
  const path = sandboxKeyPath(dataDir);
  const kept = (await readFile(path, "utf8").catch(() => "")).trim();
  if (kept !== "" && (await isKnown(app, kept))) return kept;
  if (!(await accepts(app))) return undefined;
  const { secret } = await issueKey(app, {
    tenant: SANDBOX_NAME,
    space: "test",
    label: "made at first start",
    scopes: ["read", "quote", "order", "skill"],
    daily: null,
    monthly: null,
  });
  await writeFile(path, `${secret}\n`, { mode: 0o600 });
  await chmod(path, 0o600);
  return secret;
}

/** A log that contradicts its signed heads is still served for reading. */
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

const hasSandbox = async (app: App): Promise<boolean> => {
  const parts = [SANDBOX, SANDBOX_LV].map((id) => app.load(dataset, { tenant: "operator", id }));
  return (await Promise.all(parts)).every((part) => typeof part?.vintage === "string");
};

/** The terminal's message once calls are answered. */
function greetingOf(url: string, app: App, isMakingSandbox: boolean): string {
  const payments = app.embedded_chain
    ? "Payments settle on a development chain: its USDC is worthless, but its signatures are valid on Base.\nDo not sign with a funded wallet."
    : `Payments settle on Base and go to ${app.pay_to}; ${app.chain.sender} pays for gas.`;
  const data = isMakingSandbox
    ? "\nMissing synthetic trade data are made now, which takes ten seconds to a minute."
    : "";
  return `Tallystick listens at ${url}\n${payments}${data}\n`;
}
