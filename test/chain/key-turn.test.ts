/** Processes that send by one gas key take turns with it. */
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { type InTurn, keyTurn } from "../../src/adapters/key-turn.ts";
import { networkOf } from "../../src/domain/chain.ts";
import { settledBy, TRANSFER_GAS, transferCall } from "../../src/domain/payments/usdc.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import {
  addressOf,
  GAS_KEY,
  inPool,
  mineAgain,
  openWorkshop,
  payment,
  stopMining,
  type Workshop,
  wallet,
} from "./fixture.ts";

let workshop: Workshop;
let database: FreshDatabase;
beforeAll(async () => {
  [workshop, database] = await Promise.all([openWorkshop(), freshDatabase()]);
});
afterAll(async () => {
  await workshop.close();
  await database.drop();
});

/** Nobody who is overtaken would be done in time. */
const sending = { foreign_ms: 100_000, stuck_ms: 100_000, wait_ms: 20_000, poll_ms: 20 };

/** Takes a turn that lasts until the answer is called. */
function takeTurn(inTurn: InTurn): Promise<() => void> {
  return new Promise((begun) => {
    void inTurn(() => new Promise<void>((end) => begun(end)));
  });
}

/** A process that sends by the gas key. */
function openProcess(wait_ms?: number) {
  const pool = openPool(database.url, { max: 1 });
  const inTurn = keyTurn(pool, networkOf(workshop.chain), addressOf(privateKeyToAccount(GAS_KEY)), wait_ms);
  const chain = workshop.connect({ sending, inTurn });
  return {
    pool,
    inTurn,
    settle: async (nth: number) => {
      const signed = await payment(wallet(nth), 10n);
      const receipt = await chain.send(transferCall(signed), { gas: TRANSFER_GAS, purpose: "settlement" });
      return settledBy(receipt, signed.transfer);
    },
    queued: () => chain.queued(),
    close: async () => {
      chain.close();
      await pool.end();
    },
  };
}

test("one sends while another's transaction is under way, and what waited meanwhile goes together after it", async () => {
  const [one, other] = [openProcess(), openProcess()];
  await stopMining(workshop);
  const first = one.settle(0);
  const [sent] = await until(async () => {
    const pool = await inPool(workshop);
    expect(pool).toHaveLength(1);
    return pool;
  });
  const later = [other.settle(1), other.settle(2)];
  await until(() => expect(other.queued()).toBe(2));
  await mineAgain(workshop);
  expect(await Promise.all([first, ...later])).toEqual([true, true, true]);
  const { nonce } = await workshop.rpc<{ nonce: string }>("eth_getTransactionByHash", sent!.hash);
  const count = await workshop.rpc<string>(
    "eth_getTransactionCount",
    privateKeyToAccount(GAS_KEY).address,
    "latest",
  );
  expect(Number(count) - Number(nonce)).toBe(2);
  await Promise.all([one.close(), other.close()]);
});

test("none is left waiting by one that dies in its turn", async () => {
  const [dying, other] = [openProcess(), openProcess()];
  await takeTurn(dying.inTurn);
  const settled = other.settle(3);
  await until(() => expect(other.queued()).toBe(1));
  const admin = openPool(database.url, { max: 1 });
  // Other databases of the server have locks of their own.
  await admin.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(await settled).toBe(true);
  await Promise.all([admin.end(), other.close()]);
});

test("one that gets no turn in time sends without it", async () => {
  const [holding, other] = [openProcess(), openProcess(50)];
  const end = await takeTurn(holding.inTurn);
  expect(await other.settle(4)).toBe(true);
  end();
  await Promise.all([holding.close(), other.close()]);
});
