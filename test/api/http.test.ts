import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { decodePaymentRequiredHeader } from "@x402/core/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registry } from "../../eventstore/schemas.ts";
import { createEventStore } from "../../eventstore/store.ts";
import * as notes from "../support/notes.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let mine: { tenant: string; headers: { Authorization: string } };

beforeAll(async () => {
  service = await startService({ operations: notes.noteOperations, env: { OPEN_CALLS_PER_MINUTE: "40" } });
  // The test's own event types join those of the service.
  const schemas = registry([notes.events]);
  const store = createEventStore(service.app.pool, { schemas });
  Object.assign(service.app.unit, { schemas, store });
  mine = await issueBefore();
});
afterAll(() => service.stop());

/** Keys are issued through the service's own event types, so a second service issues them. */
async function issueBefore() {
  const beside = await startService({ beside: service as Service & { database_url: string } });
  const issued = await beside.issue();
  await beside.stop();
  return issued;
}

type HttpResponse = { status: number; headers: Headers; body: { [key: string]: unknown } };

async function ask(path: string, init: RequestInit = {}): Promise<HttpResponse> {
  const response = await fetch(service.url + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}
const asMe = (init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...mine.headers, ...init.headers },
});
const post = (body: unknown, headers: Record<string, string> = {}): RequestInit =>
  asMe({
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...headers },
  });
const fieldsOf = ({ body }: HttpResponse) =>
  ((body.errors ?? []) as { path: string }[]).map(({ path }) => path);

describe("an unpaid call", () => {
  test("gets its 402 in both versions", async () => {
    const answer = await ask("/v1/agent/count?limit=2");
    expect(answer.status).toBe(402);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const resource = `${service.url}/v1/agent/count?limit=2`;
    expect(answer.body).toMatchObject({
      status: 402,
      success: false,
      x402Version: 1,
      accepts: [
        {
          scheme: "exact",
          network: "base",
          maxAmountRequired: "50000",
          resource,
          asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          maxTimeoutSeconds: 300,
          extra: { name: "USD Coin", version: "2" },
        },
      ],
    });
    const v2 = decodePaymentRequiredHeader(answer.headers.get("payment-required") ?? "");
    expect(v2).toMatchObject({
      x402Version: 2,
      resource: { url: resource },
      accepts: [{ scheme: "exact", network: "eip155:8453", amount: "50000", maxTimeoutSeconds: 300 }],
    });
    const [v1] = answer.body.accepts as unknown as [{ payTo: string }];
    expect(v2.accepts[0]!.payTo).toBe(v1.payTo);
  });

  test("gets the price before its body is read", async () => {
    const answer = await ask("/v1/agent/notes/a", {
      method: "POST",
      body: "{not json",
      headers: { "Content-Type": "x/y" },
    });
    expect(answer.status).toBe(402);
    expect(answer.body.accepts).toMatchObject([{ maxAmountRequired: "10000" }]);
  });

  test("of an operation without a price gets 401", async () => {
    const answer = await ask("/v1/agent/two-notes", { method: "POST" });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
  });
});

