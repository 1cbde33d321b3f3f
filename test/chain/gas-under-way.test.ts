/** Gas of transactions in flight: each is recorded before it is sent, and reserved until its outcome is known. */
import { privateKeyToAccount } from "viem/accounts";
import { formatEther } from "viem/utils";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { type GasBudgetOptions, gasBudget, gasJournal } from "../../src/adapters/gas-budget.ts";
import { gasRecord } from "../../src/adapters/gas-record.ts";
import { type Hex, networkOf, type Purpose } from "../../src/core/model/chain.ts";
import { ChainUnavailable, GasBudgetSpent, TransactionPending } from "../../src/core/model/ports/chain.ts";
import { type FreshDatabase, freshDatabase, makeServiceTables } from "../support/database.ts";
import { until } from "../support/until.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";
import { finalize, inPool, mineAgain, openWorkshop, stopMining, type Workshop } from "./fixture.ts";

let workshop: Workshop;
let database: FreshDatabase;
let pool: ReturnType<typeof openPool>;
let now: number;
let etherBefore: bigint;
beforeAll(async () => {
  [workshop, database] = await Promise.all([openWorkshop(), freshDatabase()]);
  await makeServiceTables(database.url);
  pool = openPool(database.url, { max: 2 });
});
afterAll(async () => {
  await pool?.end();
  await workshop?.close();
  await database?.drop();
});
beforeEach(async () => {
  await pool.query("delete from chain.gas");
  now = Date.parse("2031-01-02T23:59:00Z");
  etherBefore = await ether();
});

const ether = () => workshop.chain.balance(workshop.chain.sender);
const sending = { wait_ms: 100_000, stuck_ms: 100_000, foreign_ms: 100_000, poll_ms: 20 };

/** A process that sends by the gas key, and its budget. `has_died`: it records nothing any more. */
function openProcess(budgets: Partial<GasBudgetOptions> = {}) {
  const clock = { now: () => new Date(now) };
  const record = gasRecord(pool, networkOf(workshop.chain));
  const process = { has_died: false };
  const chain = workshop.connect({ sending, journal: gasJournal(record, clock) });
  const mined = async (...given: Parameters<typeof record.mined>) => {
    if (process.has_died) throw new Error("killed");
    await record.mined(...given);
  };
  const counted = gasBudget({ budget_eth: "1", ...budgets, clock, record: { ...record, mined } }).counted(
    chain,
  );
  const send = (purpose: Purpose, gas = 30_000n) =>
    counted.send({ to: PAYEE, data: "0x" }, { gas, purpose, alone: true });
  return { process, chain, send, close: () => chain.close() };
}

/** A transaction that waits in the pool while its process leaves. */
async function leavesPending({ send, close }: ReturnType<typeof openProcess>, purpose: Purpose) {
  await stopMining(workshop);
  const sent = send(purpose).catch((error: unknown) => error);
  await until(async () => (await inPool(workshop)).length === 1);
  close();
  expect(await sent).toBeInstanceOf(TransactionPending);
}

const recorded = async () => {
  const sql =
    "select day, purpose, fee_wei::text from chain.gas order by nonce, day, fee_wei desc nulls last";
  return (await pool.query<{ day: string; purpose: Purpose; fee_wei: string | null }>(sql)).rows;
};
const paidInAll = (rows: { fee_wei: string | null }[]) =>
  rows.reduce((sum, { fee_wei }) => sum + BigInt(fee_wei ?? 0n), 0n);

test("a transaction pending at midnight counts once, on the day of its signature", async () => {
  const one = openProcess();
  await leavesPending(one, "anchor");
  expect(await recorded()).toMatchObject([{ day: "2031-01-02", purpose: "anchor", fee_wei: null }]);
  now += 5 * 86_400_000;
  await mineAgain(workshop);
  const later = openProcess();
  await until(async () => (await ether()) < etherBefore);
  const { fee_wei } = await later.send("settlement");
  const rows = await recorded();
  expect(rows.map(({ day }) => day)).toEqual(["2031-01-02", "2031-01-07"]);
  expect(rows[1]!.fee_wei).toBe(String(fee_wei));
  expect(paidInAll(rows)).toBe(etherBefore - (await ether()));
  later.close();
});

test("a killed process leaves its transaction in the record, and another one counts it", async () => {
  const dying = openProcess();
  dying.process.has_died = true;
  await dying.send("attestation");
  expect(await recorded()).toMatchObject([{ purpose: "attestation", fee_wei: null }]);
  dying.close();
  const next = openProcess();
  await next.send("anchor");
  expect(paidInAll(await recorded())).toBe(etherBefore - (await ether()));
  next.close();
});

test("nothing is sent without being recorded first", async () => {
  const chain = workshop.connect({
    sending: { ...sending, unsent_ms: 150 },
    journal: () => Promise.reject(new Error("the database is away")),
  });
  const sent = chain.send({ to: PAYEE, data: "0x" }, { gas: 30_000n, purpose: "anchor" });
  await expect(sent).rejects.toThrow(ChainUnavailable);
  chain.close();
  expect(await ether()).toBe(etherBefore);
});

test.each(["refund", "carrying"] as const)(
  "a pending %s keeps its reservation in every process until it is mined",
  async (purpose) => {
    // Less than a transaction's highest cost, and more than its actual one.
    const budget_eth = formatEther(60_000n * (await workshop.chain.gasPrice()));
    const budgets =
      purpose === "refund" ? { budget_eth } : { budget_eth, purposes_eth: { carrying: budget_eth } };
    await leavesPending(openProcess(budgets), purpose);
    const processes = [openProcess(budgets), openProcess(budgets)] as const;
    for (const { send } of processes) await expect(send(purpose)).rejects.toThrow(GasBudgetSpent);
    expect(await inPool(workshop)).toHaveLength(1);
    await mineAgain(workshop);
    await until(async () => (await ether()) < etherBefore);
    // The other process reads the total at most every ten seconds.
    now += 10_000;
    expect(await processes[1].send(purpose)).toMatchObject({ success: true });
    expect(paidInAll(await recorded())).toBe(etherBefore - (await ether()));
    for (const { close } of processes) close();
  },
);

test("a reservation ends once another transaction finally uses the nonce, and only that one counts", async () => {
  const stuck = openProcess();
  await leavesPending(stuck, "withdrawal");
  const [{ hash, nonce, maxFeePerGas }] = (await inPool(workshop)) as [Awaited<ReturnType<typeof inPool>>[0]];
  await workshop.rpc("anvil_dropTransaction", hash);
  const raw = await privateKeyToAccount(GAS_KEY).signTransaction({
    ...{ type: "eip1559", chainId: workshop.chain.chain_id, nonce: Number(nonce), gas: 21_000n },
    ...{ to: PAYEE, maxFeePerGas: 2n * BigInt(maxFeePerGas), maxPriorityFeePerGas: 1n },
  });
  await workshop.rpc<Hex>("eth_sendRawTransaction", raw);
  await mineAgain(workshop);
  await until(async () => (await ether()) < etherBefore);
  const next = openProcess();
  await next.send("anchor");
  expect(await recorded()).toMatchObject([{ purpose: "withdrawal", fee_wei: null }, { purpose: "anchor" }]);
  await finalize(workshop);
  await next.send("anchor");
  expect((await recorded())[0]).toMatchObject({ purpose: "withdrawal", fee_wei: "0" });
  next.close();
});
