/** Other forms than JSON over real HTTP, MCP and a real chain: what caches, payers and tools are told. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestDigest } from "../../src/api/serve/call.ts";
import type { ReceiptPayload } from "../../src/domain/payments/receipt.ts";
import { receiptIn, verifyReceipt } from "../../src/domain/payments/verify-receipt.ts";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { buy, present, quoteOf, signPayment } from "../support/buyer.ts";
import { catalogue } from "../support/catalogue.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, wallet } from "../support/wallets.ts";

let workshop: Workshop;
let service: Service;
let headers: Record<string, string>;

beforeAll(async () => {
  workshop = await openWorkshop();
  service = await startService({
    chain: { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE },
  });
  headers = (await service.issue()).headers;
  await openSandbox(service);
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

const TIMELINE = "/v1/agent/trade/timeline?reporters=DE,FR&flow=IMPORT&years=2015-2024";
const ask = (
  accept: string,
  more: RequestInit & { headers?: Record<string, string> } = {},
  path = TIMELINE,
) => fetch(service.url + path, { ...more, headers: { ...headers, Accept: accept, ...more.headers } });
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

describe("HTTP", () => {
  test("a missing form is a 406 that lists the others, and counts against no quota", async () => {
    const { headers: own } = await service.issue({ daily: 1 });
    const refused = await ask("text/html, image/webp", { headers: own });
    expect(refused.status).toBe(406);
    expect(refused.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    expect(refused.headers.get("vary")).toContain("Accept");
    expect(await refused.json()).toMatchObject({
      title: "Not acceptable",
      errors: [{ path: "Accept", message: expect.stringContaining("text/csv") }],
    });
    expect((await ask("text/csv", { headers: own })).status).toBe(200);
    expect((await ask("text/csv", { headers: own })).status).toBe(429);
  });

  test("each form has an ETag of its own, and only that ETag revalidates it", async () => {
    const seen = new Set<string>();
    for (const form of [
      "application/json",
      "text/csv",
      "application/vnd.apache.parquet",
      "image/png",
      "image/svg+xml",
    ]) {
      const answer = await ask(form);
      expect(answer.headers.get("content-type")).toMatch(form);
      expect(answer.headers.get("cache-control")).toBe("private, no-cache");
      const etag = answer.headers.get("etag")!;
      expect((await ask(form, { headers: { "If-None-Match": etag } })).status).toBe(304);
      if (form !== "text/csv")
        expect((await ask("text/csv", { headers: { "If-None-Match": etag } })).status).toBe(200);
      seen.add(etag);
    }
    expect(seen.size).toBe(5);
  });

  test("HEAD has the same headers as GET in each form", async () => {
    const [get, head] = await Promise.all([ask("image/png"), ask("image/png", { method: "HEAD" })]);
    for (const name of ["content-type", "etag", "content-length", "content-disposition"])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect((await head.arrayBuffer()).byteLength).toBe(0);
  });

  test("text is compressed if the client accepts gzip; compressed formats are not compressed again", async () => {
    const codingOf = async (form: string) =>
      (await ask(form, { headers: { "Accept-Encoding": "gzip" } })).headers.get("content-encoding");
    expect(await codingOf("text/csv")).toBe("gzip");
    expect(await codingOf("image/svg+xml")).toBe("gzip");
    expect(await codingOf("image/png")).toBeNull();
    expect(await codingOf("application/vnd.apache.parquet")).toBeNull();
  });

  test("bad input is a problem, whatever Accept names", async () => {
    const answer = await ask("image/png", {}, "/v1/agent/trade/timeline?reporters=ZZ");
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toContain("application/problem+json");
  });

  test("a drawing may load its own style and nothing else", async () => {
    const policy = (await ask("image/svg+xml")).headers.get("content-security-policy");
    expect(policy).toBe("default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  });

  test("the same Idempotency-Key with another form is another request", async () => {
    const once = { "Idempotency-Key": "one-form" };
    const first = await ask("text/csv", { headers: once });
    const again = await ask("text/csv", { headers: once });
    expect(again.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(await again.text()).toBe(await first.text());
    expect((await ask("application/json", { headers: once })).status).toBe(422);
  });
});

describe("a form that is paid for", () => {
  const csv = { headers: { Accept: "text/csv" } };
  const receiptOf = (answer: Response) => receiptIn(answer.headers.get("PAYMENT-RESPONSE")!)!;

  test("is named in the terms; the receipt has the digest of the bytes and the requested form", async () => {
    const url = service.url + TIMELINE;
    expect((await quoteOf(url, csv)) as { mimeType?: string }).toMatchObject({ mimeType: "text/csv" });
    const { payment, answer } = await buy(wallet(1), url, csv);
    expect(answer.status).toBe(200);
    const body = Buffer.from(await answer.arrayBuffer());
    const jws = receiptOf(answer);
    const payload = JSON.parse(Buffer.from(jws.split(".")[1]!, "base64url").toString()) as ReceiptPayload;
    expect(payload.answer_sha256).toBe(sha256(body));
    const timeline = catalogue.find(({ name }) => name === "trade_timeline")!;
    const input = { reporters: ["DE", "FR"], flow: "IMPORT", years: "2015-2024" };
    expect(payload.request_sha256).toBe(requestDigest(timeline, input, "text/csv"));
    expect(payload.request_sha256).not.toBe(requestDigest(timeline, input));
    const { keys } = (await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as {
      keys: unknown[];
    };
    const request = { operation: "trade_timeline", input };
    expect(verifyReceipt(jws, { keys, body, request: { ...request, form: "text/csv" } }).ok).toBe(true);
    expect(verifyReceipt(jws, { keys, body, request: request }).ok).toBe(false);

    // The same again is the same bytes under the same receipt; another form is another call.
    const again = await present(url, payment, csv);
    expect(again.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(Buffer.from(await again.arrayBuffer())).toEqual(body);
    expect(receiptOf(again)).toBe(jws);
    const other = await present(url, payment, { headers: { Accept: "image/png" } });
    expect(other.status).toBe(402);
    expect(((await other.json()) as { detail: string }).detail).toContain("used for another call");
  });

  test("costs nothing where the form is missing, and the payment stays valid", async () => {
    const url = `${service.url}/v1/agent/trade/overview`;
    const payment = await signPayment(wallet(2), await quoteOf(url));
    const { position } = await service.app.store.head();
    expect((await present(url, payment, { headers: { Accept: "image/png" } })).status).toBe(406);
    expect((await fetch(url, { headers: { Accept: "text/csv" } })).status).toBe(406);
    expect((await service.app.store.head()).position).toBe(position);
    expect((await present(url, payment)).status).toBe(200);
  });
});

describe("MCP", () => {
  type Result = {
    isError?: boolean;
    structuredContent: { data: object[]; meta: { vintage: string }; status?: number };
    content: { type: string; text?: string; data?: string; mimeType?: string; resource?: { blob: string } }[];
  };
  async function call(name: string, input: object, accept?: string): Promise<Result> {
    const answer = await fetch(`${service.url}/mcp`, {
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: input, ...(accept && { _meta: { "tallystick/accept": accept } }) },
      }),
    });
    const text = await answer.text();
    return JSON.parse(text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!).result;
  }
  const input = { reporters: ["DE", "FR"], flow: "IMPORT", years: "2015-2024" };

  test("a tool returns the picture of its answer's figures", async () => {
    const { content, structuredContent } = await call("trade_timeline", input, "image/png");
    expect(content[0]).toMatchObject({ type: "image", mimeType: "image/png" });
    expect(Buffer.from(content[0]!.data!, "base64")).toEqual(
      Buffer.from(await (await ask("image/png")).arrayBuffer()),
    );
    const { success: _, ...plain } = (await (await ask("application/json")).json()) as Record<
      string,
      unknown
    >;
    expect(structuredContent).toEqual(plain);
    expect(JSON.parse(content[1]!.text!)).toEqual({ success: true, ...plain });
  });

  test("rows come as text, Parquet as a resource, and JSON unchanged", async () => {
    const csv = await call("trade_timeline", input, "text/csv");
    expect(csv.content[0]!.text).toBe(await (await ask("text/csv")).text());
    const parquet = await call("trade_timeline", input, "application/vnd.apache.parquet");
    expect(Buffer.from(parquet.content[0]!.resource!.blob, "base64").subarray(0, 4).toString()).toBe("PAR1");
    expect((await call("trade_timeline", input, "application/json")).content).toHaveLength(1);
    expect((await call("trade_timeline", input)).content).toHaveLength(1);
  });

  test("a missing form is refused", async () => {
    const refused = await call("trade_overview", {}, "image/png");
    expect(refused).toMatchObject({ isError: true, structuredContent: { status: 406 } });
  });
});
