/**
 * Payments carried to the chain by processes that share a gas key, with turns and without:
 *
 *     npx tsx bench/gas-key.ts [--processes 2] [--rate 7] [--seconds 60]
 *
 * So many payments a second arrive at times of a Poisson process, each at any of the processes (here: queues with connections of their own
 * to one development chain and one Postgres). Told of each way: how long a payment took, and how many were told to come again.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { openPool } from "../eventstore/pool.ts";
import { baseChain } from "../src/adapters/base-chain.ts";
import { EMBEDDED_CHAIN_ID, embeddedChain } from "../src/adapters/embedded-chain.ts";
import { keyTurn } from "../src/adapters/key-turn.ts";
import { type Hex, networkOf } from "../src/domain/chain.ts";
import { TRANSFER_GAS, transferCall } from "../src/domain/payments/usdc.ts";
import { payment, wallet } from "../test/chain/fixture.ts";
import { withDatabase } from "./load.ts";

const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "2" },
    rate: { type: "string", default: "7" },
    seconds: { type: "string", default: "60" },
  },
});
const [processes, rate, seconds] = [values.processes, values.rate, values.seconds].map(Number) as [
  number,
  number,
  number,
];
const WALLETS = 8;

await withDatabase(async (env) => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-gas-key-"));
  const gas_key = generatePrivateKey();
  const sender = privateKeyToAccount(gas_key).address.toLowerCase() as Hex;
  const node = await embeddedChain({ dir: join(dir, "chain"), gas_accounts: [sender] });
  const open = (has_turns: boolean) => {
    const pool = openPool(env.DATABASE_URL!, { max: 1 });
    const network = networkOf({ chain_id: EMBEDDED_CHAIN_ID });
    const inTurn = has_turns ? { inTurn: keyTurn(pool, network, sender) } : {};
    const chain = baseChain({ rpc_url: node.rpc_url, chain_id: EMBEDDED_CHAIN_ID, gas_key, ...inTurn });
    const close = () => {
      chain.close();
      return pool.end();
    };
    return { chain, close };
  };
  const rows = [];
  for (const has_turns of [false, true]) {
    const opened = Array.from({ length: processes }, () => open(has_turns));
    const took: number[] = [];
    const told = new Map<string, number>();
    const one = async (n: number) => {
      const call = transferCall(await payment(wallet(n % WALLETS), 1n));
      const { chain } = opened[Math.floor(Math.random() * opened.length)]!;
      const began = performance.now();
      await chain.send(call, { gas: TRANSFER_GAS, purpose: "settlement" }).then(
        () => took.push(performance.now() - began),
        ({ name }: Error) => told.set(name, (told.get(name) ?? 0) + 1),
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
      turns: has_turns ? "yes" : "no",
      carried: took.length,
      "not sent": told.get("ChainUnavailable") ?? 0,
      pending: told.get("TransactionPending") ?? 0,
      "p50 ms": at(0.5),
      "p99 ms": at(0.99),
      "longest ms": at(1),
    });
  }
  console.table(rows);
  await node.leave();
  await rm(dir, { recursive: true, force: true });
});
