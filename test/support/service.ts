/** The whole service in this process: a fresh database, the real server, a real port. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import type { OperationDeclaration } from "../../src/api/declare/operation.ts";
import type { Area } from "../../src/areas/area.ts";
import type { App } from "../../src/core/app.ts";
import { traceFields } from "../../src/core/tracing.ts";
import type { Scope } from "../../src/domain/access/key.ts";
import { issueKey } from "../../src/operator/keys.ts";
import { openRuntime } from "../../src/runtime/assemble.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { openServer } from "../../src/runtime/server.ts";
import { lendNode } from "../chain/lent-node.ts";
import { areasOffering } from "./catalogue.ts";
import { freshDatabase } from "./database.ts";
import { PATIENT } from "./patience.ts";
import { preparedDatabase } from "./prepared-database.ts";
import { replaceable } from "./replace.ts";

export type Service = {
  url: string;
  app: App;
  data_dir: string;
  /** The log entries, a JSON object each. */
  logged: Record<string, unknown>[];
  /** A new key; by default with all scopes and no quota. */
  issue(wanted?: {
    tenant?: string;
    space?: "live" | "test";
    scopes?: Scope[];
    daily?: number | null;
    monthly?: number | null;
  }): Promise<{
    key_id: string;
    tenant: string;
    secret: string;
    headers: { Authorization: string };
  }>;
  stop(): Promise<void>;
};

export type ServiceOptions = {
  env?: Record<string, string>;
  /** Default: the catalogue. */
  operations?: readonly OperationDeclaration[];
  /** Default: all areas. */
  areas?: readonly Area[];
  /** The chain that payments settle on, "embedded" for the service's own. Default: none. */
  chain?: { rpc_url: string; gas_key: string; pay_to: string } | "embedded";
  /** Runs the reactors, like the real service. */
  reactors?: boolean;
  /** The read models that are kept current. Default without reactors: those that somebody waits for. */
  folds?: "all" | "requested";
  /** A vault of personal data, in its own database; a URL names an existing one. */
  vault?: true | string;
  /** The test's own database instead of a fresh one. */
  database_url?: string;
  /** The key that pages show to browsers on this machine. */
  sandbox_key?: string;
  /** Shares another service's database and folder: a second process of the same service. */
  beside?: Pick<Service, "data_dir"> & { database_url: string };
};

export async function startService(
  options: ServiceOptions = {},
): Promise<Service & { database_url: string }> {
  const given = options.database_url ?? options.beside?.database_url;
  const own = given === undefined ? await preparedDatabase() : undefined;
  const database_url = given ?? own!.url;
  const data_dir = options.beside?.data_dir ?? (await mkdtemp(join(tmpdir(), "tallystick-service-")));
  const vault = options.vault === true ? await freshDatabase() : undefined;
  const vault_url = vault?.url ?? options.vault;
  const { chain } = options;
  const isFirst = chain === "embedded" && !options.beside;
  const giveBack = isFirst ? await lendNode(join(data_dir, "chain")) : undefined;
  const server = createServer({ keepAliveTimeout: 65_000 });
  const url = await listening(server);
  const PUBLIC_URL = options.env?.PUBLIC_URL ?? url;
  const config = readConfig({
    DATABASE_URL: database_url,
    PUBLIC_URL,
    DATA_DIR: data_dir,
    PORT: "0",
    ALLOW_SYNTHETIC: "1",
    // Its events would mix with those that a test counts.
    ANCHORING: "0",
    ...PATIENT,
    ...(typeof chain === "object" && {
      BASE_RPC_URL: chain.rpc_url,
      GAS_KEY: chain.gas_key,
      PAY_TO: chain.pay_to,
      // The fee of a chain of tests depends on how full its last blocks were.
      GAS_BUDGET_ETH: "10",
      CHANNEL_GAS_ETH: "10",
      CLAIM_GAS_ETH: "10",
    }),
    ...(typeof vault_url === "string" && { SUBJECT_KEYS_URL: vault_url }),
    ...options.env,
  });
  const logged: Record<string, unknown>[] = [];
  const log = pino(
    { level: "trace", mixin: traceFields },
    { write: (line: string) => void logged.push(JSON.parse(line)) },
  );
  const stopping = new AbortController();
  const runtime = await openRuntime(config, log, {
    chain: chain !== undefined,
    replaces: replaceable,
    ...(options.reactors && { reactors: true }),
    folds: options.folds ?? (options.reactors ? "all" : "requested"),
    ...(options.areas && { areas: options.areas }),
    ...(options.operations && { areas: areasOffering(options.operations) }),
  });
  server.on(
    "request",
    await openServer(runtime, { ...config, PUBLIC_URL }, log, stopping.signal, {
      sandbox_key: options.sandbox_key,
    }),
  );
  return {
    url,
    app: runtime.app,
    data_dir,
    database_url,
    logged,
    async issue(wanted = {}) {
      const { tenant = "acme", space = "live", daily = null, monthly = null } = wanted;
      const scopes = wanted.scopes ?? ["read", "quote", "order"];
      const issued = await issueKey(runtime.app, { tenant, space, scopes, daily, monthly, label: null });
      return { ...issued, headers: { Authorization: `Bearer ${issued.secret}` } };
    },
    async stop() {
      stopping.abort();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await runtime.close();
      giveBack?.();
      await own?.drop();
      await vault?.drop();
      if (!options.beside) await rm(data_dir, { recursive: true, force: true });
    },
  };
}

function listening(server: Server): Promise<string> {
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
