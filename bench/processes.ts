/**
 * The joint rate of several processes on one machine: appends of one event each to separate streams, and calls paid
 * on the chain, with the same total number of callers.
 *
 *     npx tsx bench/processes.ts [--processes 1,2,4,8] [--seconds 5] [--callers 64]
 *
 * Claim: eight processes reach at least 0.9 of two; more processes than cores cost little.
 */
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openPool } from "../eventstore/pool.ts";
import { createEventStore } from "../eventstore/store.ts";
import { demoAccount, demoAddresses } from "../src/domain/wallet/demo-accounts.ts";
import { headerV1, type RequirementV1, signPayment } from "../test/support/buyer.ts";
import { pricesAt, ROLL } from "./endurance-calls.ts";
import { orderKey, startDrawingService, withDatabase, withService } from "./load.ts";
import { loneEvent } from "./lone-event.ts";
import { type Environment, untilAtRest } from "./service-process.ts";

type RoundInput = { url: string; callers: number; seconds: number };
type RoundResult = { latencies_ms: number[]; seconds: number };
type Headers = Record<string, string>;

/** Lets this many callers work in sequence until the time is over, or no work is left. */
async function asLongAs(
  { callers, seconds }: Pick<RoundInput, "callers" | "seconds">,
  work: (caller: number) => Promise<boolean>,
): Promise<RoundResult> {
  const latencies_ms: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1_000;
  const each = async (_: unknown, caller: number) => {
    for (let at = performance.now(); at < end; at = performance.now()) {
      if (!(await work(caller))) return;
      latencies_ms.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: callers }, each));
  return { latencies_ms, seconds: (performance.now() - began) / 1_000 };
}

async function append({ url, ...load }: RoundInput): Promise<RoundResult> {
  const store = createEventStore(openPool(url));
  const done = await asLongAs(load, async () => {
    await store.append(loneEvent());
    return true;
  });
  await store.close();
  return done;
}

async function appendedBy(round: RoundInput): Promise<RoundResult> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(round)]);
  const [done] = (await once(child, "message")) as [RoundResult];
  return done;
}

/** Payments signed in advance: more than can settle in the time. */
const A_SECOND = 600;
const wallets = demoAddresses.map((_, n) => demoAccount(n));

const signed = (price: RequirementV1, count: number): Promise<Headers[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) =>
      headerV1(await signPayment(wallets[n % wallets.length]!, price)),
    ),
  );

/** Calls that must retry are counted separately, because a chain processes one gas key's sends in sequence. */
let again = 0;

async function paid(
  urls: readonly string[],
  payments: Headers[],
  load: Omit<RoundInput, "url">,
): Promise<RoundResult> {
  again = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: load.callers });
  const done = await asLongAs(load, async (caller) => {
    const payment = payments.pop();
    if (!payment) return false;
    if (!(await roll(urls[caller % urls.length]!, payment, agent))) again++;
    return true;
  });
  agent.destroy();
  return done;
}

const roll = (url: string, payment: Headers, agent: Agent) =>
  new Promise<boolean>((done, fail) => {
    const headers = { "Content-Type": "application/json", ...payment };
    const call = request(url + ROLL, { method: "POST", agent, headers }, (answer) => {
      answer.resume();
      answer.once("error", fail);
      answer.once("end", () =>
        answer.statusCode === 200 || answer.statusCode === 503
          ? done(answer.statusCode === 200)
          : fail(new Error(`a roll was answered ${answer.statusCode}`)),
      );
    });
    call.once("error", fail);
    call.end(JSON.stringify({ client_seed: randomUUID() }));
  });

/** The total rate, and the 95th percentile of the durations. */
function summary(all: readonly RoundResult[], again = 0) {
  const latencies = all.flatMap(({ latencies_ms }) => latencies_ms).sort((a, b) => a - b);
  const rate = latencies.length / Math.max(...all.map(({ seconds }) => seconds));
  return {
    rate: rate * (1 - again / latencies.length),
    again,
    p95_ms: latencies[Math.floor(0.95 * (latencies.length - 1))]!,
  };
}

async function compare(): Promise<void> {
  const { values } = parseArgs({
    options: {
      processes: { type: "string", default: "1,2,4,8" },
      seconds: { type: "string", default: "5" },
      callers: { type: "string", default: "64" },
    },
  });
  const [seconds, callers] = [Number(values.seconds), Number(values.callers)];
  const counts = values.processes.split(",").map(Number);
  await withDatabase(async (bare) => {
    const env: Environment = { ...bare, GAS_BUDGET_ETH: "100000" };
    const key = await withService(env, (app) => orderKey(app, "acme"));
    const found: {
      processes: number;
      appends: ReturnType<typeof summary>;
      paid: ReturnType<typeof summary>;
    }[] = [];
    for (const processes of counts) {
      const load = { url: env.DATABASE_URL!, callers: Math.ceil(callers / processes), seconds };
      const appends = summary(await Promise.all(Array.from({ length: processes }, () => appendedBy(load))));
      const services = await Promise.all(
        Array.from({ length: processes }, () => startDrawingService(env, key)),
      );
      await Promise.all(services.map(untilAtRest));
      const urls = services.map(({ url }) => url);
      const { roll } = await pricesAt(urls[0]!);
      // A process's first calls are slower.
      await paid(urls, await signed(roll, 20 * callers), { callers, seconds });
      const all = await paid(urls, await signed(roll, A_SECOND * seconds), { callers, seconds });
      const calls = summary([all], again);
      found.push({ processes, appends, paid: calls });
      await Promise.all(services.map((service) => service.stop()));
    }
    const two = found.find(({ processes }) => processes === 2) ?? found[0]!;
    console.log(`${callers} callers in all; ratios are to ${two.processes} processes`);
    console.table(
      found.map(({ processes, appends, paid }) => ({
        processes,
        "appends a second": Math.round(appends.rate),
        ratio: (appends.rate / two.appends.rate).toFixed(2),
        "p95 ms": appends.p95_ms.toFixed(1),
        "paid calls a second": Math.round(paid.rate),
        "its ratio": (paid.rate / two.paid.rate).toFixed(2),
        "its p95 ms": paid.p95_ms.toFixed(0),
        "told to come again": paid.again,
      })),
    );
  });
}

if (process.send)
  process.send(await append(JSON.parse(process.argv[2]!) as RoundInput), () => process.exit());
else await compare();
