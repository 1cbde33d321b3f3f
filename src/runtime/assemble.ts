import { join } from "node:path";
import type { Logger } from "pino";
import { openPool } from "../../eventstore/pool.ts";
import { registry } from "../../eventstore/schemas.ts";
import { createEventStore } from "../../eventstore/store.ts";
import { createTail } from "../../eventstore/tail.ts";
import { createAddressLimits } from "../adapters/address-limits.ts";
import { databaseClock } from "../adapters/database-clock.ts";
import { processExecutor } from "../adapters/executor.ts";
import { outsideOf } from "../adapters/kurrentdb.ts";
import { modelOf } from "../adapters/model.ts";
import { createObjects, objectStoreOf } from "../adapters/objects.ts";
import { createParser } from "../adapters/parser.ts";
import { createPrinter } from "../adapters/printing/printer.ts";
import { createQuotas } from "../adapters/quotas.ts";
import { storedHeads } from "../adapters/signed-heads.ts";
import { derivedSecret, openSigner } from "../adapters/signing-key.ts";
import { createStoredAnswers } from "../adapters/stored-answers.ts";
import { systemRandom } from "../adapters/system.ts";
import { createWebhooks } from "../adapters/webhooks.ts";
import { createLogAcceptance } from "../anchoring/log-acceptance.ts";
import type { Area } from "../areas/area.ts";
import { areas as allAreas, entitiesOf } from "../areas/index.ts";
import { settlementOnLogsChain } from "../chain/settlement.ts";
import { type App, createApp } from "../core/app.ts";
import { runningReactors } from "../core/background/reactor.ts";
import { startHeartbeat } from "../core/coordination/heartbeat.ts";
import type { AddressLimits } from "../core/model/ports/address-limits.ts";
import type { Quotas } from "../core/model/ports/quotas.ts";
import { disputesIn, healthOf } from "../core/read-models/health.ts";
import { type RunnerOptions, startRunner } from "../core/read-models/runner.ts";
import { ReferenceStore } from "../datasets/reference/store.ts";
import { SnapshotStore } from "../datasets/snapshots.ts";
import { openVintages } from "../datasets/vintage-store.ts";
import { allowsSynthetic, appSettings } from "./app-settings.ts";
import { absentChain, openChain, startNode } from "./assemble-chain.ts";
import { startReactorsOf, USUAL_POOL } from "./assemble-reactors.ts";
import { openReaders } from "./assemble-readers.ts";
import { openSeeds } from "./assemble-seeds.ts";
import { openStreams } from "./assemble-streams.ts";
import { openVault } from "./assemble-subjects.ts";
import { claimChain } from "./chain-of-log.ts";
import { type Config, signingKeyFile } from "./config.ts";
import { type Database, prepareDatabase, startDatabase, warnOfOneRole } from "./database.ts";
import { type OpenedParts, openedParts } from "./opened-parts.ts";

export type Runtime = {
  app: App;
  areas: readonly Area[];
  quotas: Quotas;
  limits: AddressLimits;
  /** Finishes acknowledged work first; safe to call twice. */
  close(): Promise<void>;
};

export type RuntimeOptions = {
  chain: boolean;
  reactors?: boolean;
  /** `requested`: for a short command. */
  folds?: RunnerOptions["folds"];
  /** Tests omit or add areas. */
  areas?: readonly Area[];
  /** A database that was started before. */
  database?: Promise<Database>;
  /** Tests replace the app. */
  replaces?: (app: App) => App;
  /** Aborts between two steps: closes the open parts and throws the signal's reason. */
  stopping?: AbortSignal;
};

