/** Views come to hosts that negotiated MCP Apps; the others get the bytes that they would get without views. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APPS, LEGACY, type McpHost, MODERN, mcpRequest, mcpResult } from "../support/mcp.ts";
import { BRIEF } from "../support/reported.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

type Tool = { name: string; _meta?: { ui?: { resourceUri: string } } };
type Tools = { tools: Tool[] };
type Called = {
  content: { type: string; text?: string }[];
  structuredContent: Record<string, unknown>;
  _meta?: { "tallystick/view"?: Record<string, string> };
};
type Read = { contents: { uri: string; mimeType: string; text: string; _meta: { ui: { csp: object } } }[] };

const CALL = { name: "trade_top_partners", arguments: { reporter: "DE", limit: 3 } };
const VIEWS = ["series", "ranking", "map", "report", "proof"].map((name) => `ui://tallystick/${name}.html`);
const MOST_BYTES = 150_000;

let service: Service;
let host: McpHost;
/** By revision: a host that shows views. */
const showing: Record<string, McpHost> = {};
beforeAll(async () => {
  service = await startService();
  await openSandbox(service);
  const { headers } = await service.issue();
  host = { url: `${service.url}/mcp`, headers };
  showing[MODERN] = { ...host, capabilities: APPS };
  const legacy = { ...host, version: LEGACY } as const;
  const begun = await initialize(legacy, APPS);
  showing[LEGACY] = {
    ...legacy,
    headers: { ...headers, "Mcp-Session-Id": begun.headers.get("mcp-session-id")! },
  };
});
afterAll(() => service.stop());

async function initialize({ url, headers }: McpHost, capabilities: object): Promise<Response> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: LEGACY, capabilities, clientInfo: { name: "test", version: "1" } },
    }),
  });
  await response.text();
  return response;
}

describe.each([MODERN, LEGACY] as const)("%s", (version) => {
  test("a host with Apps sees each tool's view, and without them the same list", async () => {
    const shown = await mcpResult<Tools>(showing[version]!, "tools/list");
    const plain = await mcpResult<Tools>({ ...host, version }, "tools/list");
    const viewOf = (name: string) => shown.tools.find((tool) => tool.name === name)!._meta?.ui?.resourceUri;
    expect(viewOf("trade_timeline")).toBe("ui://tallystick/series.html");
    expect(viewOf("trade_top_products")).toBe("ui://tallystick/ranking.html");
    expect(viewOf("trade_top_partners")).toBe("ui://tallystick/map.html");
    expect(viewOf("log_proof")).toBe("ui://tallystick/proof.html");
    const withoutViews = shown.tools.map(({ _meta: { ui: _, ...meta } = {}, ...tool }) => {
      return Object.keys(meta).length > 0 ? { ...tool, _meta: meta } : tool;
    });
    expect(withoutViews).toEqual(plain.tools);
    expect(JSON.stringify(plain)).not.toContain("ui://");
  });

  test("an answer carries the drawings of its view for such a host alone", async () => {
    const plain = await mcpRequest({ ...host, version }, "tools/call", CALL);
    const other = await mcpRequest(
      { ...host, version, capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [] } } } },
      "tools/call",
      CALL,
    );
    expect(other.text).toBe(plain.text);
    expect(plain.text).not.toMatch(/tallystick\/view|resource_link/);
    const shown = await mcpResult<Called>(showing[version]!, "tools/call", CALL);
    const { content, structuredContent } = plain.result as Called;
    expect(shown.structuredContent).toEqual(structuredContent);
    expect(shown.content[0]).toEqual(content[0]);
    expect(shown.content.slice(1).map(({ type }) => type)).toEqual(["resource_link"]);
    const { wide, narrow } = shown._meta!["tallystick/view"]!;
    for (const svg of [wide, narrow]) expect(svg).toMatch(/^<svg [\s\S]*<\/svg>/);
    expect(wide).toContain('width="900"');
    expect(narrow).toContain('width="340"');
  });
});

test("only a host that declares Apps gets a session, and its later requests are served by any process", async () => {
  const other = await initialize(host, {});
  expect(other.headers.get("mcp-session-id")).toBeNull();
  const begun = await initialize(host, APPS);
  expect(begun.headers.get("mcp-session-id")).toMatch(/^apps-[0-9a-f-]{36}$/);
});

test("a report comes as the page that the service prints", async () => {
  const report = await mcpResult<Called>(showing[MODERN]!, "tools/call", {
    name: "operations_call",
    arguments: { name: "sovereign_brief", arguments: BRIEF.input },
  });
  expect(report._meta!["tallystick/view"]!.html).toMatch(/^<!doctype html>/);
  const { tools } = await mcpResult<Tools>(
    { ...showing[MODERN]!, url: `${service.url}/mcp?areas=reports` },
    "tools/list",
  );
  const views = new Set(tools.map(({ _meta }) => _meta?.ui?.resourceUri));
  expect(views).toContain("ui://tallystick/report.html");
});

test("a refused call has no view, and its 402 is the same as without views", async () => {
  const anonymous = { ...showing[MODERN]!, headers: {} };
  const shown = await mcpResult<Called>(anonymous, "tools/call", CALL);
  const plain = await mcpResult<Called>({ ...host, headers: {} }, "tools/call", CALL);
  expect(shown.content.map(({ type }) => type)).toEqual(plain.content.map(({ type }) => type));
  expect(shown._meta?.["tallystick/view"]).toBeUndefined();
});

test.each(VIEWS)("%s is one small document that may load nothing", async (uri) => {
  const [view] = (await mcpResult<Read>(host, "resources/read", { uri })).contents;
  expect(view).toMatchObject({
    uri,
    mimeType: "text/html;profile=mcp-app",
    _meta: {
      ui: { csp: { connectDomains: [], resourceDomains: [], frameDomains: [] }, prefersBorder: true },
    },
  });
  const { text } = view!;
  expect(Buffer.byteLength(text)).toBeLessThan(MOST_BYTES);
  expect(text).toMatch(/^<!doctype html>/);
  expect(text).not.toContain("{{");
  expect(text.match(/<script|<\/script>/g)).toHaveLength(2);
  expect(text).not.toMatch(/<(?:link|img|iframe)\b[^>]*(?:href|src)=|@import|url\((?!data:)/);
  expect(text).not.toMatch(/\bfetch\(|XMLHttpRequest|WebSocket|importScripts|new Worker/);
});

test("views are listed for hosts that show them", async () => {
  const urisOf = async (one: McpHost) =>
    (await mcpResult<{ resources: { uri: string }[] }>(one, "resources/list")).resources.map(
      ({ uri }) => uri,
    );
  expect(await urisOf(showing[MODERN]!)).toEqual(expect.arrayContaining(VIEWS));
  expect((await urisOf(host)).filter((uri) => uri.startsWith("ui:"))).toEqual([]);
});

test("every tool's icon is a drawing of this service", async () => {
  const { tools } = await mcpResult<{
    tools: { name: string; icons: { src: string; mimeType: string }[] }[];
  }>({ ...host, url: `${service.url}/mcp?areas=all` }, "tools/list");
  const icons = new Set(tools.flatMap(({ icons }) => icons.map(({ src }) => src)));
  expect(tools.every(({ icons: [icon] }) => icon?.mimeType === "image/svg+xml")).toBe(true);
  expect(icons.size).toBe(8);
  for (const src of icons) {
    const drawn = await fetch(src);
    expect([src, drawn.status, drawn.headers.get("content-type")]).toEqual([
      src,
      200,
      expect.stringContaining("image/svg+xml"),
    ]);
  }
});
