/** `tallystick payments books`: the operator compares the log with the chain. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { books } from "../../src/operator/books.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";
import { type LedgerSetup, openLedgerSetup } from "./ledger-setup.ts";

let setup: LedgerSetup;
beforeAll(async () => {
  setup = await openLedgerSetup();
});
afterAll(() => setup.close());

const REFUND_KEY = generatePrivateKey();
const bin = join(import.meta.dirname, "../../bin/tallystick");

function run(rpc_url = setup.chain.rpc_url): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: setup.database_url,
    DATA_DIR: join(setup.workshop.dir, "cli"),
    BASE_RPC_URL: rpc_url,
    GAS_KEY,
    PAY_TO: PAYEE,
    REFUND_KEY,
    ALLOW_SYNTHETIC: "1",
  };
  return new Promise((done) => {
    execFile(process.execPath, [bin, "payments", "books"], { env }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

test("the books agree once every settlement is in the log, and disagree before", async () => {
  const [settled, carried] = [await setup.claim(wallet(0), 1_000_000n), await setup.claim(wallet(1), 5n)];
  await setup.settle(settled);
  await setup.carry(carried.signed);
  expect(await books(setup.app)).toMatchObject({
    agree: false,
    payments: { chain_micro: 1_000_005n, log_micro: 1_000_000n, differences: [carried.id] },
    refunds: { chain_micro: 0n, log_micro: 0n },
  });
  const before = await run();
  expect(before).toMatchObject({ code: 1, stdout: expect.stringContaining(`differs: ${carried.id}`) });
  await setup.reconcile();
  expect(await run()).toEqual({
    code: 0,
    stdout: [
      "payments    chain 1.000005 USDC, log 1.000005 USDC (settled - reorged)",
      "refunds     chain 0.00 USDC, log 0.00 USDC (paid - reorged)",
      "withdrawals chain 0.00 USDC, log 0.00 USDC (paid - reorged)",
      "channels    chain 0.00 USDC, log 0.00 USDC (claimed); 0.00 charged, 0.00 not claimed, of which 0.00 lost; 0.00 moved to the payment address",
      "incoming    1.000005 USDC = 1.000005 payments + 0.00 from channels + 0.00 other transfers + 0.00 without a call yet; not refunded, as the refund would cost more: 0.00",
      "accounts    0.00 USDC owed to their owners",
      `PAY_TO      ${setup.app.pay_to} has 1.000005 USDC`,
      `REFUND_KEY  ${privateKeyToAccount(REFUND_KEY).address} has 0.00 USDC; it pays refunds and withdrawals`,
      "The books agree.\n",
    ].join("\n"),
    stderr: expect.any(String),
  });
});

test("the books include payments that expired long ago", async () => {
  const paid = await setup.claim(wallet(2), 7n);
  await setup.settle(paid);
  await setup.pass(1_000);
  expect(await books(setup.app)).toMatchObject({ agree: true, payments: { chain_micro: 1_000_012n } });
});

test("the books name an unavailable chain as the reason", async () => {
  const { code, stderr } = await run("http://127.0.0.1:9");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^cannot read the chain: .*BASE_RPC_URL/m);
});
