/**
 * Claim: checks are created over HTTP at least half as fast as the log appends events by itself, both with as many callers,
 * on one Postgres with fsync on.
 *
 *     npx tsx bench/checks.ts [--seconds 3] [--rounds 5] [--connections 64]
 *
 * The service runs in a process of its own, on its embedded chain; the log alone is appended to by this one. They take turns, and
 * the figures are medians over the rounds. Nothing of the service is left out: keys, quotas, validation, the guard that the
 * chain is followed, the projection behind it.
 */
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import pino from "pino";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import type { App } from "../src/app.ts";
import { withHouse } from "../src/compose.ts";
import { readConfig } from "../src/config.ts";
import * as checks from "../src/domain/checks/check.ts";
import { issueKey } from "../src/operator/keys.ts";
import { type Environment, median, startServiceProcess } from "./service-process.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
  },
});
const seconds = Number(values.seconds);
const connections = Number(values.connections);

const ISSUER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const PAYEE = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const BODY = JSON.stringify({ from: ISSUER, to: PAYEE, amount: "12.50" });

type Contender = { name: string; round(duration: number): Promise<number> };

const hex = (bytes: number) => randomBytes(bytes).toString("hex");

/** The log by itself: the same event, appended to a stream of its own each time. */
const append = ({ store }: App): Contender => ({
  name: "append of the same event",
  async round(duration) {
    const end = performance.now() + duration * 1_000;
    let appended = 0;
    const caller = async () => {
      while (performance.now() < end) {
        const facts: checks.CheckFacts = {
          check_id: hex(16),
          network: "eip155:1",
          asset: ISSUER,
          from: ISSUER,
          to: PAYEE,
          amount_micro: 12_500_000,
          mode: "transfer",
          valid_before: 1_900_000_000,
          nonce: `0x${hex(32)}`,
          passphrase: null,
          created_at: new Date().toISOString(),
        };
        const events = [{ type: "CheckCreated", schema_version: 1, payload: facts }];
        const stream_id = checks.streamOf(facts.check_id);
        const answer = await store.append({
          appends: [{ tenant: "bench", stream_id, expected_version: 0, events }],
          meta: { actor: "bench", operation: "append", request_id: facts.check_id },
        });
        if (answer.status !== "appended") throw new Error(answer.status);
        appended++;
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: connections }, caller));
    return (appended * 1_000) / (performance.now() - began);
  },
});

const overHttp = (url: string, headers: Record<string, string>): Contender => ({
  name: "checks_create over HTTP",
  async round(duration) {
    const options = { url: `${url}/v1/agent/checks/create`, method: "POST" as const, body: BODY };
    const sent = { ...headers, "Content-Type": "application/json" };
    const answer = await autocannon({ ...options, headers: sent, connections, duration });
    if (answer.non2xx + answer.errors > 0) throw new Error(`${answer.non2xx} refusals`);
    return answer["2xx"] / answer.duration;
  },
});

/** Checks are made once the service has seen the chain. */
async function untilFollowed(url: string, headers: Record<string, string>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const sent = { ...headers, "Content-Type": "application/json" };
    const answer = await fetch(`${url}/v1/agent/checks/create`, {
      method: "POST",
      headers: sent,
      body: BODY,
    });
    if (answer.ok) return;
    await pause(100);
  }
  throw new Error("the chain was not followed in twenty seconds");
}

const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
await chmod(dir, 0o755);
const server = await embeddedPostgres({ dir: join(dir, "postgres") });
const env: Environment = { DATABASE_URL: server.ownerUrl, DATA_DIR: join(dir, "data"), ANCHORING: "0" };
try {
  await withHouse(readConfig(env), pino({ level: "silent" }), async ({ app }) => {
    const wanted = { tenant: "bench", space: "live" as const, daily: null, monthly: null, label: null };
    const { secret } = await issueKey(app, { ...wanted, scopes: ["order"] });
    const headers = { Authorization: `Bearer ${secret}` };
    const service = await startServiceProcess(env);
    await untilFollowed(service.url, headers);
    const contenders = [append(app), overHttp(service.url, headers)];
    for (const contender of contenders) await contender.round(1);
    const rates = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]));
    for (let i = 0; i < Number(values.rounds); i++) {
      for (const contender of contenders) rates.get(contender)!.push(await contender.round(seconds));
      contenders.reverse();
    }
    const [bare] = [...rates.values()];
    console.log(`${connections} callers, rounds of ${seconds} s`);
    console.table(
      Object.fromEntries(
        [...rates].map(([{ name }, rounds]) => [
          name,
          {
            "a second": Math.round(median(rounds)),
            "÷ append": median(rounds.map((rate, i) => rate / bare![i]!)).toFixed(2),
          },
        ]),
      ),
    );
    await service.stop();
  });
} finally {
  await server.leave();
  await rm(dir, { recursive: true, force: true });
}
