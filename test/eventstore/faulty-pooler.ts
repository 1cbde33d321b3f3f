/** A PgBouncer that a test kills, restarts and pauses, in either mode, at a constant address. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../../src/adapters/free-port.ts";
import { until } from "../support/until.ts";

const FIRST_PORT = 6_532;
const NOBODY = 65_534;
const BINARY = process.env.PGBOUNCER ?? "pgbouncer";
const [, version, minor] =
  /PgBouncer (1\.(\d+)\S*)/.exec(spawnSync(BINARY, ["--version"], { encoding: "utf8" }).stdout ?? "") ?? [];

export type PoolMode = "session" | "transaction";

/** Why a mode is not tested here; undefined if it is. */
export function lacking(mode: PoolMode): string | undefined {
  if (version === undefined) return "no PgBouncer here";
  if (mode === "transaction" && Number(minor) < 21)
    return `PgBouncer ${version} keeps no prepared statements, 1.21 does`;
  return undefined;
}

export type FaultyPooler = {
  /** The database through it. */
  url: string;
  /** Commands for one session of its console, in order. */
  command(...texts: string[]): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export async function faultyPooler(target: string, mode: PoolMode): Promise<FaultyPooler> {
  const { host, port, user, password, database } = new pg.Client(target);
  const dir = await mkdtemp(join(tmpdir(), "tallystick-pooler-"));
  await chmod(dir, 0o755);
  const listen_port = await freePort(FIRST_PORT);
  const ini = join(dir, "pgbouncer.ini");
  const to = `host=${host} port=${port} user=${user}${password ? ` password=${password}` : ""}`;
  const prepared = mode === "transaction" ? "max_prepared_statements = 200" : "";
  await writeFile(
    ini,
    `[databases]
${database} = ${to} dbname=${database}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen_port}
unix_socket_dir =
auth_type = any
admin_users = ${user}
pool_mode = ${mode}
default_pool_size = 40
max_client_conn = 500
so_reuseport = 1
${prepared}
ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, extra_float_digits
`,
  );
  await chmod(ini, 0o644);
  // It refuses to run as root; only its owner can enter a socket's folder.
  const account = host.startsWith("/") ? (await stat(host)).uid || NOBODY : NOBODY;
  const asRoot = process.getuid?.() === 0 ? { uid: account, gid: account } : {};
  const at = (name: string) => `postgres://${user}@127.0.0.1:${listen_port}/${name}`;
  const command = async (...texts: string[]) => {
    const console = new pg.Client(at("pgbouncer"));
    console.on("error", () => undefined);
    await console.connect();
    try {
      for (const text of texts) await console.query(text);
    } finally {
      await console.end();
    }
  };
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    if (!child) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
    child = undefined;
  };
  const start = async () => {
    child = spawn(BINARY, ["-q", ini], { ...asRoot, stdio: "ignore" });
    await until(() => command("show version").then(() => true));
  };
  await start();
  return {
    url: at(database!),
    command,
    start,
    kill: () => end("SIGKILL"),
    stop: async () => {
      await end("SIGTERM");
      await rm(dir, { recursive: true, force: true });
    },
  };
}
