/** Puts the runtime together: settings become connections, stores, read models and one `app`. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Logger } from "pino";
import { migrate, rolesSeparated } from "../eventstore/migrate.ts";
import { openPool } from "../eventstore/pool.ts";
import { registry } from "../eventstore/schemas.ts";
import { createEventStore } from "../eventstore/store.ts";
import { createTail } from "../eventstore/tail.ts";
import { clusterFolder, embeddedPostgres } from "./adapters/embedded-postgres.ts";
import { createKeptAnswers, keptAnswersDdl } from "./adapters/kept-answers.ts";
import { keptSecret } from "./adapters/kept-secret.ts";
import { createPrinter } from "./adapters/printing/printer.ts";
import { createQuotas, quotasDdl } from "./adapters/quotas.ts";
import { openSeedVault } from "./adapters/seed-vault.ts";
import { keptHeads } from "./adapters/signed-heads.ts";
import { derivedSecret, heldSigner, openSigner } from "./adapters/signing-key.ts";
import { systemClock, systemRandom } from "./adapters/system.ts";
import { createWebhooks } from "./adapters/webhooks.ts";
import { startAnchoring } from "./anchoring/job.ts";
import { keptProofsDdl } from "./anchoring/kept-proofs.ts";
import { formatVerifierKey, verifierKey } from "./anchoring/note.ts";
import { tilesDdl } from "./anchoring/tile-store.ts";
import { type App, createApp } from "./app.ts";
import { absentChain, closedSettlement, openChain } from "./assemble-chain.ts";
import { type Config, ConfigError } from "./config.ts";
import { ReferenceStore } from "./datasets/reference/store.ts";
import { SnapshotStore } from "./datasets/snapshots.ts";
import { openVintages } from "./datasets/vintage-store.ts";
import * as apiKey from "./domain/access/key.ts";
import * as evaluation from "./domain/alerts/evaluation.ts";
import * as subscription from "./domain/alerts/subscription.ts";
import * as anchor from "./domain/anchoring/anchor.ts";
import type { Hex } from "./domain/chain.ts";
import * as check from "./domain/checks/check.ts";
import * as following from "./domain/checks/following.ts";
import * as loungeAccount from "./domain/lounge/account.ts";
import * as loungeDeposits from "./domain/lounge/deposits.ts";
import * as confirmation from "./domain/payments/confirmation.ts";
import * as payment from "./domain/payments/payment.ts";
import type { Quotas } from "./domain/ports.ts";
import * as reference from "./domain/reference/dataset.ts";
import * as seedCommitment from "./domain/rng/commitment.ts";
import * as roll from "./domain/rng/roll.ts";
import * as seeds from "./domain/rng/seeds.ts";
import * as dataset from "./domain/trade/dataset.ts";
import * as airdrop from "./domain/wallet/airdrop.ts";
import { keysProjection } from "./projections/access/keys.ts";
import { alertsProjection } from "./projections/alerts/subscriptions.ts";
import { anchorGas, anchorGasProjection } from "./projections/anchoring/gas.ts";
import { logProjection } from "./projections/anchoring/log.ts";
import { checksProjection } from "./projections/checks/checks.ts";
import { depositsProjection } from "./projections/lounge/deposits.ts";
import { paymentsProjection } from "./projections/payments/payments.ts";
import { gasSpent } from "./projections/payments/sums.ts";
import { referenceProjection } from "./projections/reference/releases.ts";
import { rngProjection } from "./projections/rng/rng.ts";
import { runnerDdl, startRunner } from "./projections/runner.ts";
import { releasesProjection } from "./projections/trade/releases.ts";
import { airdropGas, airdropsProjection } from "./projections/wallet/airdrops.ts";
import { transfersDdl } from "./projections/wallet/transfers.ts";
import { startAlertReactors } from "./reactors/alerts/start.ts";
import { startCheckReactors } from "./reactors/checks/start.ts";
import { startLoungeReactors } from "./reactors/lounge/start.ts";
import { startPaymentReactors } from "./reactors/payments/start.ts";
import { startSeedReactors } from "./reactors/rng/start.ts";
import { startWalletReactors } from "./reactors/wallet/start.ts";
import { StreamCache } from "./stream-cache.ts";

export type Runtime = {
  app: App;
  quotas: Quotas;
  /** Finishes what was acknowledged, then lets go of everything; safe to call twice. */
  close(): Promise<void>;
};

/** Every domain file that has events, and every read model: a new area adds its line here. */
const eventSchemas = [
  apiKey.events,
  dataset.events,
  reference.events,
  payment.events,
  confirmation.events,
  anchor.events,
  subscription.events,
  seeds.events,
  seedCommitment.events,
  roll.events,
  check.events,
  following.events,
  evaluation.events,
  airdrop.events,
  loungeAccount.events,
  loungeDeposits.events,
];
const projections = [
  keysProjection,
  releasesProjection,
  referenceProjection,
  paymentsProjection,
  anchorGasProjection,
  logProjection,
  alertsProjection,
  rngProjection,
  airdropsProjection,
  checksProjection,
  depositsProjection,
];

