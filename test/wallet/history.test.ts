/** Histories of accounts that nobody follows, on a chain of many blocks, by a service that has no platform token. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { withParts } from "../../src/core/app.ts";
import type { Chain } from "../../src/core/model/ports/chain.ts";
import { historyPage } from "../../src/projections/wallet/history.ts";
import type { TransferPosition } from "../../src/projections/wallet/transfers.ts";
import { platformTokens } from "../../src/reactors/wallet/follow-transfers.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { carriedByStranger, openWorkshop, type Workshop } from "../chain/fixture.ts";
import { replace } from "../support/replace.ts";
import { type Service, startService } from "../support/service.ts";
import { addressOf, GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";

let workshop: Workshop;
let service: Service;
let headers: Record<string, string>;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ chain });
  headers = (await service.issue({ scopes: ["read", "admin"] })).headers;
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

type Page = {
  data: { amount: string; direction: string; final: boolean }[];
  meta: {
    scanned_to: number;
    next_cursor: string | null;
    latest_block: number;
    tokens: { symbol: string }[];
  };
};
async function get(path: string): Promise<Page> {
  const response = await fetch(`${service.url}/v1/agent/wallet/${path}`, { headers });
  return (await response.json()) as Page;
}

test("without a platform token its balance is null, its transfers are not listed, and airdrops are refused", async () => {
  const address = wallet(1).address;
  expect((await get(`balances?address=${address}`)).data).toMatchObject({ usdc: "10000.00", token: null });
  expect((await get(`history?address=${address}`)).meta.tokens).toEqual([
    { address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", symbol: "USDC" },
  ]);
  const response = await fetch(`${service.url}/v1/agent/wallet/airdrop`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ recipients: [PAYEE], amount_each: 1 }),
  });
  expect([response.status, await response.json()]).toMatchObject([
    503,
    {
      type: expect.stringContaining("platform-token-missing"),
      detail: expect.stringContaining("PLATFORM_TOKEN"),
    },
  ]);
  expect(() => readConfig({ PLATFORM_TOKEN: "0x12" })).toThrow(/PLATFORM_TOKEN is an address/);
});

test("a page scans a limited range of blocks, reports how far, and the next continues below", async () => {
  const { app } = service;
  const account = addressOf(wallet(5));
  const pay = async (micro: bigint) => carriedByStranger(workshop, await payment(wallet(5), micro));
  await pay(1n);
  await pay(2n);
  for (let i = 0; i < 30; i++) await workshop.rpc("evm_mine");
  await pay(3n);
  const { number } = (await workshop.chain.heads()).latest;
  const page = (before: TransferPosition | undefined, limit = 2) => {
    const question = { account, tokens: platformTokens(app), before, limit };
    return historyPage(app, question, number, { first_span: 4n, longest_span: 4n, most_blocks: 10n });
  };
  const first = await page(undefined);
  expect(first.transfers).toMatchObject([{ amount: 3n, from: account }]);
  expect(first.scanned_to).toBe(number - 9n);
  expect(first.next).toEqual({ block_number: first.scanned_to, index: 0 });

  const results = [...first.transfers];
  const pages = [first];
  for (let next = first.next; next; next = pages.at(-1)!.next) {
    expect(pages.push(await page(next, 1))).toBeLessThan(20);
    results.push(...pages.at(-1)!.transfers);
    expect(pages.at(-1)!.scanned_to).toBeLessThanOrEqual(pages.at(-2)!.scanned_to);
  }
  expect(results.map(({ amount }) => amount)).toEqual([3n, 2n, 1n, 10_000_000_000n]);
  expect(pages.some(({ transfers }) => transfers.length === 0)).toBe(true);
  expect(pages.at(-1)).toMatchObject({ scanned_to: 0n, next: undefined });
});

test("no more of a busy account is read than the page needs", async () => {
  const { app } = service;
  const account = addressOf(wallet(7));
  for (let i = 0; i < 3; i++) await carriedByStranger(workshop, await payment(wallet(7), 1n));
  while ((await workshop.chain.heads()).latest.number < 300n) await workshop.rpc("evm_mine");
  for (let i = 0; i < 3; i++) await carriedByStranger(workshop, await payment(wallet(7), 1n));
  const { number } = (await workshop.chain.heads()).latest;
  const requests: bigint[] = [];
  const logs: Chain["logs"] = (query) => {
    requests.push(query.to_block - query.from_block + 1n);
    return workshop.chain.logs(query);
  };
  const question = { account, tokens: platformTokens(app), before: undefined };
  const chain = { ...workshop.chain, logs };
  const page = (limit: number) => historyPage(withParts(app, { chain }), { ...question, limit }, number);
  expect((await page(2)).transfers.length).toBe(2);
  const few = requests.splice(0).reduce((sum, blocks) => sum + blocks, 0n);
  expect((await page(6)).transfers.length).toBe(6);
  expect(few).toBeLessThan(300n);
  // Each request covers more blocks when the last one found little.
  expect(requests.length).toBeLessThan(20);
});

test("a payment to itself is listed once; a reorged transfer is listed no longer", async () => {
  const snapshot = await workshop.rpc<string>("evm_snapshot");
  const self = wallet(6).address.toLowerCase() as `0x${string}`;
  await carriedByStranger(workshop, await payment(wallet(6), 7n, { to: self }));
  const page = await get(`history?address=${self}&limit=1`);
  expect(page.data).toMatchObject([{ direction: "self", amount: "0.000007" }]);
  await workshop.rpc("evm_revert", snapshot);
  const { chain } = service.app;
  // The node's chain changed between two requests.
  const moved = async (number: bigint) => ({ number, hash: `0x${"0".repeat(64)}` as const, timestamp: 0 });
  replace(service.app, { chain: { ...chain, block: moved } });
  const response = await fetch(`${service.url}/v1/agent/wallet/history?address=${self}&limit=1`, { headers });
  replace(service.app, { chain });
  expect([response.status, response.headers.has("retry-after")]).toEqual([503, true]);
  const after = await get(`history?address=${self}&limit=1`);
  expect(after.data).toMatchObject([{ direction: "in", amount: "10000.00" }]);
});
