/** Clients of more than one protocol: mppx by x402, and an ERC-8004 SDK that reads the service and pays it. */
import { EndpointCrawler, isX402Required, SDK } from "agent0-sdk";
import { evm, Mppx } from "mppx/client";
import { syntheticChallengeIdPrefix } from "mppx/x402";
import { expect, inject, test } from "vitest";
import { buyerWallet } from "./wallets.ts";

const service = inject("sandbox");
const wallet = buyerWallet(8);
const PRICED = `${service.url}/v1/agent/trade/top-partners?reporter=DE&limit=3`;

test("mppx pays by x402, where it prefers that to MPP", async () => {
  const client = Mppx.create({
    methods: [evm({ account: wallet, assets: [evm.assets.base.USDC], networks: [8453], maxAmount: "1" })],
    polyfill: false,
    orderChallenges: (all) =>
      all.filter(({ challenge }) => challenge.id.startsWith(syntheticChallengeIdPrefix)),
  });
  const answer = await client.fetch(`${PRICED}&year=2023`);
  expect(answer.status, await answer.clone().text()).toBe(200);
  expect(answer.headers.get("payment-response")).toBeTruthy();
  expect(answer.headers.get("payment-receipt")).toBeNull();
});

test("agent0-sdk reads the tools of MCP and the skills of the agent card", async () => {
  const crawler = new EndpointCrawler();
  const { mcpTools } = (await crawler.fetchMcpCapabilities(`${service.url}/mcp`))!;
  expect(mcpTools).toContain("operations_find");
  const card = await crawler.fetchA2aCapabilities(`${service.url}/.well-known/agent-card.json`);
  expect(card?.a2aSkills?.length).toBeGreaterThan(0);
});

test("agent0-sdk pays for a call", async () => {
  const privateKey = `0x${Buffer.from(wallet.getHdKey().privateKey!).toString("hex")}`;
  const sdk = new SDK({ chainId: 8453, rpcUrl: service.rpc_url, privateKey });
  const asked = await sdk.request<{ data: unknown }>({ url: `${PRICED}&year=2022`, method: "GET" });
  if (!isX402Required(asked)) throw new Error("no payment was required");
  const paid = await asked.x402Payment.pay();
  expect(paid).toMatchObject({ success: true });
});
