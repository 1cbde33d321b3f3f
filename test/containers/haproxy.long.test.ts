/**
 * Two processes on one database behind docker/haproxy.cfg, with HAProxy itself: each is restarted under load in
 * turn.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../src/adapters/free-port.ts";
import type { FreshDatabase } from "../support/database.ts";
import { PATIENT } from "../support/patience.ts";
import { preparedDatabase } from "../support/prepared-database.ts";
import { scaled } from "../support/scale.ts";
import { until } from "../support/until.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const bin = join(ROOT, "bin/tallystick");

function isThere(): boolean {
  try {
    execFileSync("haproxy", ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    console.warn("there is no haproxy here: docker/haproxy.cfg is not run");
    return false;
  }
}

describe.skipIf(!isThere())("behind HAProxy", () => {
  let dir: string;
  let database: FreshDatabase;
  let ports: number[];
  let proxied: string;
  let secret: string;
  const running: ChildProcess[] = [];
  const processes: { child: ChildProcess; ended: Promise<number | null> }[] = [];

  const environment = (port: number) => ({
    ...{ PATH: process.env.PATH, HOME: dir, DATA_DIR: dir, DATABASE_URL: database.url, PORT: String(port) },
    ...PATIENT,
    ...{ SANDBOX: "0", ANCHORING: "0", LOG_LEVEL: "warn", TRUST_PROXY: "1", LINGER_SECONDS: "2" },
  });
  const isReady = async (url: string) =>
    fetch(`${url}/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );

  async function start(n: number): Promise<void> {
    const child = spawn(process.execPath, [bin, "serve"], {
      env: environment(ports[n]!),
      stdio: ["ignore", "inherit", "inherit"],
    });
    running.push(child);
    processes[n] = { child, ended: new Promise((end) => child.once("exit", end)) };
    await until(() => isReady(`http://127.0.0.1:${ports[n]}`));
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "tallystick-haproxy-"));
    database = await preparedDatabase();
    ports = [await freePort(0), await freePort(0), await freePort(0)];
    await start(0);
    await start(1);
    const output = execFileSync(
      process.execPath,
      [
        bin,
        "keys",
        "issue",
        "--tenant",
        "acme",
        "--scopes",
        "read,order",
        "--daily",
        "1000000",
        "--monthly",
        "1000000",
        "--json",
      ],
      {
        env: environment(0),
      },
    );
    ({ secret } = JSON.parse(String(output)));
    const [ONE, TWO, BIND] = ports.map((port) => `127.0.0.1:${port}`);
    const env = { ...process.env, ONE, TWO, BIND };
    running.push(spawn("haproxy", ["-f", join(ROOT, "docker/haproxy.cfg")], { env, stdio: "ignore" }));
    proxied = `http://${BIND}`;
    await until(() => isReady(proxied));
  });
  afterAll(async () => {
    // The last process to leave stops their shared chain.
    for (const { child, ended } of processes) {
      child.kill("SIGTERM");
      await ended;
    }
    for (const child of running) child.kill("SIGKILL");
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const headers = () => ({ Authorization: `Bearer ${secret}`, "Content-Type": "application/json" });
  let proposed = 0;
  /** Appends an event by any process; returns its name, and the log's position with it. */
  async function propose(): Promise<{ id: string; status: number; position: string | null }> {
    const body = {
      title: "Say what a month is",
      description: "For readers.",
      target_file: "docs/example.md",
    };
    const answer = await fetch(`${proxied}/v1/agent/evolution/propose`, {
      method: "POST",
      headers: headers(),
      body: JSON.stringify({ ...body, draft_content: `Month ${++proposed} is written YYYY-MM.\n` }),
    });
    const result = await answer.text();
    if (answer.status >= 300) failures.push(`${answer.status} ${result.slice(0, 300)}`);
    const id = /pipeline\/(\d+)/.exec(result)?.[1] ?? "";
    return { id, status: answer.status, position: answer.headers.get("Log-Position") };
  }
  const failures: string[] = [];

  test("each process is restarted during calls: none fails, each is recorded once, and a caller with its position reads its own writes", async () => {
    let isOver = false;
    let read = 0;
    const made: string[] = [];
    const callers = Array.from({ length: scaled(3, 2) }, async () => {
      while (!isOver && failures.length === 0) {
        const since = new Date(Date.now() - 5_000).toISOString();
        const { id, position } = await propose().catch((error: Error) => {
          failures.push(String(error.cause ?? error));
          return { id: "", position: null };
        });
        if (position === null) continue;
        made.push(id);
        const answer = await fetch(`${proxied}/v1/agent/replay/wal-since?since=${since}`, {
          headers: { ...headers(), "Min-Log-Position": position },
        });
        read++;
        const result = await answer.text();
        if (!result.includes(id)) failures.push(`${answer.status}: ${id} is not in ${result.slice(0, 300)}`);
      }
    });
    for (const n of Array.from({ length: scaled(1) }, () => [0, 1]).flat()) {
      const before = read;
      await until(() => read > before + 20 || failures.length > 0);
      processes[n]!.child.kill("SIGTERM");
      expect(await processes[n]!.ended).toBe(0);
      await until(() => read > before + 40 || failures.length > 0);
      await start(n);
    }
    isOver = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ id: string; n: number }>(
      "select substring(stream_id from '[0-9]+$') as id, count(*)::int as n from eventstore.events where type = 'ImprovementProposed' group by 1",
    );
    await client.end();
    expect(rows.filter(({ n }) => n !== 1)).toEqual([]);
    expect(rows.map(({ id }) => id).sort()).toEqual(made.toSorted());
  });

  test("a killed process is left out, and the operator's paths are not reachable", async () => {
    processes[0]!.child.kill("SIGKILL");
    await processes[0]!.ended;
    await until(async () => (await propose()).status < 300);
    for (let n = 0; n < 10; n++) expect(await isReady(proxied)).toBe(true);
    expect((await fetch(`${proxied}/metrics`)).status).toBe(404);
  });
});
