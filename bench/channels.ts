/**
 * Claim: a call paid from a channel takes at most 5 ms more at p95 than the same call by key, and has 0.7 of its rate.
 * Beside both, in the same run: the same call by a payment of its own, settled on the chain before its answer.
 *
 *     npx tsx bench/channels.ts [--calls 2000] [--callers 1,16]
 *
 * Each caller has a channel of its own. The service, the node and Postgres share this machine with the callers, a
 * separate process whose vouchers were signed in advance. The rounds of the three alternate.
 */
import { fork } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { Agent, get, type OutgoingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { embeddedChain } from "../src/adapters/embedded-chain.ts";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { demoAccount, demoAddresses } from "../src/domain/wallet/demo-accounts.ts";
import { sampleOperations } from "../test/payments/sample-operations.ts";
import { headerV1, quoteOf, signPayment } from "../test/support/buyer.ts";
import { ChannelPayer, termsOf } from "../test/support/channels.ts";
import { startService } from "../test/support/service.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "2000" },
    callers: { type: "string", default: "1,16" },
    rounds: { type: "string", default: "3" },
  },
});

const PRICE = 50_000;
const wallets = demoAddresses.map((_, index) => demoAccount(index));

/** The headers of each caller's calls, in order. */
type Job = { url: string; calls: OutgoingHttpHeaders[][] };
type RoundResult = { seconds: number; latencies: number[] };

/** The callers' process. It shares the cores, so it does nothing else. */
async function call({ url, calls }: Job): Promise<RoundResult> {
  const latencies: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: calls.length });
  const ask = (headers: OutgoingHttpHeaders) =>
    new Promise<void>((done, fail) => {
      get(url, { agent, headers }, (answer) => {
        answer.once("error", fail).once("end", done).resume();
        if (answer.statusCode !== 200) fail(new Error(`answered ${answer.statusCode}`));
      }).once("error", fail);
    });
  const began = performance.now();
  await Promise.all(
    calls.map(async (own) => {
      for (const headers of own) {
        const started = performance.now();
        await ask(headers);
        latencies.push(performance.now() - started);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return { seconds, latencies };
}

const inOtherProcess = (job: Job) =>
  new Promise<RoundResult>((done, fail) => {
    const child = fork(fileURLToPath(import.meta.url), { env: { ...process.env, CALLERS: "1" } });
    child.once("message", (message) => {
      done(message as RoundResult);
      child.disconnect();
    });
    child.once("exit", (code) => code && fail(new Error(`the callers ended with ${code}`)));
    child.send(job);
  });

const quantile = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)]!;
const payment = (value: object) => ({
  "PAYMENT-SIGNATURE": Buffer.from(JSON.stringify(value)).toString("base64"),
});

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  const server = await embeddedPostgres({ dir: join(dir, "postgres") });
  const gas_key = generatePrivateKey();
  const pay_to = privateKeyToAccount(generatePrivateKey()).address;
  const node = await embeddedChain({
    dir: join(dir, "chain"),
    gas_accounts: [privateKeyToAccount(gas_key).address],
  });
  try {
    const service = await startService({
      operations: sampleOperations,
      database_url: server.ownerUrl,
      chain: { rpc_url: node.rpc_url, gas_key, pay_to },
      env: { LOG_LEVEL: "info", GAS_BUDGET_ETH: "100000", CHANNEL_GAS_ETH: "100000" },
    });
    const url = `${service.url}/v1/agent/test/dated`;
    const { headers: keyed } = await service.issue();
    const terms = await termsOf(url);
    const quote = { ...(await quoteOf(url)), maxTimeoutSeconds: 3000 };
    console.log("| callers | way | calls /s | p50 ms | p95 ms |\n|---|---|---|---|---|");
    for (const callers of values.callers.split(",").map(Number)) {
      const each = Math.ceil(Number(values.calls) / callers);
      const rounds = Number(values.rounds);
      const payers = wallets
        .flatMap((wallet) => Array.from({ length: 8 }, () => new ChannelPayer(wallet, terms)))
        .filter((_, i) => i % 8 < Math.ceil(callers / wallets.length))
        .slice(0, callers);
      const deposit = (1 + each * rounds) * PRICE;
      for (const payer of payers)
        if (!(await payer.pay(url, terms, { deposit })).ok) throw new Error("a deposit was refused");
      const vouchers = async (round: number) =>
        Promise.all(
          payers.map((payer) =>
            Promise.all(
              Array.from({ length: each }, async (_, n) =>
                payment(await payer.payment(terms, { max: (2 + round * each + n) * PRICE })),
              ),
            ),
          ),
        );
      const exact = async () =>
        Promise.all(
          payers.map((_, i) =>
            Promise.all(
              Array.from({ length: Math.min(each, 50) }, async () =>
                headerV1(await signPayment(wallets[i % wallets.length]!, quote)),
              ),
            ),
          ),
        );
      const ways: [string, (round: number) => Promise<OutgoingHttpHeaders[][]>][] = [
        ["by key", async () => payers.map(() => Array.from({ length: each }, () => keyed))],
        ["from a channel", vouchers],
        ["by a payment of its own", exact],
      ];
      const results = new Map<string, RoundResult[]>();
      for (let round = 0; round < rounds; round++)
        for (const [name, callsOf] of ways)
          results.set(name, [
            ...(results.get(name) ?? []),
            await inOtherProcess({ url, calls: await callsOf(round) }),
          ]);
      for (const [name, measured] of results) {
        const sorted = measured.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
        const seconds = measured.reduce((sum, one) => sum + one.seconds, 0);
        const figures = [quantile(sorted, 0.5), quantile(sorted, 0.95)].map((ms) => ms.toFixed(2));
        console.log(
          `| ${callers} | ${name} | ${(sorted.length / seconds).toFixed(0)} | ${figures.join(" | ")} |`,
        );
      }
    }
    await service.stop();
  } finally {
    await node.leave();
    await server.leave();
    await rm(dir, { recursive: true, force: true });
  }
}

if (process.env.CALLERS)
  process.once("message", async (job: Job) => {
    process.send!(await call(job));
  });
else await main();