describe("input", () => {
  test.each([
    ["limit=0", ["limit"]],
    ["limit=abc", ["limit"]],
    ["limit=1.5", ["limit"]],
    ["limit=1e1", ["limit"]],
    ["limit=99999999999999999999", ["limit"]],
    ["limit=%20", ["limit"]],
    ["limit=", ["limit"]],
    ["limit=1&limit=2", ["limit"]],
    ["deep=yes", ["deep"]],
    ["names=a,b,c,d", ["names"]],
    ["names=toolong", ["names.0"]],
    ["lmit=3", ["lmit"]],
    [`word=${"x".repeat(3000)}`, ["word"]],
    ["limit=0&deep=2&nothing=1", ["nothing", "limit", "deep"]],
    ["__proto__=1", ["__proto__"]],
    ["constructor=1", ["constructor"]],
  ])("%s is refused, naming every bad field", async (query, fields) => {
    const answer = await ask(`/v1/agent/count?${query}`, asMe());
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
    expect(fieldsOf(answer).sort()).toEqual([...fields].sort());
  });

  test("an unknown parameter is answered with the nearest known one", async () => {
    const answer = await ask("/v1/agent/count?limt=3", asMe());
    expect(answer.body.errors).toMatchObject([{ message: expect.stringContaining("did you mean limit?") }]);
    const other = await ask("/v1/agent/count?zzzz=3", asMe());
    expect(other.body.errors).toMatchObject([
      { message: expect.stringMatching(/^is unknown; it takes .*limit/) },
    ]);
  });

  test("a query's text is converted to the field's type", async () => {
    const answer = await ask("/v1/agent/count?limit=7&names=a,b&deep=true", asMe());
    expect(answer.body.data).toEqual({ limit: 7, names: ["a", "b"], deep: true });
  });

  test.each([
    ["{", 400],
    ["[]", 400],
    ["null", 400],
    ['{"text":"a","text":"b"}', 400],
    ['{"text":"\\ud800"}', 400],
    ['{"text":1}', 400],
    ['{"text":""}', 400],
    ["{}", 400],
    ['{"text":"a\\u0000b"}', 400],
    ['{"text":"a","__proto__":{"x":1}}', 400],
    ['{"text":"a","notebook":"b"}', 400],
    ['{"text":"a","more":1}', 400],
    [`{"text":"${"x".repeat(300_000)}"}`, 413],
  ])("the body %s is refused", async (body, status) => {
    const answer = await ask("/v1/agent/notes/a", post(body));
    expect(answer.status).toBe(status);
  });

  test("a body of another type is 415, one with a query string 400", async () => {
    expect((await ask("/v1/agent/notes/a", post("text=a", { "Content-Type": "text/plain" }))).status).toBe(
      415,
    );
    expect((await ask("/v1/agent/notes/a?x=1", post({ text: "a" }))).status).toBe(400);
  });

  test("a missing body is 400, and names the fields that it needs", async () => {
    const { body: _, ...bare } = post({});
    const answer = await ask("/v1/agent/notes/a", bare);
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toContain("the body is missing: send JSON as application/json, with text");
  });

  test("bytes that are not UTF-8 are refused", async () => {
    const body = Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const answer = await ask("/v1/agent/notes/a", { ...post(""), body });
    expect(answer.status).toBe(400);
  });

  test("a path that cannot be decoded is 400", async () => {
    expect((await ask("/v1/agent/notes/%E0%A4%A", post({ text: "a" }))).status).toBe(400);
  });
});

describe("commands over HTTP", () => {
  test("append one commit that names the caller, the operation and the request", async () => {
    const answer = await ask(
      "/v1/agent/notes/meta",
      post({ text: "hello" }, { "X-Request-Id": "my-request" }),
    );
    expect(answer).toMatchObject({ status: 201, body: { success: true, data: { count: 1, last: "hello" } } });
    expect(answer.headers.get("x-request-id")).toBe("my-request");
    const [event] = await service.app.store.readStream({ tenant: mine.tenant, stream_id: "notebook-meta" });
    expect(event!.meta).toMatchObject({
      operation: "take_note",
      request_id: "my-request",
      actor: expect.stringMatching(/^key:k_/),
    });
  });

  test("all succeed if 200 come at once on one stream", async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => ask("/v1/agent/notes/crowd", post({ text: `note ${n}` }))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(201));
    expect(new Set(answers.map(({ body }) => (body.data as unknown as { count: number }).count)).size).toBe(
      200,
    );
  });

  test("the same Idempotency-Key gets the first answer; with another body it is 422", async () => {
    const headers = { "Idempotency-Key": "once" };
    const first = await ask("/v1/agent/notes/idem", post({ text: "one" }, headers));
    await ask("/v1/agent/notes/idem", post({ text: "two" }));
    const again = await ask("/v1/agent/notes/idem", post({ text: "one" }, headers));
    expect(again.body).toEqual(first.body);
    const other = await ask("/v1/agent/notes/idem", post({ text: "three" }, headers));
    expect(other).toMatchObject({
      status: 422,
      body: { type: expect.stringContaining("#idempotency-key-reused") },
    });
    expect(
      await service.app.store.readStream({ tenant: mine.tenant, stream_id: "notebook-idem" }),
    ).toHaveLength(2);
  });

  test("a refusal after staging leaves no event", async () => {
    expect((await ask("/v1/agent/two-notes", post({ text: "no", fail: true }))).status).toBe(409);
    expect(await service.app.store.readStream({ tenant: mine.tenant, stream_id: "notebook-left" })).toEqual(
      [],
    );
    expect((await ask("/v1/agent/two-notes", post({ text: "yes" }))).status).toBe(201);
  });

  test.each(["", "x".repeat(129), "a b", "ü"])("the Idempotency-Key %j is refused", async (value) => {
    const answer = await ask("/v1/agent/notes/a", post({ text: "a" }, { "Idempotency-Key": value }));
    expect(fieldsOf(answer)).toEqual(["Idempotency-Key"]);
  });
});

