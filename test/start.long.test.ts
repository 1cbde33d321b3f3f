/**
 * `npm start` for a newcomer: ready without datasets if none are configured, stopped completely, taken over after
 * kill -9.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, chownSync, constants, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "../src/adapters/folder-lock.ts";
import { freePort } from "../src/adapters/free-port.ts";
import { until } from "./support/until.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Debian's account without files. */
const NOBODY = 65_534;

type Account = { uid: number; gid: number } | undefined;
/** True if others than root can read this checkout; below /root they cannot. */
function isOpenToAll(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK);
    const mode = Number(execFileSync("stat", ["-L", "-c", "%a", folder]).toString());
    return mode % 10 >= 5 && (folder === "/" || isOpenToAll(dirname(folder)));
  } catch {
    return false;
  }
}

const isRoot = process.getuid?.() === 0;
const isUsable = isRoot && isOpenToAll(ROOT);
if (isRoot && !isUsable) console.warn(`an ordinary user cannot read ${ROOT}: nothing is started as one`);
const accounts: [string, Account][] = [["as whoever runs the tests", undefined]];
if (isUsable) accounts.push(["as an ordinary user", { uid: NOBODY, gid: NOBODY }]);

async function dataDirOf(account: Account): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tallystick-start-"));
  // Postgres may run as another account, which needs access.
  await chmod(folder, 0o755);
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}

/** Processes that a failed test must not leave. */
const started: number[] = [];

type Running = { npm: ChildProcess; service: number; postgres: number; chain: number };

async function npmStart(data_dir: string, account: Account): Promise<Running> {
  const port = await freePort(0);
  const npm = spawn("npm", ["start"], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...{ HOME: data_dir, DATA_DIR: data_dir, PORT: String(port), SANDBOX: "0", LOG_LEVEL: "warn" },
      ...{ DATABASE_URL: "", BASE_RPC_URL: "", ANCHORING: "0" },
    },
    stdio: "ignore",
    ...account,
  });
  started.push(npm.pid!);
  await until(async () => {
    expect(npm.exitCode).toBeNull();
    // Everything configured is open: without the sandbox that is no dataset at all.
    expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
  });
  const service = Number(execFileSync("ps", ["-o", "pid=", "--ppid", String(npm.pid)]).toString());
  const postgres = Number.parseInt(readFileSync(join(data_dir, "postgres", "postmaster.pid"), "utf8"), 10);
  const chain = JSON.parse(readFileSync(join(data_dir, "chain", "node.json"), "utf8")).pid as number;
  started.push(service, postgres, chain);
  return { npm, service, postgres, chain };
}

describe.each(accounts)("%s", (_, account) => {
  let data_dir: string;
  let running: Running;
  beforeAll(async () => {
    data_dir = await dataDirOf(account);
  });
  afterAll(async () => {
    for (const pid of started) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await rm(data_dir, { recursive: true, force: true });
  });

  test("npm start is ready without datasets if none are configured", async () => {
    running = await npmStart(data_dir, account);
  });

  test("after kill -9 of the service the next start takes over its processes", async () => {
    const { npm, service, postgres, chain } = running;
    const ended = once(npm, "exit");
    process.kill(service, "SIGKILL");
    await ended;
    expect(isAlive(postgres)).toBe(true);
    running = await npmStart(data_dir, account);
    expect(running).toMatchObject({ postgres, chain });
  });

  test("TERM of npm ends the service, Postgres and the chain", async () => {
    const { npm, service, postgres, chain } = running;
    const ended = once(npm, "exit");
    npm.kill("SIGTERM");
    await ended;
    await until(() => [service, postgres, chain].every((pid) => !isAlive(pid)));
  });
});

test("an old Node gets the required version", () => {
  const launcher = join(ROOT, "bin", "tallystick");
  const old = `Object.defineProperty(process.versions, "node", { value: "12.22.9" }); require(${JSON.stringify(launcher)})`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", old], { encoding: "utf8" });
  expect(stderr).toBe("Tallystick needs Node 20.19 or newer; this is 12.22.9.\n");
  expect(status).toBe(1);
  // Node 12 fails at the first unknown keyword.
  expect(readFileSync(launcher, "utf8")).not.toMatch(/\?\.\w|\?\?|\basync\b|\|\|=/);
});
