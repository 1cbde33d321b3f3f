/** The stock client of x402's channels: a thousand calls on one deposit, a lost memory, and the rest returned. */
import { toClientEvmSigner } from "@x402/evm";
import { BatchSettlementEvmScheme } from "@x402/evm/batch-settlement/client";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { createPublicClient, http } from "viem";
import { base } from "viem/chains";
import { expect, inject, test } from "vitest";
import { balanceOf, buyerWallet } from "./wallets.ts";

const service = inject("sandbox");
const place = `${service.url}/v1/agent/skills/catalog`;
const PRICE = 1_000n;

/** As its own pages set it up; a new one has forgotten everything. */
function buyer(index: number) {
  const reader = createPublicClient({ chain: base, transport: http(service.rpc_url) });
  const scheme = new BatchSettlementEvmScheme(toClientEvmSigner(buyerWallet(index), reader));
  const client = new x402Client().register("eip155:8453", scheme);
  return { scheme, buy: wrapFetchWithPayment(fetch, client) };
}

async function bought(buy: typeof fetch) {
  const answer = await buy(place);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  return decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE")!);
}

test("1,000 paid calls take one deposit and one transaction, although the client forgets its channel", async () => {
  const wallet = buyerWallet(2);
  const before = await balanceOf(service.rpc_url, wallet.address);
  const transactions = new Set<string>();
  let { buy } = buyer(2);
  for (let call = 1; call <= 1_000; call++) {
    // The 402 corrects it with the channel's state and its own last voucher.
    if (call === 500) ({ buy } = buyer(2));
    const { success, transaction } = await bought(buy);
    expect(success).toBe(true);
    if (transaction) transactions.add(transaction);
  }
  expect(transactions.size).toBe(1);
  expect(before - (await balanceOf(service.rpc_url, wallet.address))).toBe(1_000n * PRICE);
}, 2_400_000);

test("the rest of a deposit returns at the client's request", async () => {
  const wallet = buyerWallet(3);
  const before = await balanceOf(service.rpc_url, wallet.address);
  const { scheme, buy } = buyer(3);
  for (let call = 0; call < 3; call++) await bought(buy);
  expect(await scheme.refund(place)).toMatchObject({
    success: true,
    amount: String(1_000_000n - 3n * PRICE),
  });
  expect(before - (await balanceOf(service.rpc_url, wallet.address))).toBe(3n * PRICE);
});