describe("conventions", () => {
  test("the /api prefix is the same operation", async () => {
    expect((await ask("/api/v1/agent/count?limit=2", asMe())).body.data).toMatchObject({ limit: 2 });
  });

  test("another method of /mcp is 405 and says how MCP is sent", async () => {
    const answer = await ask("/mcp");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    expect(JSON.stringify(answer.body)).toContain(
      "GET is not one of POST, OPTIONS: send each message of MCP by POST",
    );
  });

  test("another method is 405 and names the allowed ones", async () => {
    const answer = await ask("/v1/agent/count", asMe({ method: "DELETE" }));
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });

  test("an internal error is a 500 that reveals only the request id", async () => {
    const answer = await ask("/v1/agent/broken", asMe());
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toContain("secret details");
    expect(service.logged.some(({ msg }) => msg === "a call failed")).toBe(true);
  });

  test("an answer that does not fit its schema is sent, logged and counted", async () => {
    expect((await ask("/v1/agent/misfit", asMe())).status).toBe(200);
    expect(service.logged.some(({ msg }) => String(msg).includes("breaks its own declaration"))).toBe(true);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('tallystick_broken_promises_total{operation="misfit",promise="schema"} 1');
  });

  test("keys never reach the log", async () => {
    await ask(`/v1/agent/count?api_key=${mine.headers.Authorization.slice(7)}`, asMe());
    const logged = JSON.stringify(service.logged);
    expect(logged).toContain("/v1/agent/count");
    expect(logged).not.toContain(mine.headers.Authorization.slice(7));
    expect(logged).not.toContain(
      createHash("sha256").update(mine.headers.Authorization.slice(7)).digest("hex"),
    );
  });

  test("browsers may call from other origins", async () => {
    const response = await fetch(`${service.url}/v1/agent/count`, {
      method: "OPTIONS",
      headers: { Origin: "https://inspector.example", "Access-Control-Request-Method": "GET" },
    });
    expect([response.status, response.headers.get("content-length")]).toEqual([204, null]);
    expect(response.headers.get("access-control-allow-headers")).toContain("PAYMENT-SIGNATURE");
    expect(response.headers.get("access-control-expose-headers")).toContain("PAYMENT-REQUIRED");
    const listed = (name: string) => response.headers.get(`access-control-${name}-headers`)!.split(", ");
    expect(listed("allow")).toEqual(
      expect.arrayContaining(["If-None-Match", "If-Match", "If-Range", "Range", "Content-Encoding"]),
    );
    expect(listed("expose")).toEqual(
      expect.arrayContaining(["ETag", "Accept-Ranges", "Content-Range", "Content-Length", "Vary"]),
    );
  });

  test("documents are revalidated by their ETag, compressed or not", async () => {
    for (const coding of ["identity", "gzip", "br"]) {
      const first = await fetch(`${service.url}/openapi.json`, { headers: { "Accept-Encoding": coding } });
      expect(first.headers.get("content-encoding")).toBe(coding === "identity" ? null : coding);
      const etag = first.headers.get("etag")!;
      expect(etag).toMatch(/^W\/"/);
      await first.arrayBuffer();
      const again = await fetch(`${service.url}/openapi.json`, {
        headers: { "Accept-Encoding": coding, "If-None-Match": etag },
      });
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
      const other = await fetch(`${service.url}/openapi.json`, { headers: { "If-None-Match": '"other"' } });
      expect(other.status).toBe(200);
      await other.arrayBuffer();
    }
  });

  test("If-Match is a 412 where nothing has a strong ETag, and no write ignores it", async () => {
    const tagged = await fetch(`${service.url}/openapi.json`);
    await tagged.arrayBuffer();
    const etag = tagged.headers.get("etag")!;
    const notebook = "/v1/agent/notes/matched";
    const calls: [string, RequestInit, number][] = [
      ["/openapi.json", {}, 200],
      ["/v1/agent/count?limit=2", asMe(), 200],
      [notebook, post({ text: "a" }), 201],
    ];
    for (const [path, init, status] of calls) {
      for (const condition of [etag, '"1"', ""]) {
        const headers = { ...(init.headers as object), "If-Match": condition };
        const refused = await ask(path, { ...init, headers });
        expect([path, condition, refused.status]).toEqual([path, condition, 412]);
        expect(refused.body).toMatchObject({
          title: "Precondition failed",
          detail: expect.stringMatching(/omit If-Match/),
        });
      }
      const { rows } = await service.app.pool.query(
        "select 1 from eventstore.events where stream_id like '%matched'",
      );
      expect(rows).toEqual([]);
      const headers = { ...(init.headers as object), "If-Match": "*", "If-None-Match": '"else"' };
      expect([path, (await ask(path, { ...init, headers })).status]).toEqual([path, status]);
    }
  });

  test("If-None-Match is a 304 for GET and HEAD alone", async () => {
    const headers = { "If-None-Match": "*" };
    for (const method of ["GET", "HEAD"])
      expect((await ask("/v1/agent/count?limit=2", asMe({ method, headers }))).status).toBe(304);
    expect((await ask("/v1/agent/notes/unmatched", post({ text: "a" }, headers))).status).toBe(201);
  });

  describe("Accept-Encoding", () => {
    const answered = async (coding: string | undefined, { path = "/openapi.json", method = "GET" } = {}) => {
      const headers = coding === undefined ? [] : ["Accept-Encoding", coding];
      const at = new URL(service.url);
      // Unlike fetch, it sends the header alone and decodes nothing.
      const asking = request({
        host: at.hostname,
        port: at.port,
        path,
        method,
        headers: ["Host", at.host, ...headers],
      });
      asking.end();
      const [response] = (await once(asking, "response")) as [IncomingMessage];
      const body = Buffer.concat(await response.toArray());
      return { status: response.statusCode, headers: response.headers, body };
    };

    test.each([
      [undefined, undefined],
      ["", undefined],
      ["gzip", "gzip"],
      ["x, gzip;q=0.5, br;q=0.4", "gzip"],
      ["*", "br"],
      ["br;q=0, *", "gzip"],
      ["gzip;q=0", undefined],
      ["identity, *;q=0", undefined],
      ["deflate, identity;q=0", "deflate"],
      ["zstd", undefined],
    ])("%j is answered as %j, with Vary", async (accepted, coding) => {
      const { status, headers } = await answered(accepted);
      expect([status, headers["content-encoding"], headers.vary]).toEqual([200, coding, "Accept-Encoding"]);
    });

    test("without identity packs a short answer too", async () => {
      const { headers, body } = await answered("gzip, identity;q=0", { path: "/health" });
      expect([headers["content-encoding"], gunzipSync(body).toString()]).toEqual(["gzip", '{"status":"ok"}']);
      expect((await answered("gzip", { path: "/health" })).headers["content-encoding"]).toBeUndefined();
    });

    test.each(["identity;q=0", "*;q=0", "zstd, *;q=0", "identity; q=0.000, gzip;q=0"])(
      "%s accepts nothing, which is a 406",
      async (accepted) => {
        const { status, body } = await answered(accepted);
        expect([status, JSON.parse(body.toString()).errors[0].path]).toEqual([406, "Accept-Encoding"]);
      },
    );

    test("of HEAD gets a length only if GET sends that many bytes", async () => {
      for (const path of ["/openapi.json", "/health"])
        for (const coding of [undefined, "gzip", "identity"]) {
          const [get, head] = [
            await answered(coding, { path }),
            await answered(coding, { path, method: "HEAD" }),
          ];
          expect(head.body).toHaveLength(0);
          expect(head.headers["content-length"]).toBe(
            get.headers["content-encoding"] ? undefined : String(get.body.length),
          );
        }
    });

    test("a 304 names what the answer varies by", async () => {
      const { headers } = await answered(undefined);
      const again = await fetch(`${service.url}/openapi.json`, {
        headers: { "If-None-Match": headers.etag! },
      });
      expect([again.status, again.headers.get("vary")]).toEqual([304, "Accept-Encoding"]);
    });
  });

  test("MCP closes a connection that its caller wants closed", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Connection: "close",
    };
    const asking = request(`${service.url}/mcp`, { method: "POST", headers });
    asking.end(body);
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
    response.resume();
    await once(response, "close");
  });

  describe("a body in a content coding", () => {
    const sent = (body: Uint8Array, coding: string) =>
      ask("/v1/agent/notes/coded", {
        ...post("", { "Content-Encoding": coding }),
        body: body as Uint8Array<ArrayBuffer>,
      });
    const plain = Buffer.from(JSON.stringify({ text: "packed" }));

    test.each([
      ["gzip", gzipSync(plain)],
      ["X-Gzip", gzipSync(plain)],
      ["deflate", deflateSync(plain)],
      ["br", brotliCompressSync(plain)],
      ["identity", plain],
      ["deflate, gzip", gzipSync(deflateSync(plain))],
    ])("%s is decoded", async (coding, body) => {
      expect((await sent(body, coding)).status).toBeLessThan(300);
    });

    test("is decoded for MCP too, and an unknown one is a 415 there", async () => {
      const list = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
      const askMcp = async (coding: string, body: Uint8Array) => {
        const headers = { "Content-Type": "application/json", "Content-Encoding": coding };
        const response = await fetch(`${service.url}/mcp`, {
          method: "POST",
          headers,
          body: body as Uint8Array<ArrayBuffer>,
        });
        return { status: response.status, text: await response.text() };
      };
      const packed = await askMcp("gzip", gzipSync(list));
      expect(packed.status).toBe(200);
      expect(JSON.parse(packed.text).result.tools.length).toBeGreaterThan(0);
      const unknown = await askMcp("zstd", list);
      expect(unknown).toMatchObject({
        status: 415,
        text: expect.stringContaining("the coding zstd of a body cannot be read; send it plain, or as gzip"),
      });
      expect((await askMcp("gzip", list)).status).toBe(400);
    });

    test("that nobody knows is a 415, which names the ones that are read", async () => {
      const answer = await sent(plain, "zstd");
      expect(answer.status).toBe(415);
      expect(answer.headers.get("accept-encoding")).toBe("gzip, deflate, br");
      expect(answer.body.detail).toContain("zstd");
      expect((await sent(plain, "gzip, gzip, gzip, gzip")).status).toBe(415);
    });

    test.each([
      ["gzip", plain],
      ["gzip", gzipSync(plain).subarray(0, 20)],
      ["br", gzipSync(plain)],
      ["deflate", Buffer.from("{}")],
    ])("that is not %s is refused", async (coding, body) => {
      const answer = await sent(body, coding);
      expect([answer.status, answer.body.detail]).toEqual([
        400,
        `the body is not ${coding} as its Content-Encoding says`,
      ]);
    });

    test("may begin with a byte order mark", async () => {
      expect((await sent(Buffer.concat([Buffer.from("\ufeff"), plain]), "identity")).status).toBe(201);
    });

    test.each([
      ["gzip", gzipSync(plain), "\0"],
      ["deflate", deflateSync(plain), "{}"],
      ["br", brotliCompressSync(plain), "{}\n"],
    ])("that has bytes after its %s data is refused, and names them", async (coding, body, rest) => {
      const answer = await sent(Buffer.concat([body, Buffer.from(rest)]), coding);
      expect([answer.status, answer.body.detail]).toEqual([
        400,
        `the body has ${rest.length} bytes after the end of its ${coding} data; send that data alone`,
      ]);
      const inner = Buffer.concat([body, Buffer.from(rest)]);
      expect((await sent(gzipSync(inner), `${coding}, gzip`)).status).toBe(400);
    });

    test("that unpacks to too much is a 413", async () => {
      expect((await sent(gzipSync(Buffer.alloc(20_000_000)), "gzip")).status).toBe(413);
    });
  });

  test("security headers are set and the framework is not named", async () => {
    const { headers } = await ask("/health");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-powered-by")).toBeNull();
  });

  test("metrics are hidden from calls through a proxy", async () => {
    const response = await fetch(`${service.url}/metrics`, { headers: { "X-Forwarded-For": "203.0.113.9" } });
    expect(response.status).toBe(404);
  });

  test("free calls are limited per address", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 60 }, () => ask("/v1/agent/open").then(({ status }) => status)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    const over = await ask("/v1/agent/open");
    expect(over).toMatchObject({ status: 429, body: { type: expect.stringContaining("#rate-limited") } });
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
