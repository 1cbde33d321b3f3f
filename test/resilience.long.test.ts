/**
 * The database dies under a running service: 503 while it is unavailable, healthy afterwards without a restart,
 * nothing lost.
 */
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmbeddedPostgres, embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { issueKey } from "../src/operator/keys.ts";
import { type Service, startService } from "./support/service.ts";
import { until } from "./support/until.ts";

let dir: string;
let server: EmbeddedPostgres;
let service: Service;
let lost = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-resilience-"));
  await chmod(dir, 0o755);
  server = await embeddedPostgres({ dir: join(dir, "postgres"), onLost: () => lost++ });
  service = await startService({ database_url: server.ownerUrl });
});
afterAll(async () => {
  await service.stop();
  await server.leave();
  await rm(dir, { recursive: true, force: true });
});

/** kill -9 for the postmaster and every backend, like an out-of-memory killer or a power cut. */
async function killPostgres(): Promise<void> {
  const pid = Number((await readFile(join(dir, "postgres", "postmaster.pid"), "utf8")).split("\n")[0]);
  const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)])
    .toString()
    .trim()
    .split(/\s+/)
    .map(Number);
  for (const one of [pid, ...children]) process.kill(one, "SIGKILL");
}

test("commands and reads recover by themselves, and acknowledged events exist", async () => {
  const mine = await service.issue({ tenant: "steady", daily: 1_000_000 });
  const ask = () =>
    fetch(`${service.url}/v1/agent/replay/wal-since?since=2026-01-01T00:00:00Z`, { headers: mine.headers });
  expect((await ask()).status).toBe(200);

  const acknowledged: string[] = [mine.key_id];
  let writing = true;
  const writer = (async () => {
    for (let n = 0; writing; n++) {
      const facts = {
        tenant: "steady",
        space: "live",
        label: `n${n}`,
        scopes: ["read"],
        daily: null,
        monthly: null,
      } as const;
      await issueKey(service.app, { ...facts, scopes: [...facts.scopes] }).then(
        ({ key_id }) => acknowledged.push(key_id),
        () => new Promise((wake) => setTimeout(wake, 20)),
      );
    }
  })();

  await until(() => acknowledged.length > 10);
  await killPostgres();
  await until(async () => {
    const answer = await ask();
    await answer.body?.cancel();
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });
  await until(async () => expect((await ask()).status).toBe(200));
  expect(lost).toBe(1);
  const before = acknowledged.length;
  await until(() => expect(acknowledged.length).toBeGreaterThan(before));
  writing = false;
  await writer;

  const lines = (await (await ask()).text()).trim().split("\n");
  const inLog = new Set(
    lines.slice(0, -1).map((line) => (JSON.parse(line) as { payload: { key_id: string } }).payload.key_id),
  );
  expect(acknowledged.filter((key_id) => !inLog.has(key_id))).toEqual([]);
  // The read model has counted each event once, across the crash.
  await until(async () => {
    const counted = await service.app.pool.query("select count(*)::int as n from read.access_keys_v1");
    expect(counted.rows[0].n).toBe(inLog.size);
  });
});
