/**
 * Claim: at least 300 paid calls a second, each settled on the chain before its answer, on a real node and a real
 * log.
 *
 *     npx tsx bench/paid-calls.ts [--payments 2000] [--callers 1,16,64,256] [--sequential 100]
 *
 * For comparison, in the same run: the same transfers settled in sequence, like a facilitator that waits for each
 * receipt. The service, the node and Postgres share this machine with the callers, a separate process that signed
 * its payments in advance.
 */
import { fork } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createPublicClient, createWalletClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { EMBEDDED_CHAIN_ID, embeddedChain } from "../src/adapters/embedded-chain.ts";
import { embeddedPostgres } from "../src/adapters/embedded-postgres.ts";
import { judge } from "../src/api/serve/x402/accept.ts";
import { readPayment } from "../src/api/serve/x402/payload.ts";
import type { Hex } from "../src/core/model/chain.ts";
import { transferCall } from "../src/domain/payments/usdc.ts";
import { demoAccount, demoAddresses } from "../src/domain/wallet/demo-accounts.ts";
import { sampleOperations } from "../test/payments/sample-operations.ts";
import { signPayment } from "../test/support/buyer.ts";
import { startService } from "../test/support/service.ts";

const { values } = parseArgs({
  options: {
    payments: { type: "string", default: "2000" },
    callers: { type: "string", default: "1,16,64,256" },
    sequential: { type: "string", default: "100" },
  },
});

const PRICE = "50000";

const wallets = demoAddresses.map((_, index) => demoAccount(index));

type Job = { url: string; payments: string[]; callers: number };
type RoundResult = { seconds: number; latencies: number[] };

/**
 * The callers' process: each caller presents one payment after another. It shares the cores, so it does nothing
 * else.
 */
