/** The parts that a service needs from its surroundings, each judged alone: for `tallystick doctor`. */
import { existsSync } from "node:fs";
import { access, constants, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import pg from "pg";
import { engineChecks, preflight } from "../../eventstore/preflight.ts";
import { chainBinary } from "../adapters/embedded-chain.ts";
import { jsonRpc } from "../adapters/json-rpc.ts";
import { unprivilegedAccount, usableBinaries } from "../adapters/postgres-binaries.ts";
import { inTime } from "../core/coordination/concurrency.ts";
import { systemReason } from "../core/model/system-reason.ts";
import { BASE } from "../domain/payments/usdc.ts";
import { missingContracts } from "./base-contracts.ts";
import type { Config } from "./config.ts";
import { openDataDir } from "./database.ts";

export type Check = {
  name: string;
  status: "ok" | "warn" | "fail";
  says: string;
  /** How to mend it; null if nothing is wrong. */
  remedy: string | null;
};

export const ok = (name: string, says: string): Check => ({ name, status: "ok", says, remedy: null });
export const warn = (name: string, says: string, remedy: string): Check => ({
  name,
  status: "warn",
  says,
  remedy,
});
export const fail = (name: string, says: string, remedy: string): Check => ({
  name,
  status: "fail",
  says,
  remedy,
});

const CHECK_MS = 15_000;
const GB = 1_000_000_000;
/** The sandbox takes about 300 MB, a full history of trade some 40 GB. */
const LEAST_FREE = GB / 2;
const AMPLE_FREE = 5 * GB;
/** Base makes a block every two seconds. */
const STALE_BLOCK_S = 60;
const CLOCK_APART_MS = 1_000;

/** Every check of the configured surroundings; none rejects, and none waits longer than 15 seconds. */
export function checkup(config: Config): Promise<Check[]> {
  const checks: readonly (readonly [string, Promise<Check | Check[]>])[] = [
    ["disk", checkDisk(config)],
    ["postgres", checkPostgres(config)],
    ["vault", checkVault(config)],
    ["chain", checkChain(config)],
    ["clock", checkClock(config)],
  ];
  return Promise.all(checks.map(([name, check]) => inCheckTime(name, check))).then((all) => all.flat());
}

const inCheckTime = (name: string, check: Promise<Check | Check[]>): Promise<Check | Check[]> =>
  inTime(CHECK_MS, check, () => new Error(`no answer within ${CHECK_MS / 1_000} s`)).catch((error: Error) =>
    fail(name, error.message, "run the command again; if the failure stays, restart this part"),
  );

async function checkDisk(config: Config): Promise<Check> {
  const { DATA_DIR } = config;
  const isThere = existsSync(DATA_DIR);
  const place = isThere ? DATA_DIR : parentOf(DATA_DIR);
  try {
    if (isThere) await openDataDir(config);
    else await access(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    const says = isThere ? (error as Error).message : `${place} is not writable, and ${DATA_DIR} is missing`;
    return fail("disk", says, "set DATA_DIR to a folder that this account may write");
  }
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const room = `${(free / GB).toFixed(1)} GB free`;
  const says = isThere
    ? `${DATA_DIR} is writable, with ${room}`
    : `${DATA_DIR} is made by the first start, with ${room}`;
  if (free < LEAST_FREE) return fail("disk", says, "free at least 0.5 GB, or move DATA_DIR to another disk");
  if (free < AMPLE_FREE) return warn("disk", says, "leave 5 GB for the log and the data");
  return ok("disk", says);
}

/** The nearest folder above that exists. */
const parentOf = (path: string): string => {
  const parent = dirname(path);
  return existsSync(parent) || parent === path ? parent : parentOf(parent);
};

async function checkPostgres(config: Config): Promise<Check> {
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_SESSION_URL, DATABASE_WAIT_MS } = config;
  if (DATABASE_URL === undefined)
    return usableBinaries(unprivilegedAccount()).then(
      () => ok("postgres", "the embedded one, which starts with the service"),
      (error: Error) => fail("postgres", error.message, "set DATABASE_URL"),
    );
  const owner = DATABASE_OWNER_URL ?? DATABASE_SESSION_URL ?? DATABASE_URL;
  const { host } = new URL(owner);
  try {
    await preflight(owner, engineChecks, DATABASE_WAIT_MS);
    const version = await queried(DATABASE_URL, DATABASE_WAIT_MS, "show server_version");
    if (DATABASE_OWNER_URL === undefined)
      return warn(
        "postgres",
        `${version} at ${host} is suitable, but one role owns and writes the log`,
        "set DATABASE_OWNER_URL to the owner, and DATABASE_URL to a role that can only append",
      );
    return ok("postgres", `${version} at ${host} is suitable`);
  } catch (error) {
    return fail("postgres", `${host}: ${reasonOf(error)}`, "check DATABASE_URL and DATABASE_OWNER_URL");
  }
}

async function checkVault({
  SUBJECT_KEYS_URL: url,
  DATABASE_URL,
  DATABASE_WAIT_MS,
}: Config): Promise<Check[]> {
  if (url === undefined && DATABASE_URL === undefined) return [];
  if (url === undefined)
    return [
      warn(
        "vault",
        "there is no vault, so calls with personal data are refused",
        "set SUBJECT_KEYS_URL to a database of its own",
      ),
    ];
  const { host } = new URL(url);
  return queried(url, DATABASE_WAIT_MS, "show server_version").then(
    (version) => [ok("vault", `${version} at ${host} answers`)],
    (error) => [fail("vault", `${host}: ${reasonOf(error)}`, "check SUBJECT_KEYS_URL")],
  );
}

type RpcBlock = { number: string; timestamp: string };

async function checkChain({ BASE_RPC_URL }: Config): Promise<Check> {
  if (BASE_RPC_URL === undefined) {
    try {
      chainBinary();
      return ok("chain", "the embedded development chain, which starts with the service");
    } catch (error) {
      return fail("chain", (error as Error).message, "set BASE_RPC_URL to a node of Base");
    }
  }
  const { host } = new URL(BASE_RPC_URL);
  try {
    const ask = jsonRpc({ rpc_url: BASE_RPC_URL, chain_id: BASE.chain_id });
    const { number, timestamp } = await ask<RpcBlock>("eth_getBlockByNumber", ["latest", false]);
    const missing = await missingContracts(ask, host);
    if (missing) return fail("chain", missing.says, missing.remedy);
    const age_s = Math.round(Date.now() / 1_000 - Number(timestamp));
    const says = `Base at ${host}, block ${Number(number)} of ${age_s} s ago`;
    if (age_s > STALE_BLOCK_S)
      return warn("chain", says, "the node lags: wait for it, or set BASE_RPC_URL to another");
    return ok("chain", says);
  } catch (error) {
    return fail("chain", `${host}: ${reasonOf(error)}`, "set BASE_RPC_URL to a node of Base that answers");
  }
}

/** Events bear the database's time, and payments are valid by this machine's. */
async function checkClock({ DATABASE_URL, DATABASE_WAIT_MS }: Config): Promise<Check> {
  if (DATABASE_URL === undefined)
    return ok("clock", `${new Date().toISOString()}, which the embedded Postgres shares`);
  const sql = "select (extract(epoch from clock_timestamp()) * 1000)::float8::text";
  const before = Date.now();
  const answer = await queried(DATABASE_URL, DATABASE_WAIT_MS, sql).catch(() => undefined);
  if (answer === undefined)
    return warn("clock", "not compared, as Postgres does not answer", "mend Postgres");
  const apart_ms = Math.max(0, Math.abs(Number(answer) - (before + Date.now()) / 2) - (Date.now() - before));
  const says = `this machine's and Postgres' are ${Math.round(apart_ms)} ms apart`;
  return apart_ms > CLOCK_APART_MS ? warn("clock", says, "set both by NTP") : ok("clock", says);
}

/** The one value of a query, in a session of its own. */
async function queried(connectionString: string, wait_ms: number, sql: string): Promise<string> {
  const client = new pg.Client({
    connectionString,
    application_name: "tallystick doctor",
    connectionTimeoutMillis: wait_ms,
    query_timeout: wait_ms,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<string[]>({ text: sql, rowMode: "array" });
    return String(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}

function reasonOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string };
  const under = cause instanceof Error ? (systemReason(cause) ?? cause.message) : undefined;
  return systemReason(error) ?? under ?? (message || code || "no answer");
}
