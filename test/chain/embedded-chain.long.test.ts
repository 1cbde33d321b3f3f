/** The chain in a folder: joined, left, stopped and restarted, killed at any moment. */
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../../src/adapters/folder-lock.ts";
import { ChainUnavailable } from "../../src/core/model/ports/chain.ts";
import { settledBy, TRANSFER_GAS, transferCall, usedQuery } from "../../src/domain/payments/usdc.ts";
import { until } from "../support/until.ts";
import { PAYEE, payment, wallet } from "../support/wallets.ts";
import {
  balanceOf,
  factsOf,
  mineAgain,
  openWorkshop,
  runningNode,
  stopMining,
  type Workshop,
} from "./fixture.ts";

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop({ own: true });
});
afterAll(() => workshop.close());

const settle = async (value: bigint, payer = 0) => {
  const signed = await payment(wallet(payer), value);
  const receipt = await workshop.chain.send(transferCall(signed), {
    gas: TRANSFER_GAS,
    purpose: "settlement",
  });
  expect(settledBy(receipt, signed.transfer)).toBe(true);
  return { signed, receipt };
};

test("a second process joins the node, and the last one to leave stops it", async () => {
  const { pid } = await runningNode(workshop.dir);
  const second = await workshop.join();
  expect(second.rpc_url).toBe(workshop.node.rpc_url);
  await second.leave();
  expect(isAlive(pid)).toBe(true);
  // Processes that died without leaving are not waited for, even one with this process's pid.
  for (const pid of [999_999, process.pid])
    await writeFile(join(workshop.dir, "chain", "members", `${pid}-gone`), "");
  const { receipt, signed } = await settle(1_000n);
  const had = await balanceOf(workshop.chain, PAYEE);

  await workshop.node.leave();
  expect(isAlive(pid)).toBe(false);
  await expect(workshop.chain.heads()).rejects.toThrow(ChainUnavailable);

  workshop.node = await workshop.join();
  expect((await runningNode(workshop.dir)).pid).not.toBe(pid);
  expect(await balanceOf(workshop.chain, PAYEE)).toBe(had);
  expect(await workshop.chain.receipt(receipt.transaction)).toEqual(receipt);
  const logs = await workshop.chain.logs(usedQuery([signed.transfer], 0n, receipt.block_number));
  expect(logs).toHaveLength(1);
  await settle(2_000n);
});

test("a node whose starter died before it was ready is replaced", async () => {
  const node = await runningNode(workshop.dir);
  await workshop.node.leave();
  workshop.node = await workshop.join();
  const running = await runningNode(workshop.dir);
  await writeFile(join(workshop.dir, "chain", "node.json"), JSON.stringify({ ...running, ready: false }));
  const second = await workshop.join();
  const now = await runningNode(workshop.dir);
  expect(now.pid).not.toBe(running.pid);
  expect(now).toMatchObject({ port: node.port, ready: true });
  expect(isAlive(running.pid)).toBe(false);
  await second.leave();
  await settle(3_000n);
});

test("transactions become final without further calls, and then the chain is idle", async () => {
  const { receipt } = await settle(4_000n);
  await until(async () => {
    const { finalized } = await workshop.chain.heads();
    expect(finalized.number).toBeGreaterThanOrEqual(receipt.block_number);
  });
  const { latest } = await workshop.chain.heads();
  await new Promise((wake) => setTimeout(wake, 2_500));
  expect((await workshop.chain.heads()).latest.number).toBeLessThanOrEqual(latest.number + 1n);
});

test("after kill -9 the node restarts, and only what followed the last save is lost", async () => {
  let lost = 0;
  await workshop.node.leave();
  workshop.node = await workshop.join(() => lost++);
  for (let round = 0; round < 3; round++) {
    const settled: { signed: Awaited<ReturnType<typeof settle>>["signed"]; at: number }[] = [];
    const settleUntil = async (end: number) => {
      while (Date.now() < end) {
        const { signed } = await settle(BigInt(10 + round), round);
        settled.push({ signed, at: Date.now() });
      }
    };
    await settleUntil(Date.now() + 1_000);
    // The automatic save comes late on a busy machine.
    await workshop.node.save();
    await settleUntil(Date.now() + 1_200 + 370 * round);
    const killedAt = Date.now();
    await workshop.kill();
    await until(async () => workshop.chain.heads());
    const { latest } = await workshop.chain.heads();
    const logs = await workshop.chain.logs(
      usedQuery(
        settled.map(({ signed }) => signed.transfer),
        0n,
        latest.number,
      ),
    );
    const kept = new Set(logs.map(({ topics }) => topics[2]));
    const gone = settled.filter(({ signed }) => !kept.has(signed.transfer.nonce));
    expect(kept.size).toBeGreaterThan(0);
    // Balances and logs are of the same moment: an authorization is used exactly if its log exists.
    const facts = await factsOf(
      workshop.chain,
      settled.map(({ signed }) => signed),
    );
    expect(facts.map(({ used }) => used)).toEqual(
      settled.map(({ signed }) => kept.has(signed.transfer.nonce)),
    );
    // The loss is the end: nothing settled after it exists.
    expect(settled.slice(-gone.length || settled.length).filter((one) => gone.includes(one))).toEqual(gone);
    for (const { at } of gone) expect(killedAt - at).toBeLessThan(15_000);
    // Lost settlements can be repeated: their authorizations are unused.
    const [first] = gone;
    if (first) {
      const receipt = await workshop.chain.send(transferCall(first.signed), {
        gas: TRANSFER_GAS,
        purpose: "settlement",
      });
      expect(settledBy(receipt, first.signed.transfer)).toBe(true);
    }
  }
  expect(lost).toBe(3);
});

test("mining paused for a save resumes after its process died", async () => {
  await until(async () => expect(await readdir(join(workshop.dir, "chain"))).not.toContain("paused"));
  await workshop.rpc("evm_setAutomine", false);
  await writeFile(join(workshop.dir, "chain", "paused"), "");
  await settle(6n);
  await until(async () => expect(await workshop.rpc("anvil_getAutomine")).toBe(true));
});

test("a requested save survives kill -9", async () => {
  const { receipt } = await settle(77n);
  await workshop.node.save();
  await workshop.kill();
  await until(async () => expect(await workshop.chain.receipt(receipt.transaction)).toEqual(receipt));
  expect(await readdir(join(workshop.dir, "chain"))).not.toContain("state.json.gz.new");
});

test("one process's save is not repeated by another", async () => {
  await stopMining(workshop);
  const saved = () => stat(join(workshop.dir, "chain", "state.json.gz"));
  const before = await saved();
  const second = await workshop.join();
  await second.save();
  expect((await saved()).ino).toBe(before.ino);
  await second.leave();
  await mineAgain(workshop);
});

test("a folder of an earlier version, with an unzipped state, still opens", async () => {
  const { receipt } = await settle(78n);
  await workshop.node.leave();
  const folder = join(workshop.dir, "chain");
  const zipped = await readFile(join(folder, "state.json.gz"));
  await writeFile(join(folder, "state.json"), gunzipSync(zipped));
  await rm(join(folder, "state.json.gz"));
  workshop.node = await workshop.join();
  expect(await workshop.chain.receipt(receipt.transaction)).toEqual(receipt);
});
