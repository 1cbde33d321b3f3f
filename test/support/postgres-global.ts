import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { embeddedPostgres } from "../../src/adapters/embedded-postgres.ts";
import { isAlive } from "../../src/adapters/folder-lock.ts";
import { compile } from "./compiled.ts";

declare module "vitest" {
  export interface ProvidedContext {
    postgresUrl: string;
    /** A database of the run whose copies services start with, created by the first that needs it. */
    templateDatabase: string;
    /** A folder of the run. */
    runDir: string;
  }
}

/**
 * One real Postgres for the whole run: TEST_DATABASE_URL if given, otherwise an embedded one without fsync (crash
 * tests have their own).
 */
export default async function setup(project: TestProject) {
  compile();
  const dir = await runFolder();
  process.env.TMPDIR = dir;
  project.provide("runDir", dir);
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? undefined : await ownPostgres(join(dir, "postgres"));
  project.provide("postgresUrl", given ?? server!.ownerUrl);
  const template = `template_${randomBytes(8).toString("hex")}`;
  project.provide("templateDatabase", template);
  return async () => {
    await endNodes(dir);
    await server?.leave();
    if (given) await asOwner(given, `drop database if exists ${template}`);
    await rm(dir, { recursive: true, force: true });
  };
}

const MEMORY = "/dev/shm";
const LEAST_ROOM = 12 * 2 ** 30;

/**
 * In memory where there is room, as are all folders of the tests. Each service gets a copy of a database of 900 files, and
 * making files takes four times as long on a disk.
 */
async function runFolder(): Promise<string> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  const place = Math.min(room, process.availableMemory()) >= LEAST_ROOM ? MEMORY : tmpdir();
  if (place === MEMORY) await removeOrphans();
  const dir = await mkdtemp(join(place, `${PREFIX}${process.pid}-`));
  await chmod(dir, 0o755);
  return dir;
}

const PREFIX = "tallystick-test-";

/** Removes the folders of killed runs, which would fill the memory. */
async function removeOrphans(): Promise<void> {
  for (const name of await readdir(MEMORY)) {
    if (!name.startsWith(PREFIX) || isAlive(Number(name.slice(PREFIX.length).split("-")[0]))) continue;
    await endServer(join(MEMORY, name, "postgres"));
    await rm(join(MEMORY, name), { recursive: true, force: true });
  }
}

async function endServer(dir: string): Promise<void> {
  const pid = Number((await readFile(join(dir, "postmaster.pid"), "utf8").catch(() => "")).split("\n")[0]);
  if (pid > 0 && isAlive(pid)) process.kill(pid, "SIGQUIT");
}

async function ownPostgres(dir: string) {
  const server = await embeddedPostgres({
    dir,
    settings: { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "500" },
  });
  // A run opens thousands of connections, and hashing a password 4,096 times for each takes a minute of it.
  const { username, password } = new URL(server.ownerUrl);
  await asOwner(
    server.ownerUrl,
    "alter system set scram_iterations = 1",
    "select pg_reload_conf()",
    "set scram_iterations = 1",
    `alter role ${username} password '${password}'`,
  );
  return server;
}

/** The nodes that workers lent to their files; without its folder, none is restarted. */
async function endNodes(runDir: string): Promise<void> {
  const nodes = join(runDir, "nodes");
  const names = await readdir(nodes).catch(() => []);
  const answer = await Promise.all(names.map((name) => readFile(join(nodes, name, "node.json"), "utf8")));
  await rm(nodes, { recursive: true, force: true });
  for (const { pid } of answer.map((text) => JSON.parse(text))) if (isAlive(pid)) process.kill(pid);
}

async function asOwner(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}
