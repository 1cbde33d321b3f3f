/** MCP as its messages: what a client library would hide is visible. */
import { expect } from "vitest";

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";

/** The capability of a host that shows views. */
export const APPS = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

export type McpAnswer = {
  status: number;
  headers: Headers;
  /** The body's JSON as it was sent. */
  text: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
};

export type McpHost = {
  url: string;
  version?: typeof MODERN | typeof LEGACY;
  capabilities?: object;
  headers?: Record<string, string>;
};

/** One request by itself, as a host of this version sends it. */
export async function mcpRequest(
  { url, version = MODERN, capabilities = {}, headers = {} }: McpHost,
  method: string,
  { _meta, ...params }: Record<string, unknown> = {},
): Promise<McpAnswer> {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  };
  const meta = { ...(version === MODERN && envelope), ...(_meta as object | undefined) };
  const name = params.name ?? params.uri;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": version,
      ...(version === MODERN && { "Mcp-Method": method }),
      ...(version === MODERN && typeof name === "string" && { "Mcp-Name": name }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) },
    }),
  });
  const body = await response.text();
  const text = body.startsWith("{") ? body : (/^data: (\{.*)$/m.exec(body)?.[1] ?? "");
  expect(text, `${method}: ${response.status} ${body.slice(0, 500)}`).not.toBe("");
  return { status: response.status, headers: response.headers, text, ...JSON.parse(text) };
}

/** The result, where there has to be one. */
export async function mcpResult<Result = Record<string, unknown>>(
  host: McpHost,
  method: string,
  params?: Record<string, unknown>,
): Promise<Result> {
  const { result, text } = await mcpRequest(host, method, params);
  expect(result, text).toBeDefined();
  return result as Result;
}