async function call({ url, payments, callers }: Job): Promise<RoundResult> {
  const waiting = [...payments];
  const latencies: number[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const ask = (payment: string) =>
    new Promise<void>((done, fail) => {
      get(url, { agent, headers: { "X-PAYMENT": payment } }, (answer) => {
        answer.once("error", fail).once("end", done).resume();
        if (answer.statusCode !== 200) fail(new Error(`answered ${answer.statusCode}`));
      }).once("error", fail);
    });
  const began = performance.now();
  const caller = async () => {
    for (let payment = waiting.pop(); payment; payment = waiting.pop()) {
      const started = performance.now();
      await ask(payment);
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
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

/** Milliseconds spent in each part, over all calls of a round. */
const spent = { facts: 0, settle: 0, claim: 0, record: 0, answers: 0 };
type Part = keyof typeof spent;
function timed<A extends unknown[], T>(partOf: (...args: A) => Part, work: (...args: A) => Promise<T>) {
  return async (...args: A): Promise<T> => {
    const began = performance.now();
    try {
      return await work(...args);
    } finally {
      spent[partOf(...args)] += performance.now() - began;
    }
  };
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-bench-"));
  await chmod(dir, 0o755);
  const server = await embeddedPostgres({ dir: join(dir, "postgres") });
  const [gas_key, stock_key] = [generatePrivateKey(), generatePrivateKey()];
  const pay_to = privateKeyToAccount(generatePrivateKey()).address;
  const gas_accounts = [gas_key, stock_key].map((key) => privateKeyToAccount(key).address);
  const node = await embeddedChain({ dir: join(dir, "chain"), gas_accounts });
  const wanted = {
    maxAmountRequired: PRICE,
    payTo: pay_to,
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    maxTimeoutSeconds: 3000,
    extra: { name: "USD Coin", version: "2" },
  } as const;
  const sign = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => signPayment(wallets[i % wallets.length]!, wanted)));
  try {
    const service = await startService({
      operations: sampleOperations,
      database_url: server.ownerUrl,
      chain: { rpc_url: node.rpc_url, gas_key, pay_to },
      env: { LOG_LEVEL: "info", GAS_BUDGET_ETH: "100000" },
    });
    const { settlement, store, answers } = service.app;
    settlement.facts = timed((_payment) => "facts", settlement.facts);
    settlement.settle = timed((_payment, _seen) => "settle", settlement.settle);
    answers.keep = timed((_name, _answer) => "answers", answers.keep);
    store.append = timed(
      ({ appends }) =>
        appends.some(({ events }) => events[0]?.type === "PaymentClaimed") ? "claim" : "record",
      store.append,
    );
    const url = `${service.url}/v1/agent/test/echo`;
    const encode = (payload: object) =>
      Buffer.from(JSON.stringify({ x402Version: 1, scheme: "exact", network: "base", payload })).toString(
        "base64",
      );
    await inOtherProcess({ url, payments: (await sign(50)).map(encode), callers: 16 });

    console.log(
      "| callers | paid calls /s | p50 ms | p95 ms | facts | claim | settle | answer kept | recorded | CPU ms a call |",
    );
    console.log("|---|---|---|---|---|---|---|---|---|---|");
    for (const callers of values.callers.split(",").map(Number)) {
      const count = Math.min(Number(values.payments), Math.max(100, callers * 40));
      const payments = (await sign(count)).map(encode);
      for (const part of Object.keys(spent) as Part[]) spent[part] = 0;
      const before = process.cpuUsage();
      const { seconds, latencies } = await inOtherProcess({ url, payments, callers });
      const { user, system } = process.cpuUsage(before);
      const cpu = ((user + system) / 1000 / count).toFixed(2);
      latencies.sort((a, b) => a - b);
      const at = (share: number) => latencies[Math.floor(share * (latencies.length - 1))]!.toFixed(0);
      const total = latencies.reduce((sum, ms) => sum + ms, 0);
      const share = (part: Part) => `${((100 * spent[part]) / total).toFixed(0)} %`;
      const parts = (["facts", "claim", "settle", "answers", "record"] as const).map(share);
      console.log(
        `| ${[callers, (count / seconds).toFixed(0), at(0.5), at(0.95), ...parts, cpu].join(" | ")} |`,
      );
    }
    const request = { pay_to: pay_to.toLowerCase() as Hex, amount_micro: BigInt(PRICE) };
    const checked = (await sign(1_000)).map(encode);
    const began = performance.now();
    for (const payment of checked) {
      const { refusal } = judge(readPayment(payment), request, new Date(), service.app.recover);
      if (refusal) throw refusal;
    }
    const ms = (performance.now() - began) / checked.length;
    console.log(
      `reading and checking a payment in process: ${ms.toFixed(3)} ms, ${(1000 / ms).toFixed(0)} /s`,
    );
    await service.stop();
    console.log(
      `one after the other: ${(await sequentially(node.rpc_url, stock_key, wanted)).toFixed(0)} /s`,
    );
  } finally {
    await node.leave();
    await server.leave();
    await rm(dir, { recursive: true, force: true });
  }
}

/** Transfers per second of a facilitator that waits for each receipt before the next transaction. */
async function sequentially(rpc_url: string, key: `0x${string}`, wanted: Parameters<typeof signPayment>[1]) {
  const chain = { ...base, id: EMBEDDED_CHAIN_ID };
  const account = privateKeyToAccount(key);
  const wallet = createWalletClient({ account, chain, transport: http(rpc_url) });
  const reader = createPublicClient({ chain, transport: http(rpc_url), pollingInterval: 10 });
  const count = Number(values.sequential);
  const signed = await Promise.all(
    Array.from({ length: count }, (_, i) => signPayment(wallets[i % wallets.length]!, wanted)),
  );
  const began = performance.now();
  for (const { authorization: a, signature } of signed) {
    const transfer = {
      from: a.from as `0x${string}`,
      to: a.to as `0x${string}`,
      value: BigInt(a.value),
      valid_after: BigInt(a.validAfter),
      valid_before: BigInt(a.validBefore),
      nonce: a.nonce as `0x${string}`,
    };
    const hash = await wallet.sendTransaction(
      transferCall({ transfer, signature: signature as `0x${string}` }),
    );
    const { status } = await reader.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`a transfer was ${status}`);
  }
  return count / ((performance.now() - began) / 1000);
}

if (process.env.CALLERS) {
  process.once("message", async (job) => {
    const done = await call(job as Job);
    process.send!(done);
  });
} else await main();
