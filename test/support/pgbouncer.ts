/**
 * PgBouncer in transaction mode in front of a database, if this machine has a version with prepared statements
 * (1.21): in PATH, or named by PGBOUNCER.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../../src/adapters/free-port.ts";
import { until } from "./until.ts";

const FIRST_PORT = 6_432;
const NOBODY = 65_534;

const BINARY = process.env.PGBOUNCER ?? "pgbouncer";
const [, version, minor] =
  /PgBouncer (1\.(\d+)\S*)/.exec(spawnSync(BINARY, ["--version"], { encoding: "utf8" }).stdout ?? "") ?? [];

/** Its version, or why it is not used; `version` is undefined if there is none. */
export const pgbouncer = {
  version,
  lacks:
    version === undefined
      ? "no PgBouncer here"
      : Number(minor) < 21
        ? `PgBouncer ${version} keeps no prepared statements, 1.21 does`
        : undefined,
};

export type Pooler = {
  /** The same database through it. */
  url: string;
  /** Queries its console. */
  ask<Row extends pg.QueryResultRow>(command: string): Promise<Row[]>;
  stop(): Promise<void>;
};

/** Configured as in docs/operating.md, with `pool_size` connections to the database for any number of clients. */
export async function startPgBouncer(target: string, pool_size: number): Promise<Pooler> {
  const { host, port, user, password, database } = new pg.Client(target);
  const dir = await mkdtemp(join(tmpdir(), "tallystick-pgbouncer-"));
  await chmod(dir, 0o755);
  const listen_port = await freePort(FIRST_PORT);
  const ini = join(dir, "pgbouncer.ini");
  const to = `host=${host} port=${port} user=${user}${password ? ` password=${password}` : ""}`;
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
pool_mode = transaction
default_pool_size = ${pool_size}
max_client_conn = 500
max_prepared_statements = 200
ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout
`,
  );
  await chmod(ini, 0o644);
  // It refuses to run as root; a socket is in a folder that only its owner may enter.
  const account = host.startsWith("/") ? (await stat(host)).uid || NOBODY : NOBODY;
  const asRoot = process.getuid?.() === 0 ? { uid: account, gid: account } : {};
  const child: ChildProcess = spawn(BINARY, ["-q", ini], { ...asRoot, stdio: "ignore" });
  const ended = once(child, "exit");
  const at = (name: string) => `postgres://${user}@127.0.0.1:${listen_port}/${name}`;
  const ask: Pooler["ask"] = async (command) => {
    const console = new pg.Client(at("pgbouncer"));
    console.on("error", () => undefined);
    await console.connect();
    // Its console supports only the simple protocol, without parameters.
    return console
      .query(command)
      .then(
        ({ rows }) => rows,
        (error) => Promise.reject(error),
      )
      .finally(() => console.end());
  };
  await until(() => ask("show version").then(() => true));
  return {
    url: at(database!),
    ask,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