export async function openRuntime(
  config: Config,
  log: Logger,
  options: RuntimeOptions = { chain: false },
): Promise<Runtime> {
  const { hold, close } = openedParts(options.stopping);
  try {
    return { ...(await assemble(config, log, hold, options)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function assemble(
  config: Config,
  log: Logger,
  hold: OpenedParts["hold"],
  options: RuntimeOptions,
): Promise<Omit<Runtime, "close">> {
  const database = await (options.database ?? startDatabase(config, log, { stopping: options.stopping }));
  hold(() => database.release());
  const isDevelopment = options.chain && config.BASE_RPC_URL === undefined;
  const claim = isDevelopment ? await claimChain(config, database.ownerUrl) : undefined;
  const node = options.chain ? startNode(config, log) : undefined;
  if (node) hold(node.leave);
  const areas = options.areas ?? allAreas;
  const projections = areas.flatMap((area) => area.projections);
  const declaredReactors = areas.flatMap((area) => area.reactors);
  await prepareDatabase(database, config.LOG_ORIGIN_HOST, projections); // the node starts meanwhile
  const warn = (message: string) => (error: Error) => log.warn({ reason: error.message }, message);
  const onError = warn("a database connection broke");
  const max = config.DATABASE_POOL ?? USUAL_POOL;
  const pool = openPool(database.appUrl, { max, wait_ms: config.DATABASE_WAIT_MS, onError });
  hold(() => pool.end());
  await warnOfOneRole(pool, log);
  const clock = await databaseClock(pool);
  const { onBeat, ...presence } = await startHeartbeat(pool);
  hold(presence.leave);
  const onUnlisted = (reason: string) =>
    log.warn({ reason }, "the facilitator does not list what was paid for");
  const base = { pool, url: database.appUrl, onError, onUnlisted, clock };
  const { close: closeChain, ...chain } = await (node ? openChain(config, base, node) : absentChain(config));
  hold(closeChain);
  const entities = entitiesOf(areas);
  const schemas = registry(entities.map(({ events }) => events));
  const { precondition, ...accepting } = createLogAcceptance(() => app, log);
  const store = createEventStore(pool, { schemas, precondition });
  hold(() => store.close());
  const tail = createTail(store, { pool, session_url: database.sessionUrl, has_reports: true, onError });
  hold(() => tail.close());
  onBeat((look) => {
    clock.follow(look);
    tail.report(look.position);
  });
  const { subjects, ...vault } = await openVault(config, database.vaultUrl, { pool, store }, log);
  hold(vault.close);
  const runner = startRunner({ pool, tail, schemas, projections, log, folds: options.folds ?? "all" });
  hold(() => runner.stop());
  const readers = await openReaders(config, store, log);
  hold(() => readers.close());
  const { DATA_DIR: dataDir, DUCKDB_MEMORY_MB: memory_mb, DUCKDB_THREADS: threads } = config;
  const vintages = await openVintages({ dataDir, memory_mb, threads });
  hold(() => vintages.close());
  const snapshots = new SnapshotStore({ data_dir: config.DATA_DIR, vintages });
  hold(() => snapshots.close());
  const printer = createPrinter();
  hold(() => printer.close());
  hold(async () => app.outside?.close());
  const allow_synthetic = allowsSynthetic(config, chain);
  const secret = (purpose: string) => derivedSecret(signingKeyFile(config), config.SIGNING_KEY, purpose);
  const objects = createObjects(pool, objectStoreOf(config), join(config.DATA_DIR, "objects-local"));
  const streams = openStreams(pool, await secret("stream-snapshots"), entities);
  const assembled: App = createApp({
    ...{ pool, presence, store, tail, runner, readers, snapshots, accepting, printer, subjects, objects },
    unit: { store, schemas, subjects, objects, ...streams },
    clock,
    random: systemRandom,
    signer: await openSigner(signingKeyFile(config), config.SIGNING_KEY),
    link_secret: await secret("snapshot-link"),
    signed: await storedHeads(join(config.DATA_DIR, "signed")),
    vintage_store: vintages,
    data: {
      vintages,
      reference: new ReferenceStore({ data_dir: config.DATA_DIR, allow_synthetic }),
      allow_synthetic,
    },
    model: modelOf(config, pool, clock),
    ...chain,
    settlement: settlementOnLogsChain(() => app, chain.settlement),
    ...(await openSeeds(config, { pool, store, onError })),
    answers: createStoredAnswers(pool),
    outside: outsideOf(config, store),
    executor: processExecutor(),
    parser: createParser(),
    webhooks: createWebhooks({ allow_private: config.ALLOW_PRIVATE_WEBHOOKS, ports: config.WEBHOOK_PORTS }),
    health: () => healthOf({ pool, store }, projections, runningReactors(app, declaredReactors)),
    disputes: () => disputesIn(pool, runningReactors(app, declaredReactors)),
    settings: appSettings(config, chain),
  });
  const app = options.replaces?.(assembled) ?? assembled;
  await claim?.join(app);
  await vault.replayErasures(app);
  if (options.reactors) {
    const reactors = await startReactorsOf(areas, app, config, log);
    hold(() => reactors.stop());
  }
  return {
    app,
    areas,
    quotas: createQuotas(pool, clock, warn("quotas cannot be counted")),
    limits: createAddressLimits(pool, clock, warn("calls per address are counted only here")),
  };
}

export async function withRuntime<T>(
  config: Config,
  log: Logger,
  work: (runtime: Runtime) => Promise<T>,
  options?: RuntimeOptions,
): Promise<T> {
  const runtime = await openRuntime(config, log, options);
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}
