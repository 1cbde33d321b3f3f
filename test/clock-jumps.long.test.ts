/**
 * A process whose machine's clock jumps an hour ahead and back, under load, next to one with a right clock. Needs
 * libfaketime (`apt-get install faketime`), and says so if it is missing.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import pino from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { issueKey } from "../src/operator/keys.ts";
import { releaseSandboxTables } from "../src/operator/reference.ts";
import { openSandboxShop } from "../src/operator/sandbox-shop.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { type FreshDatabase, freshDatabase } from "./support/database.ts";
import { PATIENT, patientConfig } from "./support/patience.ts";
import { preparedDatabase } from "./support/prepared-database.ts";
import { until } from "./support/until.ts";

const bin = new URL("../bin/tallystick", import.meta.url).pathname;
const library = ["x86_64", "aarch64"]
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));
if (!library) console.warn("skipped: clocks that jump; libfaketime is not here (apt-get install faketime)");

const HOUR_MS = 3_600_000;

let dir: string;
let database: FreshDatabase;
/** The vault's, because orders have personal data. */
let vault: FreshDatabase;
let client: pg.Client;
let headers: Record<string, string>;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "tallystick-clock-"));
  [database, vault] = await Promise.all([preparedDatabase(), freshDatabase()]);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const config = patientConfig(settings());
  const secret = await withRuntime(config, pino({ level: "silent" }), async ({ app }) => {
    await releaseSandboxTables(app, dir);
    await openSandboxShop(app);
    const key = {
      tenant: "acme",
      space: "live",
      scopes: ["read", "order"],
      daily: null,
      monthly: null,
    } as const;
    return (await issueKey(app, { ...key, scopes: [...key.scopes], label: null })).secret;
  });
  headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
  await vault?.drop();
  await rm(dir, { recursive: true, force: true });
});

const settings = () => ({
  DATABASE_URL: database.url,
  SUBJECT_KEYS_URL: vault.url,
  DATA_DIR: dir,
  SANDBOX: "0",
});

/** `tallystick serve`, once it can draw; `more` may preload another clock. */
async function serving(more: Record<string, string> = {}): Promise<string> {
  const env = {
    ...PATIENT,
    ...{ PATH: process.env.PATH, HOME: dir, PORT: "0", ANCHORING: "0", LOG_LEVEL: "info" },
    ...settings(),
    ...more,
  };
  const child = spawn(process.execPath, [bin, "serve"], { env });
  onTestFinished(async () => {
    const ended = new Promise((end) => child.once("exit", end));
    child.kill("SIGTERM");
    await ended;
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const url = await until(() => /listens at (\S+)/.exec(output)?.[1] ?? false);
  await until(async () => expect((await fetch(`${url}/v1/agent/rng/seed`, { headers })).status).toBe(200));
  return url;
}

type CommandResponse = { status: number; event: string | null; data: Record<string, unknown> };

async function command(
  url: string,
  path: string,
  body: object,
  key: string = randomUUID(),
): Promise<CommandResponse> {
  const init = {
    method: "POST",
    headers: { ...headers, "Idempotency-Key": key },
    body: JSON.stringify(body),
  };
  const answer = await fetch(url + path, init);
  const { data = {} } = (await answer.json()) as { data?: CommandResponse["data"] };
  return { status: answer.status, event: answer.headers.get("event-id"), data };
}

const roll = (url: string, key?: string) =>
  command(url, "/v1/agent/rng/roll", { client_seed: "a clock that jumps" }, key);

/** Resolves after two more recorded ticks of the reactor that expires orders, which ticks while the log grows. */
async function turnsOfOrders(grow: () => Promise<void>): Promise<void> {
  const good = async () => {
    const sql = "select good_at::text from reactors.leases where reactor = 'orders'";
    return (await client.query(sql)).rows[0]?.good_at as string | undefined;
  };
  for (let n = 0; n < 2; n++) {
    const before = await good();
    await until(async () => {
      await grow();
      await sleep(1_000);
      expect(await good()).not.toBe(before);
    });
  }
}

test.skipIf(!library)(
  "one process's clock jumps an hour ahead and back: nothing is lost, repeated, released early or blocked for an hour",
  async () => {
    const clock = join(dir, "clock");
    const setClock = (ahead: string) => writeFile(clock, `${ahead}\n`);
    await setClock("+0");
    // The jumping process runs the reactors, because it started first.
    const jumping = await serving({
      ...{ LD_PRELOAD: library!, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: "1" },
      // Neither a monotonic clock nor file times jump.
      ...{ DONT_FAKE_MONOTONIC: "1", FAKETIME_DONT_FAKE_MONOTONIC: "1", NO_FAKE_STAT: "1" },
    });
    const steady = await serving();
    const key = randomUUID();
    const order = await until(async () => {
      const wanted = { product_slug: "granulas-premium", quantity: 1, customer_email: "order@example.org" };
      const answer = await command(jumping, "/v1/agent/orders", wanted, key);
      expect(answer.status).toBe(201);
      return answer;
    });

    const acknowledged: string[] = [];
    const keys: string[] = [];
    const work = async (url: string, times: number) => {
      for (let n = 0; n < times; n++) {
        const key = randomUUID();
        const answer = await roll(url, key);
        expect(answer.status).toBe(200);
        keys.push(key);
        acknowledged.push(answer.event!);
      }
    };
    const load = (times: number) =>
      Promise.all([jumping, jumping, steady, steady].map((url) => work(url, times)));

    await load(5);
    await setClock("+1h");
    await Promise.all([load(10), turnsOfOrders(() => work(steady, 1))]);
    const { rows: held } = await client.query(
      `select reactor as name, held_until from reactors.leases where held_until > clock_timestamp() + interval '10 s'
       union all select process, held_until from access.processes where held_until > clock_timestamp() + interval '10 s'`,
    );
    expect(held).toEqual([]);
    await setClock("+0");
    await Promise.all([load(10), turnsOfOrders(() => work(steady, 1))]);

    // A repeated call gets the same answer from any process.
    for (const [n, key] of keys.slice(0, 10).entries())
      for (const url of [jumping, steady]) expect((await roll(url, key)).event).toBe(acknowledged[n]);
    const sql = "select count(*)::int as n from eventstore.events where type = 'Rolled'";
    expect((await client.query(sql)).rows[0].n).toBe(acknowledged.length);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);

    // Recorded times are the database's, whatever the process's clock was.
    const far = await client.query(
      `select count(*)::int as n from eventstore.events, jsonb_each_text(convert_from(payload, 'UTF8')::jsonb) as field
        where field.key ~ '_at$' and type in ('Rolled', 'OrderPlaced')
          and abs(extract(epoch from field.value::timestamptz) * 1000 - recorded_at_us / 1000) > $1`,
      [HOUR_MS / 2],
    );
    expect(far.rows[0].n).toBe(0);
    const shown = await fetch(`${steady}/v1/agent/orders?limit=5`, { headers });
    expect(await shown.json()).toMatchObject({
      data: [{ order_id: order.data.order_id, status: order.data.status }],
    });
    for (const url of [jumping, steady]) expect((await fetch(`${url}/ready`)).status).toBe(200);
  },
);