const APP_ROLE = "tallystick_app";

/** What of the runtime is opened; the chain only where payments are taken or read, the reactors where the service runs. */
export type RuntimeOptions = { chain: boolean; reactors?: boolean };

export async function openRuntime(
  config: Config,
  log: Logger,
  opening: RuntimeOptions = { chain: false },
): Promise<Runtime> {
  const opened: (() => Promise<unknown>)[] = [];
  let closing: Promise<void> | undefined;
  const close = async () => {
    const failures: unknown[] = [];
    // One part that cannot be closed must not keep the others, the embedded Postgres last, from being let go.
    for (const shut of opened.reverse()) await shut().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { ...(await assemble(config, log, opened, opening)), close: () => (closing ??= close()) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens part after part and notes in `opened` how each is closed again, last first. */
async function assemble(
  config: Config,
  log: Logger,
  opened: (() => Promise<unknown>)[],
  opening: RuntimeOptions,
): Promise<Omit<Runtime, "close">> {
  await mkdir(config.DATA_DIR, { recursive: true, mode: 0o755 }).catch((error: Error) => {
    throw new ConfigError(`DATA_DIR ${config.DATA_DIR} cannot be used: ${error.message}`);
  });
  const database = await databaseOf(config, log);
  opened.push(() => database.release());
  await prepare(database, config.LOG_ORIGIN_HOST);

  const onError = (error: Error) => log.warn({ reason: error.message }, "a database connection broke");
  const pool = openPool(database.appUrl, { max: config.DATABASE_POOL, onError });
  opened.push(() => pool.end());
  if (!(await rolesSeparated(pool))) {
    log.warn(
      "DATABASE_URL connects as a role that could alter the log; set DATABASE_OWNER_URL to separate them",
    );
  }
  const gasRecorded = async (day: string, except: readonly Hex[]) =>
    (await gasSpent(pool, day, except)) +
    (await anchorGas(pool, day, except)) +
    (await airdropGas(pool, day, except));
  const chain = opening.chain
    ? await openedChain(config, log, opened, gasRecorded)
    : await absentChain(config);
  const schemas = registry(eventSchemas);
  const store = createEventStore(pool, { schemas });
  opened.push(() => store.close());
  const tail = createTail(store, { pool, onError });
  opened.push(() => tail.close());
  const runner = startRunner({ pool, tail, projections, log });
  opened.push(() => runner.stop());
  const vintages = await openVintages({
    dataDir: config.DATA_DIR,
    memory_mb: config.DUCKDB_MEMORY_MB,
    threads: config.DUCKDB_THREADS,
  });
  opened.push(() => vintages.close());
  const snapshots = new SnapshotStore({ data_dir: config.DATA_DIR, vintages });
  opened.push(() => snapshots.close());
  const printer = createPrinter();
  opened.push(() => printer.close());
  const allow_synthetic = config.ALLOW_SYNTHETIC || chain.embedded_chain;
  const app = createApp({
    pool,
    store,
    tail,
    unit: { store, schemas, cache: new StreamCache() },
    runner,
    clock: systemClock,
    random: systemRandom,
    signer: await openSigner(signingKeyFile(config), config.SIGNING_KEY),
    snapshots,
    link_secret: await derivedSecret(signingKeyFile(config), config.SIGNING_KEY, "snapshot-link"),
    signed: await keptHeads(join(config.DATA_DIR, "signed")),
    vintages,
    printer,
    reference: new ReferenceStore({ data_dir: config.DATA_DIR, allow_synthetic }),
    ...chain,
    seeds: openSeedVault(config.SEED_SECRET ?? (await keptSecret(join(config.DATA_DIR, "seeds.secret")))),
    answers: createKeptAnswers(pool),
    webhooks: createWebhooks({ allow_private: config.ALLOW_PRIVATE_WEBHOOKS }),
    settings: {
      public_url: config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`,
      allow_synthetic,
      started_at: new Date(),
      seeds: { max_rolls: config.SEED_ROLLS, seconds: config.SEED_SECONDS },
      anchoring: config.ANCHORING
        ? {
            checkpoint_seconds: config.CHECKPOINT_SECONDS,
            witnesses: config.WITNESSES.map(({ key }) => formatVerifierKey(key)),
          }
        : undefined,
    },
  });
  if (opening.reactors) {
    const { settlement } = app;
    const onForeign = (message: string | undefined) => {
      app.settlement = message === undefined ? settlement : closedSettlement(message);
    };
    const reactors = startPaymentReactors(app, log, { onForeign });
    opened.push(() => reactors.stop());
    const alerts = startAlertReactors(app, log);
    opened.push(() => alerts.stop());
    const seedTurns = startSeedReactors(app, log);
    opened.push(() => seedTurns.stop());
    const wallet = startWalletReactors(app, log);
    opened.push(() => wallet.stop());
    const checkTurns = startCheckReactors(app, log);
    opened.push(() => checkTurns.stop());
    const lounge = startLoungeReactors(app, log);
    opened.push(() => lounge.stop());
  }
  if (opening.reactors && config.ANCHORING) {
    await checkOrigin(app);
    const anchoring = startAnchoring(app, log, {
      checkpoint_every_ms: config.CHECKPOINT_SECONDS * 1_000,
      anchor_every_ms: config.ANCHOR_SECONDS * 1_000,
      witnesses: config.WITNESSES,
    });
    opened.push(() => anchoring.stop());
  }

  return {
    app,
    quotas: createQuotas(pool, systemClock, (error) =>
      log.warn({ reason: error.message }, "quotas cannot be counted"),
    ),
  };
}

/** A log's origin is fixed when it is made, and is the name that its checkpoints are signed under. */
async function checkOrigin({ store, signer }: App): Promise<void> {
  const { origin } = await store.identity();
  try {
    verifierKey(origin, "ed25519", signer.public_key);
  } catch (error) {
    throw new ConfigError(`LOG_ORIGIN_HOST, when the log was made: ${(error as Error).message}`);
  }
}

const signingKeyFile = ({ DATA_DIR }: Config) => join(DATA_DIR, "signing.key");

/** The key that a service with these settings signs with, where it has one already. */
export const signingKeyOf = (config: Config) => heldSigner(signingKeyFile(config), config.SIGNING_KEY);

async function openedChain(
  config: Config,
  log: Logger,
  opened: (() => Promise<unknown>)[],
  gasRecorded: (day: string, except: readonly Hex[]) => Promise<bigint>,
) {
  const { close, ...chain } = await openChain(config, log, gasRecorded);
  opened.push(close);
  return chain;
}

/** Opens the runtime for one command. */
export async function withRuntime<T>(
  config: Config,
  log: Logger,
  work: (runtime: Runtime) => Promise<T>,
  opening?: RuntimeOptions,
): Promise<T> {
  const runtime = await openRuntime(config, log, opening);
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}

type Database = {
  ownerUrl: string;
  appUrl: string;
  app_password: string | undefined;
  release(): Promise<void>;
};

/** The database given by address, or the embedded one in DATA_DIR. */
async function databaseOf(config: Config, log: Logger): Promise<Database> {
  if (config.DATABASE_URL) {
    const ownerUrl = config.DATABASE_OWNER_URL ?? config.DATABASE_URL;
    return { ownerUrl, appUrl: config.DATABASE_URL, app_password: undefined, release: async () => {} };
  }
  const server = await embeddedPostgres({
    dir: clusterFolder(config.DATA_DIR),
    onLost: () => log.warn("the embedded Postgres is gone; starting it again"),
  });
  const app_password = await keptSecret(join(config.DATA_DIR, "postgres-app.password"));
  const appUrl = new URL(server.ownerUrl);
  appUrl.username = APP_ROLE;
  appUrl.password = app_password;
  return {
    ownerUrl: server.ownerUrl,
    appUrl: appUrl.href,
    app_password,
    release: server.leave,
  };
}

async function prepare(database: Database, host: string): Promise<void> {
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 1 });
  try {
    await owner.query("select 1").catch((error: Error & { code?: string }) => {
      const host = new URL(database.ownerUrl).host;
      throw new ConfigError(
        `DATABASE_URL (or DATABASE_OWNER_URL): no entry at ${host}: ${error.message || error.code}`,
      );
    });
    const separate = database.ownerUrl !== database.appUrl;
    const app_role = separate ? decodeURIComponent(new URL(database.appUrl).username) : undefined;
    await migrate(owner, { host, app_role, app_password: database.app_password });
    const client = await owner.connect();
    try {
      await client.query("begin");
      await client.query("select pg_advisory_xact_lock(1380270404, 1)");
      for (const ddl of [
        runnerDdl,
        quotasDdl,
        keptAnswersDdl,
        tilesDdl,
        keptProofsDdl,
        transfersDdl,
        ...projections.map((projection) => projection.ddl),
      ])
        await client.query(ddl);
      if (app_role) await client.query(grantsFor(client.escapeIdentifier(app_role)));
      await client.query("commit");
    } finally {
      client.release();
    }
  } finally {
    await owner.end();
  }
}

/** Read models and counters are the application's to write; to the tree it can only add; the log is not its own. */
const grantsFor = (role: string) => `
  grant usage on schema anchoring to ${role};
  grant select, insert on all tables in schema anchoring to ${role};
  grant usage on schema read, access to ${role};
  grant select, insert, update, delete, truncate on all tables in schema read, access to ${role};
  grant execute on all functions in schema access to ${role};`;
