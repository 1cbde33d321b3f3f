/**
 * Payments sent to the chain by processes that share a gas key, with shared nonces and with the chain's nonce:
 *
 *     npx tsx bench/gas-key.ts [--processes 2] [--rate 7] [--seconds 60] [--block 0]
 *
 * `--block`: seconds between blocks, two on Base; without it each transaction gets its own block at once. `--rate`
 * payments a second arrive at times of a Poisson process, each at any process (here: queues with separate
 * connections to one development chain and one Postgres). Reported per way: a payment's duration, and the number of
 * payments that had to retry.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { applyMigrations, migrating } from "../eventstore/migrations.ts";
import { openPool } from "../eventstore/pool.ts";
import { baseChain } from "../src/adapters/base-chain.ts";
import { EMBEDDED_CHAIN_ID, embeddedChain } from "../src/adapters/embedded-chain.ts";
import { jsonRpc } from "../src/adapters/json-rpc.ts";
import { sharedNonces } from "../src/adapters/nonces.ts";
import { type Hex, networkOf } from "../src/core/model/chain.ts";
import { TRANSFER_GAS, transferCall } from "../src/domain/payments/usdc.ts";
import { serviceTables } from "../src/migrations/service-tables.ts";
import { payment, wallet } from "../test/support/wallets.ts";
import { withDatabase } from "./load.ts";

const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "2" },
    rate: { type: "string", default: "7" },
    seconds: { type: "string", default: "60" },
    block: { type: "string", default: "0" },
  },
});
const [processes, rate, seconds, block] = [values.processes, values.rate, values.seconds, values.block].map(
  Number,
) as [number, number, number, number];
const WALLETS = 8;

await withDatabase(async (env) => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-gas-key-"));
  const gas_key = generatePrivateKey();
  const sender = privateKeyToAccount(gas_key).address.toLowerCase() as Hex;
  const node = await embeddedChain({ dir: join(dir, "chain"), gas_accounts: [sender] });
  await migrating(env.DATABASE_URL!, (client) => applyMigrations(client, serviceTables));
  if (block > 0) {
    const ask = jsonRpc({ rpc_url: node.rpc_url });
    await ask("evm_setAutomine", [false]);
    await ask("evm_setIntervalMining", [block]);
  }
  const open = (has_nonces: boolean) => {
    const pool = openPool(env.DATABASE_URL!, { max: 1 });
    const network = networkOf({ chain_id: EMBEDDED_CHAIN_ID });
    const shared = has_nonces ? { nonces: sharedNonces(pool, network, sender) } : {};
    const chain = baseChain({ rpc_url: node.rpc_url, chain_id: EMBEDDED_CHAIN_ID, gas_key, ...shared });
    const close = () => {
      chain.close();
      return pool.end();
    };
    return { chain, close };
  };
  const rows = [];
  for (const has_nonces of [false, true]) {
    const opened = Array.from({ length: processes }, () => open(has_nonces));
    const took: number[] = [];
    const firstSeen = new Map<string, number>();
    const one = async (n: number) => {
      const call = transferCall(await payment(wallet(n % WALLETS), 1n));
      const { chain } = opened[Math.floor(Math.random() * opened.length)]!;
      const began = performance.now();
      await chain.send(call, { gas: TRANSFER_GAS, purpose: "settlement" }).then(
        () => took.push(performance.now() - began),
        ({ name }: Error) => firstSeen.set(name, (firstSeen.get(name) ?? 0) + 1),
      );
    };
    const under_way: Promise<void>[] = [];
    for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
      under_way.push(one(under_way.length));
      await pause((-Math.log(1 - Math.random()) * 1_000) / rate);
    }
    await Promise.all(under_way);
    await Promise.all(opened.map(({ close }) => close()));
    took.sort((a, b) => a - b);
    const at = (share: number) => Math.round(took[Math.floor((took.length - 1) * share)] ?? Number.NaN);
    rows.push({
      processes,
      "nonces of their own": has_nonces ? "yes" : "no",
      carried: took.length,
      "not sent": firstSeen.get("ChainUnavailable") ?? 0,
      pending: firstSeen.get("TransactionPending") ?? 0,
      "p50 ms": at(0.5),
      "p99 ms": at(0.99),
      "longest ms": at(1),
    });
  }
  console.table(rows);
  await node.leave();
  await rm(dir, { recursive: true, force: true });
});
