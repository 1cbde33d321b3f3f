/** The list of tools depends on its address alone, so clients of MCP 2026-07-28 may share it for an hour. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const VERSION = "2026-07-28";

async function listed(query: string, version: string): Promise<Record<string, unknown>> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  };
  const isNew = version === VERSION;
  const response = await fetch(`${service.url}/mcp${query}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": version,
      ...(isNew && { "Mcp-Method": "tools/list" }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: isNew ? { _meta } : {} }),
  });
  const text = await response.text();
  const data = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!;
  return (JSON.parse(data) as { result: Record<string, unknown> }).result;
}

test("clients may cache each area's tool list for an hour; older clients get it unchanged", async () => {
  const [usual, all] = [await listed("", VERSION), await listed("?areas=trade", VERSION)];
  for (const result of [usual, all]) expect(result).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" });
  const namesIn = ({ tools }: Record<string, unknown>) =>
    (tools as { name: string }[]).map(({ name }) => name);
  expect(namesIn(all)).not.toEqual(namesIn(usual));
  const before = await listed("", "2025-11-25");
  expect(Object.keys(before)).toEqual(["tools"]);
  expect(before.tools).toEqual(usual.tools);
});

/** How zod speaks by itself. */
const VALIDATOR_TEXT =
  /Invalid (input|option|string|number)|expected (string|object|record)|"code": ?"invalid/;

const plain = async (method: string, params: unknown, accept?: string) => {
  const response = await fetch(`${service.url}/mcp`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(accept !== undefined && { Accept: accept }) },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return { status: response.status, text: await response.text() };
};

test.each([["*/*"], ["application/json"], [undefined]])(
  "one JSON-RPC call that accepts %s lists the tools as JSON",
  async (accept) => {
    const { status, text } = await plain("tools/list", {}, accept);
    const { result } = JSON.parse(text) as { result: { tools: object[] } };
    expect([status, result.tools.length]).toEqual([200, 37]);
  },
);

test.each([
  ["tools/call", undefined],
  ["tools/call", { name: 5 }],
  ["tools/call", { name: "health", arguments: "none" }],
  ["resources/read", { uri: 7 }],
  ["tools/list", { cursor: 7 }],
])("%s with the params %j is refused in plain words", async (method, params) => {
  const { text } = await plain(method, params, "application/json");
  const { error } = JSON.parse(text) as { error: { code: number; message: string } };
  expect(error.code).toBe(-32_602);
  expect(error.message).not.toMatch(VALIDATOR_TEXT);
});
