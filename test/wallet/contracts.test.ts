/** The platform token and the airdrop contract on their own chain, through the Chain port. */
import { decodeErrorResult } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEVELOPMENT_TOKEN } from "../../src/adapters/chain-contracts.ts";
import type { Hex } from "../../src/core/model/chain.ts";
import {
  AIRDROP_ADDRESS,
  AIRDROP_DEPLOY_GAS,
  airdropDeployment,
  isPayment,
  MOST_RECIPIENTS,
  nameOnChain,
  paidCall,
  paidIn,
  paidQuery,
  payCall,
  payGas,
} from "../../src/domain/wallet/airdrop-contract.ts";
import { ABI } from "../../src/domain/wallet/generated/airdrop.ts";
import {
  APPROVE_GAS,
  allowanceCall,
  amountIn,
  approveCall,
  balanceCall,
  tokenCalls,
  tokenIn,
} from "../../src/domain/wallet/token.ts";
import { depositsTo, transfersOf } from "../../src/projections/wallet/read-transfers.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { until } from "../support/until.ts";
import { addressOf, GAS_KEY, wallet } from "../support/wallets.ts";

const TOKEN = 10n ** 18n;
const sender = privateKeyToAddress(GAS_KEY).toLowerCase() as Hex;
const fresh = (count: number, from: number) =>
  Array.from(
    { length: count },
    (_, i): Hex => `0x${(0xa000_0000 + from + i).toString(16).padStart(40, "0")}`,
  );

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

const ask = async (call: { to: Hex; data: Hex }) => amountIn((await workshop.chain.read([call]))[0]);
const balance = (account: Hex) => ask(balanceCall(DEVELOPMENT_TOKEN, account));
const alone = (gas: bigint) => ({ gas, alone: true, purpose: "airdrop" }) as const;
const terms = (recipients: Hex[], amount_each = TOKEN) => ({
  token: DEVELOPMENT_TOKEN,
  amount_each,
  recipients,
});

test("the development token is TALLY with 18 decimals; the gas key and the demo wallets have some", async () => {
  const answers = await workshop.chain.read(tokenCalls(DEVELOPMENT_TOKEN));
  expect(tokenIn(DEVELOPMENT_TOKEN, answers)).toMatchObject({ symbol: "TALLY", decimals: 18 });
  expect(await balance(sender)).toBe(100_000_000n * TOKEN);
  expect(await balance(addressOf(wallet(3)))).toBe(10_000n * TOKEN);
  expect(tokenIn(AIRDROP_ADDRESS, await workshop.chain.read(tokenCalls(AIRDROP_ADDRESS)))).toBeUndefined();
  const word: Hex = `0x${"f".repeat(64)}`;
  const [symbol] = answers;
  expect(tokenIn(DEVELOPMENT_TOKEN, [{ success: true, data: word }, symbol])).toBeUndefined();
});

test("without an approval nothing moves", async () => {
  const [to] = fresh(1, 1);
  const receipt = await workshop.chain.send(
    payCall(nameOnChain("a", terms([to!])), terms([to!])),
    alone(payGas(1)),
  );
  expect(receipt.success).toBe(false);
  expect(await balance(to!)).toBe(0n);
});

