/**
 * Stock MCP clients show their caller an answer, an error and a 402 unchanged, and those that can carry a payment
 * pay.
 */
import { describe, expect, inject, test } from "vitest";
import { inspect, type McpClient, mcpClients, type Opened, type Seen } from "./mcp-clients.ts";
import { balanceOf, buyerWallet, clientOfVersion2 } from "./wallets.ts";

const wallet = buyerWallet(1);
const PRICE = 50_000n;
/** A well-formed payment that nobody signed. */
const UNKNOWN = `eip155:8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913:${wallet.address.toLowerCase()}:0x${"01".repeat(32)}`;
const asked = { reporter: "DE", limit: 3 };

type Required = Parameters<ReturnType<typeof clientOfVersion2>["createPaymentPayload"]>[0];

const service = inject("sandbox");

async function with_<T>(
  client: McpClient,
  headers: Record<string, string>,
  work: (opened: Opened) => Promise<T>,
) {
  const opened = await client.open(`${service.url}/mcp`, headers);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Whatever form the client returns, it has the service's text. */
function expectTold({ isError, text, structured }: Seen, told: Record<string, unknown>): void {
  expect(isError, text).toBe(true);
  expect(text).not.toContain("output schema");
  if (structured !== undefined) expect(structured).toMatchObject(told);
  for (const [name, value] of Object.entries(told))
    expect(text).toContain(`"${name}":${JSON.stringify(value)}`);
}

const each = mcpClients.map((client) => [client.package, client] as const);
const taking = (what: "key" | "payment") => each.filter(([, { takes }]) => takes.includes(what));

describe.each(each)("%s", (_, client) => {
  test("lists the tools, and shows why a call is refused", async () => {
    await with_(client, {}, async (opened) => {
      expect(await opened.tools()).toContain("trade_top_partners");
      const refused = await opened.call("payment_status", { id: UNKNOWN });
      expectTold(refused, { status: 404 });
    });
  });

  test("shows the 402", () =>
    with_(client, {}, async (opened) => {
      const refused = await opened.call("trade_top_partners", asked);
      expectTold(refused, { x402Version: 2 });
      expect(refused.text).toContain(`"amount":"${PRICE}"`);
    }));
});

test.each(taking("key"))("%s shows the answer to a key", (_, client) =>
  with_(client, service.keyed, async (opened) => {
    const answer = await opened.call("trade_top_partners", asked);
    expect(answer.isError, answer.text).toBe(false);
    expect(answer.text).toContain('"rank":1');
    if (answer.structured !== undefined)
      expect(answer.structured).toMatchObject({ data: [{ rank: 1 }, {}, {}, {}] });
  }),
);

test.each(taking("payment"))(
  "%s pays the price of the 402, and gets the answer and its settlement",
  (_, client) =>
    with_(client, {}, async (opened) => {
      const before = await balanceOf(service.rpc_url, wallet.address);
      const refused = await opened.call("trade_top_partners", asked);
      const required = (refused.structured ?? JSON.parse(refused.text)) as Required;
      const payment = await clientOfVersion2(wallet).createPaymentPayload(required);
      const answer = await opened.call("trade_top_partners", asked, { "x402/payment": payment });
      expect(answer.isError, answer.text).toBe(false);
      expect(answer.structured).toMatchObject({ data: [{ rank: 1 }, {}, {}, {}] });
      expect(answer.meta?.["x402/payment-response"]).toMatchObject({
        success: true,
        network: "eip155:8453",
      });
      expect(before - (await balanceOf(service.rpc_url, wallet.address))).toBe(PRICE);
    }),
);

test.each(taking("payment"))("%s finds an unlisted operation, and pays for its call", (_, client) =>
  with_(client, {}, async (opened) => {
    const { text } = await opened.call("operations_find", { q: "largest buyers of wood" });
    const { name } = (JSON.parse(text) as { data: { name: string }[] }).data[0]!;
    expect([name, (await opened.tools()).includes(name)]).toEqual(["trade_wood_products", false]);
    const args = { name, arguments: { reporter: "LV" } };
    const refused = await opened.call("operations_call", args);
    const payment = await clientOfVersion2(wallet).createPaymentPayload(
      (refused.structured ?? JSON.parse(refused.text)) as Required,
    );
    const answer = await opened.call("operations_call", args, { "x402/payment": payment });
    expect(answer.isError, answer.text).toBe(false);
  }),
);

test("the Inspector finds no fault in any tool's schema", async () => {
  const at = [`${service.url}/mcp?areas=all`, "--transport", "http"];
  const { stdout, stderr, code } = await inspect([...at, "--method", "tools/list", "--strict"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect((JSON.parse(stdout) as { tools: object[] }).tools.length).toBeGreaterThan(80);
});
