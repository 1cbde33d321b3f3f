/** A process exits on a signal: at once if nothing hangs, and within its time otherwise. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { run } from "./audit/run-command.ts";
import type { FreshDatabase } from "./support/database.ts";
import { PATIENT } from "./support/patience.ts";
import { preparedDatabase } from "./support/prepared-database.ts";
import { until } from "./support/until.ts";

const bin = new URL("../bin/tallystick", import.meta.url).pathname;

let dir: string;
let database: FreshDatabase;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-leaving-"));
  database = await preparedDatabase();
});
afterAll(async () => {
  await database?.drop();
  await rm(dir, { recursive: true, force: true });
});

const environment = (more: Record<string, string>) => ({
  ...PATIENT,
  ...{ PATH: process.env.PATH, HOME: dir, DATA_DIR: dir, DATABASE_URL: database.url, PORT: "0" },
  ...{ SANDBOX: "0", ANCHORING: "0", LOG_LEVEL: "info", ...more },
});

/** `tallystick serve`, once it is ready. */
async function serving(more: Record<string, string> = {}) {
  const child: ChildProcess = spawn(process.execPath, [bin, "serve"], { env: environment(more) });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (output += chunk));
  const ended = new Promise<number | string | null>((end) =>
    child.once("exit", (code, signal) => end(code ?? signal)),
  );
  const url = await until(() => /listens at (\S+)/.exec(output)?.[1] ?? false);
  return { url, child, ended, output: () => output };
}

async function issuedKey(): Promise<string> {
  const { PATH: _, ...settings } = environment({});
  const { said } = await run(["keys", "issue", "--tenant", "acme", "--json"], settings);
  return (JSON.parse(said) as { secret: string }).secret;
}

const FEED = "/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z&follow=true";

/** A follower of the feed that never reads a byte. */
async function deafReader(url: string, secret: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((done) => socket.once("connect", () => done()));
  socket.write(`GET ${FEED} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n\r\n`);
}

test("endless feeds are closed, read or not, and the service exits with 0", async () => {
  const service = await serving();
  const secret = await issuedKey();
  const headers = { Authorization: `Bearer ${secret}` };
  const feed = await fetch(service.url + FEED, { headers });
  const events = await fetch(service.url + FEED, { headers: { ...headers, Accept: "text/event-stream" } });
  await deafReader(service.url, secret);
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
  expect(await feed.text()).toContain("cursor");
  expect(await events.text()).toContain("cursor");
});

test("an unresponsive database delays the exit by LEAVE_SECONDS at most; another signal changes nothing", async () => {
  const service = await serving({ LEAVE_SECONDS: "2" });
  const blocker = new pg.Client({ connectionString: database.url });
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query("begin");
  await blocker.query("lock table read.checkpoints, reactors.leases in access exclusive mode");
  service.child.kill("SIGTERM");
  service.child.kill("SIGTERM");
  // A transaction ends after half a minute at most, and then everything would be done.
  expect(await service.ended).toBe(1);
  expect(service.output()).toContain("stopped before all calls finished");
  await blocker.query("rollback");
  const next = await serving();
  next.child.kill("SIGTERM");
  expect(await next.ended).toBe(0);
});
