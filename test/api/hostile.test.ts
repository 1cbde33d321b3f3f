/** Unusual clients' input: odd request targets, endless bodies, expensive values. */
import { EventEmitter, getEventListeners } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walSince } from "../../src/api/operations/replay/wal-since.ts";
import { matches } from "../../src/api/serve/answer.ts";
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

test("If-None-Match compares ETags weakly", () => {
  expect(['"a"', 'W/"a"', ' W/"b" , "a"', "*"].map((header) => matches(header, 'W/"a"'))).toEqual(
    Array(4).fill(true),
  );
  expect(['"', "", "a", 'W/"b"'].map((header) => matches(header, 'W/"a"'))).toEqual(Array(4).fill(false));
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
