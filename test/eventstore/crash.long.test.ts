import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppendUnknown } from "../../eventstore/errors.ts";
import { migrate } from "../../eventstore/migrate.ts";
import { openPool } from "../../eventstore/pool.ts";
import { createEventStore, type EventStore } from "../../eventstore/store.ts";
import { type EmbeddedPostgres, embeddedPostgres } from "../../src/adapters/embedded-postgres.ts";
import { until } from "../support/until.ts";
import { appended, commitOf, keyed } from "./fixture.ts";

/** A proxy to a Postgres that changes its port with each start; it can hold answers back. */
class Wire {
  port = 0;
  target = 0;
  silent = false;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((near) => {
    const far = connect(this.target, "127.0.0.1");
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => {
      if (!this.silent) near.write(bytes);
    });
  });

  async open(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    const address = this.#server.address();
    this.port = typeof address === "object" && address ? address.port : 0;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

let dir: string;
let server: EmbeddedPostgres;
let pool: pg.Pool;
let store: EventStore;
const wire = new Wire();

async function start(): Promise<void> {
  // fsync is on, like in a real cluster.
  server = await embeddedPostgres({ dir: join(dir, "postgres"), revive: false });
  wire.target = Number(new URL(server.ownerUrl).port);
}

/** kill -9 for the postmaster and its processes: no shutdown, no checkpoint, no message to clients. */
async function killServer(): Promise<void> {
  const postmaster = Number(readFileSync(join(dir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
  const family = [postmaster, ...childrenOf(postmaster)];
  for (const pid of family) kill(pid);
  // A zombie still counts as a running server.
  await until(() => !family.some((pid) => existsSync(`/proc/${pid}`)));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // A backend may have ended since the list was read.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")[1],
    );
  } catch {
    // Gone since the folder was listed.
    return undefined;
  }
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-crash-"));
  await chmod(dir, 0o755);
  await start();
  await wire.open();
  await migrate(server.ownerUrl, { host: "test.example" });
  const url = new URL(server.ownerUrl);
  url.host = `127.0.0.1:${wire.port}`;
  pool = openPool(url.href);
  store = createEventStore(pool, { attempts: 2 });
});

afterAll(async () => {
  await store.close();
  await pool.end();
  wire.close();
  await killServer();
  await rm(dir, { recursive: true, force: true });
});

async function eventsNow(): Promise<number> {
  const client = new pg.Client({ connectionString: server.ownerUrl });
  client.on("error", () => {});
  await client.connect();
  const answer = await client.query("select count(*)::int as n from eventstore.events");
  await client.end();
  return answer.rows[0].n;
}

const onlyOnLinux = test.skipIf(process.platform !== "linux");

onlyOnLinux(
  "killed after the commit and before the acknowledgement: the same key again gives the one copy",
  async () => {
    appended(await store.append(commitOf()));
    const commit = commitOf({ stream_id: "paid" }, { amount: "5.00" }, keyed("payment-1"));
    wire.silent = true;
    const unanswered = store.append(commit);
    const failure = expect(unanswered).rejects.toBeInstanceOf(AppendUnknown);
    await until(async () => (await eventsNow()) === 2);
    await killServer();
    await failure;
    wire.silent = false;
    await start();
    const again = await store.append(commit);
    expect(again).toMatchObject({
      status: "replayed",
      events: [{ stream_id: "paid", version: 1, position: 2 }],
    });
    expect(await eventsNow()).toBe(2);
  },
);

onlyOnLinux(
  "killed under load: every acknowledged commit is there, and every repeated key occurs once",
  async () => {
    const before = (await store.head()).position;
    const commits = Array.from({ length: 400 }, (_, n) =>
      commitOf({ stream_id: `load-${n}`, expected_version: 0 }, { n }, keyed(`load-${n}`)),
    );
    const acknowledged = new Set<number>();
    const load = Promise.allSettled(
      commits.map(async (commit, n) => {
        // Staggered, so that the kill finds some done, some in flight and some not begun.
        await new Promise((wake) => setTimeout(wake, n));
        appended(await store.append(commit));
        acknowledged.add(n);
      }),
    );
    await until(() => acknowledged.size > 100);
    await killServer();
    await load;
    await start();
    const kept = await store.readLog({ after: before, limit: 1_000 });
    const there = new Set(kept.map((event) => event.payload.n));
    expect([...acknowledged].filter((n) => !there.has(n))).toEqual([]);
    expect(acknowledged.size).toBeLessThan(400);
    for (const result of await Promise.all(commits.map((commit) => store.append(commit))))
      expect(["appended", "replayed"]).toContain(result.status);
    const events = await store.readLog({ after: before, limit: 1_000 });
    expect(events.map((event) => event.payload.n).sort((a, b) => Number(a) - Number(b))).toEqual(
      commits.map((_, n) => n),
    );
    expect(events.map((event) => event.position)).toEqual(commits.map((_, n) => before + 1 + n));
  },
);
