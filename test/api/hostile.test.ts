/** Unusual clients' input: odd request targets, endless bodies, expensive values. */
import { EventEmitter, getEventListeners } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walSince } from "../../src/api/operations/replay/wal-since.ts";
import { matches } from "../../src/api/serve/conditions.ts";
import { endOf } from "../../src/api/transports/http-request.ts";
import { issueKey } from "../../src/operator/keys.ts";
import { catalogue } from "../support/catalogue.ts";
import * as notes from "../support/notes.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let headers: { Authorization: string };

beforeAll(async () => {
  const operations = [
    ...notes.noteOperations,
    ...catalogue.filter(({ name }) => name !== "wal_since"),
    walSince(100),
  ];
  service = await startService({ operations });
  ({ headers } = await service.issue());
});
afterAll(() => service.stop());

/** Sends raw bytes and reads until the service closes. */
function raw(...pieces: (string | Buffer)[]): Promise<string> {
  return new Promise((done) => {
    const { hostname, port } = new URL(service.url);
    let heard = "";
    const socket = connect(Number(port), hostname, () => {
      for (const piece of pieces) socket.write(piece);
    });
    const end = () => done(heard);
    socket
      .on("data", (bytes) => {
        heard += bytes.toString();
      })
      .on("close", end)
      .on("error", end);
  });
}
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const target = (text: string) => raw(`GET ${text} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

describe("a request target", () => {
  test.each([
    "http://a:99999/v1/agent/count",
    "http://[bad/v1/agent/count",
    "http://evil.example/v1/agent/count",
  ])("%s is parsed from its path on", async (text) => {
    const answer = await target(text);
    expect(statusOf(answer)).toBe(402);
    expect(answer).toContain(`"resource":"${service.url}/v1/agent/count"`);
  });

  test("that is a URL without a path is the first page", async () => {
    expect(statusOf(await target("http://a"))).toBe(200);
  });

  test.each(["*", "//", "/%ZZ"])("%s is answered with a problem", async (text) => {
    const answer = await target(text);
    expect(statusOf(answer)).toBe(404);
    expect(answer).toContain("application/problem+json");
  });
});

test("a document accepts GET alone, and names it in Allow", async () => {
  const response = await fetch(`${service.url}/health`, { method: "POST" });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
});

test("a body without a stated length is refused beyond the limit, and the refusal arrives", async () => {
  const chunk = Buffer.alloc(64 * 1024, "x");
  const answer = await raw(
    "POST /v1/agent/notes/a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
      `Authorization: ${headers.Authorization}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ...Array.from({ length: 5 }, () => Buffer.concat([Buffer.from("10000\r\n"), chunk, Buffer.from("\r\n")])),
  );
  expect(statusOf(answer)).toBe(413);
});

describe("a tool call", () => {
  async function rpc(method: string, params: string, query = "") {
    const response = await fetch(`${service.url}/mcp${query}`, {
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
    });
    const text = await response.text();
    return {
      status: response.status,
      length: text.length,
      body: text.replace(/^event: message\ndata: /, ""),
    };
  }

  test("with a deeply nested value is a bad request, not a server error", async () => {
    const nested = "[".repeat(200_000) + "]".repeat(200_000);
    const { body } = await rpc("tools/call", `{"name":"count_calls","arguments":{"word":${nested}}}`);
    expect(JSON.parse(body).result.structuredContent).toMatchObject({ status: 400 });
  });

  test("with a hundred thousand bad values gets a short answer", async () => {
    const names = JSON.stringify(Array(100_000).fill("\0"));
    const answer = await rpc("tools/call", `{"name":"count_calls","arguments":{"names":${names}}}`);
    const { errors } = JSON.parse(answer.body).result.structuredContent;
    expect(errors).toEqual([{ path: "names", message: expect.stringMatching(/^has at most \d+ entries$/) }]);
    expect(answer.length).toBeLessThan(5_000);
  });

  test("of an unknown tool is a parameter error", async () => {
    const { body } = await rpc("tools/call", '{"name":"__proto__","arguments":{}}');
    expect(JSON.parse(body).error).toMatchObject({ code: -32602 });
  });

  test("that follows a stream ends at the first mark", async () => {
    await issueKey(service.app, {
      tenant: "acme",
      space: "live",
      label: null,
      scopes: ["read"],
      daily: null,
      monthly: null,
    });
    const args = '{"since":"2026-01-01T00:00:00Z","follow":true}';
    const { body } = await rpc("tools/call", `{"name":"wal_since","arguments":${args}}`);
    const { items, last } = JSON.parse(body).result.structuredContent;
    expect(items.length).toBeGreaterThan(0);
    expect(last).toMatchObject({ up_to_date: true });
  });

  test("lists no area that is a member of every JavaScript object", async () => {
    expect((await rpc("tools/list", "{}", "?areas=constructor")).status).toBe(400);
  });
});

