/** A primary Postgres, and real standbys: copies of its folder that stream later changes. */
import { randomBytes } from "node:crypto";
import {
  appendFile,
  chmod,
  chown,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type EmbeddedPostgres, embeddedPostgres } from "../../src/adapters/embedded-postgres.ts";
import { unprivilegedAccount } from "../../src/adapters/postgres-binaries.ts";
import { until } from "./until.ts";

export type Standby = {
  url: string;
  /** Pauses and resumes replay. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Makes it an independent database, which accepts appends. */
  promote(): Promise<void>;
  /** Cuts the connection to the primary for good: both continue, and nothing more arrives. */
  cutOff(): Promise<void>;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
  /** Restarts it in place. */
  start(): Promise<void>;
  /** Its connections stay open and hang until they are thawed. */
  freeze(): Promise<{ thaw(): void }>;
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
};

export type Cluster = {
  url: string;
  standby(): Promise<Standby>;
  /** From here on a commit is acknowledged once a standby has it; a standby must follow by then. */
  waitForStandby(): Promise<void>;
  /** Ends the primary like a power cut. */
  kill(): Promise<void>;
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  stop(): Promise<void>;
};

/** Files of the running server, not of its data: a base backup omits them (PostgreSQL manual, 26.3.4). */
const NOT_COPIED =
  /^(postmaster\.(pid|opts)|server\.log|\.s\.PGSQL\..*|pg_wal|pg_replslot|pg_stat_tmp|pgsql_tmp.*)$/;

/** A primary without fsync in a new folder. */
export async function startCluster(): Promise<Cluster> {
  const root = await mkdtemp(join(tmpdir(), "ts-"));
  await chmod(root, 0o755);
  const dir = join(root, "primary");
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    wal_keep_size: "'512MB'",
    max_connections: "200",
  };
  const primary = await embeddedPostgres({ dir, settings, revive: false });
  const standbys: { stop(): Promise<void> }[] = [];
  const query = queriesTo(primary.ownerUrl);
  return {
    url: primary.ownerUrl,
    query,
    async standby() {
      const copy = join(root, `s${standbys.length}`);
      await copyCluster(primary.ownerUrl, dir, copy);
      const standby = await startStandby(copy);
      standbys.push(standby);
      return standby;
    },
    async waitForStandby() {
      await query("alter system set synchronous_standby_names = 'standby'");
      await query("alter system set synchronous_commit = on");
      await query("select pg_reload_conf()");
      await until(async () => {
        const [follower] = await query<{ sync_state: string }>("select sync_state from pg_stat_replication");
        return follower?.sync_state === "sync";
      });
    },
    kill: () => killServer(dir),
    async stop() {
      for (const standby of standbys) await standby.stop();
      await primary.leave();
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function copyCluster(ownerUrl: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await copyFolder(from, to);
    const { rows } = await client.query<{ label: string }>(
      "select labelfile as label from pg_backup_stop(false)",
    );
    const { username, password, port } = new URL(ownerUrl);
    const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=standby`;
    await owned(join(to, "backup_label"), rows[0]!.label);
    await owned(join(to, "standby.signal"), "");
    for (const folder of ["pg_wal", "pg_wal/archive_status", "pg_replslot", "pg_stat_tmp"])
      await ownedFolder(join(to, folder));
    await appendFile(
      join(to, "postgresql.auto.conf"),
      `primary_conninfo = '${conninfo}'\nwal_retrieve_retry_interval = '100ms'\n`,
    );
    await owned(`${to}.password`, await readFile(`${from}.password`, "utf8"));
  } finally {
    await client.end();
  }
}

const account = unprivilegedAccount();
const give = async (path: string) => (account ? chown(path, account.uid, account.gid) : undefined);
async function owned(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await give(path);
}
async function ownedFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await give(path);
}

/** A fuzzy copy: it lacks later changes, and the server's WAL repairs the rest. */
async function copyFolder(from: string, to: string): Promise<void> {
  await ownedFolder(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (NOT_COPIED.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target);
    else {
      const isThere = await copyFile(source, target).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error;
          return false;
        },
      );
      if (isThere) await give(target);
    }
  }
}

async function startStandby(dir: string): Promise<Standby & { stop(): Promise<void> }> {
  let server: EmbeddedPostgres | undefined = await embeddedPostgres({ dir, revive: false });
  const url = server.ownerUrl;
  const query = queriesTo(url);
  return {
    url,
    query,
    pause: async () => {
      await query("select pg_wal_replay_pause()");
      await until(async () => {
        const [state] = await query<{ state: string }>("select pg_get_wal_replay_pause_state() as state");
        return state!.state === "paused";
      });
    },
    resume: async () => void (await query("select pg_wal_replay_resume()")),
    promote: async () => void (await query("select pg_promote()")),
    async cutOff() {
      await query("alter system set primary_conninfo = 'host=127.0.0.1 port=1'");
      await query("select pg_reload_conf()");
      await until(async () => (await query("select 1 from pg_stat_wal_receiver")).length === 0);
    },
    async kill() {
      await killServer(dir);
      await server?.leave().catch(() => undefined);
      server = undefined;
    },
    async start() {
      server = await embeddedPostgres({ dir, revive: false });
      if (server.ownerUrl !== url) throw new Error("the standby has another port than before");
    },
    async freeze() {
      const rows = await query<{ pid: number }>(
        "select pid from pg_stat_activity where backend_type = 'client backend' and application_name = 'tallystick'",
      );
      // The server too, so that new connections hang.
      const pids = [await pidOf(dir), ...rows.map(({ pid }) => pid)];
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      return {
        thaw: () => {
          for (const pid of pids) process.kill(pid, "SIGCONT");
        },
      };
    },
    async stop() {
      await server?.leave();
    },
  };
}

/** Queries to a server, each on its own connection. */
const queriesTo =
  (url: string) =>
  async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url, query_timeout: 60_000 });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  };

const pidOf = async (dir: string) =>
  Number((await readFile(join(dir, "postmaster.pid"), "utf8")).split("\n")[0]);

async function killServer(dir: string): Promise<void> {
  const pid = await pidOf(dir);
  process.kill(pid, "SIGKILL");
  await until(() => isGone(pid));
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/** A unique name. */
export const nameOnce = () =>
  [...randomBytes(12)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");
