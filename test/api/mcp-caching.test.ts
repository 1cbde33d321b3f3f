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

test("the tool list is public for an hour by its areas, and older clients get it unchanged", async () => {
  const [usual, all] = [await listed("", VERSION), await listed("?areas=trade", VERSION)];
  for (const result of [usual, all]) expect(result).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" });
  const namesIn = ({ tools }: Record<string, unknown>) =>
    (tools as { name: string }[]).map(({ name }) => name);
  expect(namesIn(all)).not.toEqual(namesIn(usual));
  const before = await listed("", "2025-11-25");
  expect(Object.keys(before)).toEqual(["tools"]);
  expect(before.tools).toEqual(usual.tools);
});
