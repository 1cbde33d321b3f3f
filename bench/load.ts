/** Shared by benchmarks of appending calls: a service, posts per second, and the log's bare append rate. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import pg from "pg";
import pino from "pino";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import type { App } from "../src/core/app.ts";
import { forEach } from "../src/core/coordination/concurrency.ts";
import * as product from "../src/domain/commerce/product.ts";
import * as stock from "../src/domain/commerce/stock.ts";
import type * as account from "../src/domain/lounge/account.ts";
import { ATTO } from "../src/domain/lounge/token.ts";
import { issueKey } from "../src/operator/keys.ts";
import { withRuntime } from "../src/runtime/assemble.ts";
import { readConfig } from "../src/runtime/config.ts";
import { loneEvent } from "./lone-event.ts";
import { type Environment, median, type ServiceProcess, startServiceProcess } from "./service-process.ts";

export type Load = { connections: number; seconds: number };
export type Post = { headers: Record<string, string>; body: string };

/** A deposit larger than any loss during the measurement. */
export const RICH: account.Deposit = {
  network: "eip155:8453",
  token: `0x${"0".repeat(40)}`,
  transaction: `0x${"1".repeat(64)}`,
  log_index: 0,
  block_hash: `0x${"2".repeat(64)}`,
  block_number: 1,
  amount_atto: String(1_000_000_000n * ATTO),
};

export const meta = { actor: "bench", operation: "bench" };
export const AT = "2026-01-01T00:00:00.000Z";
/** The units of products, and their stock. */
export const UNIT = "bag" as const;
export const PLENTY = 100_000_000;

/** Lists products from the first to the last number, with prices and ample stock. */
export async function listProducts(app: App, first: number, last: number): Promise<void> {
  const ids = Array.from({ length: last - first + 1 }, (_, n) => first + n);
  await forEach(ids, (product_id) =>
    app.commit(
      async ({ decide }) => {
        const target = { tenant: "operator", id: String(product_id) };
        const units = [{ unit: UNIT, base: 1 }];
        const about = {
          slug: `pellets-${product_id}`,
          type: "granulas" as const,
          name: "Pellets",
          cn_code: "44013100",
        };
        const measured = { base_unit: UNIT, units, kg_per_base: 15, kwh_per_kg: 4.8, vat_bp: 2_100 };
        await decide(product, target, product.list({ product_id, ...about, ...measured, listed_at: AT }));
        await decide(product, target, product.price({ unit: UNIT, net_cents: 495, from: AT, set_at: AT }));
        const received = { location: "riga", quantity: PLENTY, reference: null, received_at: AT };
        await decide(stock, target, stock.receive(received));
      },
      { meta },
    ),
  );
}

/** Another database of the same cluster. */
export async function database(ownerUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return ownerUrl.replace(/\/[^/]*$/, `/${name}`);
}

/** Requests per second answered 200, one at a time per connection. */
export async function posts(url: string, next: () => Post, { connections, seconds }: Load): Promise<number> {
  const setupRequest = (request: autocannon.Request) => {
    const { headers, body } = next();
    return { ...request, headers: { ...headers, "Content-Type": "application/json" }, body };
  };
  const answer = await new Promise<autocannon.Result>((done, fail) =>
    autocannon(
      { url, method: "POST", connections, duration: seconds, requests: [{ setupRequest }] },
      (error, result) => (error ? fail(error) : done(result)),
    ),
  );
  if (answer.non2xx + answer.errors > 0)
    throw new Error(`${answer.non2xx + answer.errors} refusals: ${JSON.stringify(answer.statusCodeStats)}`);
  return answer["2xx"] / answer.duration;
}

/** Appends per second of one event each to separate streams, as many at once as there are connections. */
export async function appendRate(env: Environment, { connections, seconds }: Load): Promise<number> {
  return withService(env, async ({ store }) => {
    const end = performance.now() + seconds * 1_000;
    let done = 0;
    const worker = async () => {
      while (performance.now() < end) {
        await store.append(loneEvent());
        done++;
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    return done / seconds;
  });
}

/** Opens the service in this process, without a chain. */
export const withService = <T>(env: Environment, work: (app: App) => Promise<T>): Promise<T> =>
  withRuntime(readConfig(env), pino({ level: "silent" }), ({ app }) => work(app));

/** The headers of a new key of `tenant` that may read, request quotes and order, without a quota. */
export async function orderKey(app: App, tenant: string): Promise<Record<string, string>> {
  const quota = { daily: null, monthly: null, label: null };
  const { secret } = await issueKey(app, {
    tenant,
    space: "live",
    scopes: ["read", "quote", "order"],
    ...quota,
  });
  return { Authorization: `Bearer ${secret}` };
}

/** A separate Postgres, deleted at the end; seeds are never used up. */
export async function withDatabase(work: (env: Environment) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  // The contenders' pools are in addition to the service's.
  const settings = { max_connections: "300" };
  const server = await embeddedPostgres({ dir: join(dir, "postgres"), settings });
  try {
    await work({
      DATABASE_URL: server.ownerUrl,
      DATA_DIR: join(dir, "data"),
      LOG_LEVEL: "error",
      SEED_ROLLS: "1000000000",
    });
  } finally {
    await server.leave();
    await rm(dir, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A service with a seed; `log`: the file of its warnings and errors. */
export async function startDrawingService(
  env: Environment,
  headers: Record<string, string>,
  enter: readonly string[] = [],
  log?: string,
): Promise<ServiceProcess> {
  const service = await startServiceProcess(env, [], enter, log);
  const isReady = () =>
    fetch(`${service.url}/v1/agent/rng/seed`, { headers }).then(({ status }) => status === 200);
  while (!(await isReady())) await pause(200);
  return service;
}

/** Alternates the contenders; the median of each over the rounds. */
export async function takeTurns(
  contenders: readonly (readonly [string, () => Promise<number>])[],
  rounds: number,
): Promise<Map<string, number>> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++)
    for (const [name, measure] of contenders) rates.set(name, [...(rates.get(name) ?? []), await measure()]);
  return new Map([...rates].map(([name, measured]) => [name, median(measured)]));
}

/** A line per contender: its rate, and its ratios, each by its label, to other contenders. */
export function tellRates(rates: Map<string, number>, ratios: Record<string, string>): void {
  console.table(
    [...rates].map(([what, rate]) => ({
      what,
      "a second": Math.round(rate),
      ...Object.fromEntries(
        Object.entries(ratios).map(([label, beside]) => [label, (rate / rates.get(beside)!).toFixed(2)]),
      ),
    })),
  );
}