describe("a message to /mcp", () => {
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const both = "application/json, text/event-stream";
  const sent = async (
    body: string | Buffer,
    { accept = both, type = "application/json", session = "", coding = "" }: Record<string, string> = {},
  ) => {
    const response = await fetch(`${service.url}/mcp`, {
      method: "POST",
      headers: {
        ...headers,
        Accept: accept,
        ...(type && { "Content-Type": type }),
        ...(coding && { "Content-Encoding": coding }),
        ...(session && { "Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-06-18" }),
      },
      body: body as Uint8Array<ArrayBuffer>,
    });
    const text = (await response.text()).replace(/^event: message\ndata: /, "");
    const answer = JSON.parse(text) as { error?: { code: number; message: string }; result?: object };
    return { status: response.status, session: response.headers.get("mcp-session-id"), ...answer };
  };
  /** A session whose name the service gives: a client that shows views. */
  const initialize = JSON.stringify({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {
        extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
      },
      clientInfo: { name: "test", version: "1" },
    },
  });
  const call = (word: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count_calls","arguments":{"word":${word}}}}`;

  test.each<[string, string | Buffer, string]>([
    [
      "cut off",
      list.slice(0, 24),
      "line 1, column 25: expected a name in double quotes; found the end of the text",
    ],
    ["empty", "", "line 1, column 1: expected a value"],
    ["not UTF-8", Buffer.from(list.replace("tools", "t\xff"), "latin1"), "byte 36 is not UTF-8"],
    ["with a key twice", list.replace("{", '{"id":2,'), 'the key "id" occurs twice in one object'],
    ["nested without an end", "[".repeat(10_000), "line 1, column 10001: expected a value"],
    ["with text after it", `${list}\n}`, 'line 2, column 1: expected the end of the text; found "}"'],
  ])("that is %s is a parse error with its place", async (_, body, place) => {
    for (const accept of [both, "application/json"])
      expect(await sent(body, { accept })).toMatchObject({
        status: 400,
        error: { code: -32_700, message: expect.stringContaining(place) },
      });
  });

  test.each<[string, string, number[]]>([
    ["is nested ten thousand levels", "[".repeat(10_000) + "]".repeat(10_000), [-32_700, -32_600]],
    ["has a huge number as its id", list.replace("1,", "1e999,"), [-32_700, -32_600]],
    ["is a number", "1e999", [-32_700, -32_600]],
  ])("that %s is refused", async (_, body, codes) => {
    for (const accept of [both, "application/json"]) {
      const { status, error } = await sent(body, { accept });
      expect([status, codes.includes(error!.code)]).toEqual([400, true]);
    }
  });

  test.each([["text/plain"], ["application/x-www-form-urlencoded"], [""]])(
    "of the content type %j is a 415",
    async (type) => {
      for (const accept of [both, "application/json"])
        expect((await sent(Buffer.from(list), { accept, type })).status).toBe(415);
    },
  );

  test.each<[string, Buffer, string]>([
    ["is over a mebibyte", Buffer.alloc(2 ** 20 + 1, list), ""],
    ["unpacks to over a mebibyte", gzipSync(Buffer.alloc(2 ** 20 + 1, list)), "gzip"],
  ])("that %s is a 413 whose JSON-RPC error names the limit", async (_, body, coding) => {
    for (const accept of [both, "application/json"])
      expect(await sent(body, { accept, coding })).toEqual({
        status: 413,
        session: null,
        jsonrpc: "2.0",
        id: null,
        error: {
          code: -32_000,
          message: "the body exceeds 1024 KiB",
          data: { type: expect.stringMatching(/#too-large$/), status: 413 },
        },
      });
  });

  test("that is too large shows its limit to the SDK's caller", async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)));
    const big = { name: "count_calls", arguments: { word: "x".repeat(2 ** 20) } };
    await expect(client.callTool(big)).rejects.toThrow("the body exceeds 1024 KiB");
    await client.close();
  });

  test("may begin with a byte order mark", async () => {
    expect(await sent(`\ufeff${list}`)).toMatchObject({ status: 200, result: { tools: expect.any(Array) } });
  });

  test("that is broken leaves its session working", async () => {
    const { session, status } = await sent(initialize);
    expect([status, session]).toEqual([200, expect.any(String)]);
    const named = { session: session! };
    const deep = "[".repeat(10_000) + "]".repeat(10_000);
    for (const body of ["", "{", Buffer.from([0xff]), "[".repeat(10_000), deep, call(deep), call("1e999")]) {
      expect((await sent(body, named)).status).toBeLessThan(500);
      expect(await sent(list, named)).toMatchObject({ status: 200, result: { tools: expect.any(Array) } });
    }
    for (const word of [deep, "1e999"])
      expect(await sent(call(word), named)).toMatchObject({
        result: { isError: true, structuredContent: { status: 400 } },
      });
  });
});

test("If-None-Match compares ETags weakly", () => {
  expect(['"a"', 'W/"a"', ' W/"b" , "a"', "*"].map((header) => matches(header, 'W/"a"'))).toEqual(
    Array(4).fill(true),
  );
  expect(['"', "", "a", 'W/"b"'].map((header) => matches(header, 'W/"a"'))).toEqual(Array(4).fill(false));
  // An answer without an ETag is not a version, but is there.
  expect(['"a"', "", "*"].map((header) => matches(header, ""))).toEqual([false, false, true]);
});

test("a call leaves no listener on the service's stop signal", () => {
  const stopping = new AbortController();
  const over = new EventEmitter();
  const open = new EventEmitter();
  const ended = endOf(over, stopping.signal);
  const unended = endOf(open, stopping.signal);
  over.emit("close");
  expect(ended.aborted).toBe(true);
  expect(getEventListeners(stopping.signal, "abort")).toHaveLength(1);
  stopping.abort();
  expect(unended.aborted).toBe(true);
});