test("200 initial balances are paid in one transaction within the granted gas; a repeat is refused", async () => {
  const { chain } = workshop;
  await chain.send(approveCall(DEVELOPMENT_TOKEN, AIRDROP_ADDRESS, 2n ** 256n - 1n), alone(APPROVE_GAS));
  expect(await ask(allowanceCall(DEVELOPMENT_TOKEN, sender, AIRDROP_ADDRESS))).toBe(2n ** 256n - 1n);
  const paid = terms(fresh(MOST_RECIPIENTS, 1_000), 3n * TOKEN);
  const name = nameOnChain("b", paid);
  const receipt = await chain.send(payCall(name, paid), alone(payGas(MOST_RECIPIENTS)));
  expect(receipt.success).toBe(true);
  const { gasUsed } = await workshop.rpc<{ gasUsed: Hex }>("eth_getTransactionReceipt", receipt.transaction);
  expect(BigInt(gasUsed)).toBeLessThan((payGas(MOST_RECIPIENTS) * 9n) / 10n);
  expect(payGas(MOST_RECIPIENTS)).toBeLessThan(15_000_000n);
  expect(await Promise.all(paid.recipients.map(balance))).toEqual(paid.recipients.map(() => 3n * TOKEN));

  const block = paidIn((await chain.read([paidCall(sender, name)]))[0]);
  expect(block).toBe(receipt.block_number);
  const logs = await chain.logs(paidQuery(sender, name, block!));
  expect(logs.filter((log) => isPayment(log, sender, name))).toHaveLength(1);
  expect(isPayment(logs[0]!, sender, nameOnChain("c", paid))).toBe(false);

  const again = await chain.send(payCall(name, paid), alone(payGas(MOST_RECIPIENTS)));
  expect(again.success).toBe(false);
  expect(await balance(paid.recipients[0]!)).toBe(3n * TOKEN);
  const call = { from: sender, ...payCall(name, paid) };
  const refused = await fetch(workshop.node.rpc_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [call, "latest"] }),
  });
  const { error } = (await refused.json()) as { error: { data: Hex } };
  expect(decodeErrorResult({ abi: ABI, data: error.data })).toMatchObject({
    errorName: "PaidAlready",
    args: [block],
  });
});

test("a name belongs to the sender: another sender's use of it blocks no payment", async () => {
  const { chain, rpc } = workshop;
  const paid = terms(fresh(2, 5_000), 0n);
  const name = nameOnChain("d", paid);
  const { to, data } = payCall(name, paid);
  const stranger = wallet(4).address;
  const transaction = await rpc<Hex>("eth_sendTransaction", { from: stranger, to, data, gas: "0x100000" });
  await until(async () => Boolean(await chain.receipt(transaction)));
  expect((await chain.receipt(transaction))?.success).toBe(true);
  expect((await chain.send({ to, data }, alone(payGas(2)))).success).toBe(true);
});

test("one bad recipient prevents all payments", async () => {
  const paid = terms([...fresh(3, 6_000), `0x${"0".repeat(40)}`]);
  const receipt = await workshop.chain.send(payCall(nameOnChain("e", paid), paid), alone(payGas(4)));
  expect(receipt.success).toBe(false);
  expect(await Promise.all(paid.recipients.map(balance))).toEqual([0n, 0n, 0n, 0n]);
});

test("the contract is deployed to a chain that lacks it within its gas, at the same address", async () => {
  const { chain, rpc } = workshop;
  await rpc("anvil_setCode", AIRDROP_ADDRESS, "0x");
  await rpc("anvil_setNonce", AIRDROP_ADDRESS, "0x0");
  expect(await chain.hasCode([AIRDROP_ADDRESS])).toEqual([false]);
  expect((await chain.send(airdropDeployment(), alone(AIRDROP_DEPLOY_GAS))).success).toBe(true);
  expect(await chain.hasCode([AIRDROP_ADDRESS])).toEqual([true]);
});

test("transfers are listed from the logs, in and out, each once", async () => {
  const { chain } = workshop;
  const { latest } = await chain.heads();
  const range = { from_block: 0n, to_block: latest.number };
  const to = fresh(1, 1_000)[0]!;
  expect(await depositsTo(chain, { token: DEVELOPMENT_TOKEN, to }, range)).toMatchObject([
    { from: sender, to, amount: 3n * TOKEN },
  ]);
  const all = await transfersOf(chain, [DEVELOPMENT_TOKEN], sender, range);
  // The initial grant, 200 of three, and two of nothing.
  expect(all.length).toBe(1 + MOST_RECIPIENTS + 2);
  expect(all[0]).toMatchObject({ to: sender, amount: 100_000_000n * TOKEN });
});
