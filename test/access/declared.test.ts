/**
 * The service enforces or shows each declaration of an operation: tested over HTTP by operations that break it on
 * purpose.
 */
import { mnemonicToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { key } from "../../src/api/declare/access/key.ts";
import { open } from "../../src/api/declare/access/open.ts";
import { owner } from "../../src/api/declare/access/owner.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import { operation } from "../../src/api/declare/operation.ts";
import { json, picture } from "../../src/api/declare/output.ts";
import { refuse } from "../../src/core/model/refusal.ts";
import { cnNomenclature, hsSections } from "../../src/datasets/reference/cn-nomenclature.ts";
import { keysProjection } from "../../src/projections/access/keys.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE } from "../support/wallets.ts";

const said = json(z.object({ data: z.object({ said: z.string() }), meta: z.object({}) }));
const shared = { summary: "For a test", description: "For a test.", input: z.object({}), example: {} };
const word = async () => ({ data: { said: "word" }, meta: {} });
let written = 0;

const operations = [
  operation({
    ...shared,
    name: "moved",
    route: "GET /v1/agent/moved/{id}",
    redirects: ["GET /v1/agent/before/{id}"],
    aliases: ["/moved-too/{id}"],
    access: [open()],
    input: z.object({ id: z.string().max(20), q: z.string().max(20).optional() }),
    example: { id: "a" },
    output: said,
    handle: async ({ input }) => ({ data: { said: `${input.id} ${input.q}` }, meta: {} }),
  }),
  operation({
    ...shared,
    name: "drawn",
    route: "GET /v1/agent/drawn",
    access: [open()],
    output: picture("Two months, drawn"),
    handle: async () => ({
      chart: {
        kind: "bar",
        title: "Two months",
        x: ["May", "June"],
        series: [{ name: "a", values: [1, 2] }],
        unit: "EUR",
        notes: [],
      },
      meta: { dataset: "test", vintage: "v1", synthetic: true, source: "a test" },
    }),
  }),
  operation({
    ...shared,
    name: "careless",
    route: "GET /v1/agent/careless",
    access: [key("read")],
    output: said,
    vintage: ({ reference }) => `sections ${reference.find(hsSections)?.vintage ?? "none"}`,
    // Reads a table that it does not declare: its answer would be stale when that one changes.
    handle: async ({ data }) => ({
      data: { said: String(data.reference.find(cnNomenclature)?.vintage) },
      meta: {},
    }),
  }),
  operation({
    ...shared,
    name: "careful",
    route: "GET /v1/agent/careful",
    access: [key("read")],
    output: said,
    vintage: ({ reference }) => `names ${reference.find(cnNomenclature)?.vintage ?? "none"}`,
    handle: async ({ data }) => {
      written++;
      return { data: { said: String(data.reference.find(cnNomenclature)?.vintage) }, meta: {} };
    },
  }),
  operation({
    ...shared,
    name: "moody",
    route: "GET /v1/agent/moody",
    access: [open()],
    output: said,
    handle: async () => refuse("conflict", "not today"),
  }),
  operation({
    ...shared,
    name: "honest",
    route: "GET /v1/agent/honest",
    access: [open()],
    output: said,
    refuses: [409],
    handle: async () => refuse("conflict", "not today"),
  }),
  operation({
    ...shared,
    name: "payout",
    route: "POST /v1/agent/payout",
    effect: { changes: "adds", repeatable: false, reaches_out: false },
    access: [key("order"), pay("0.01")],
    moves_money: true,
    output: said,
    handle: word,
  }),
  operation({
    ...shared,
    name: "listed",
    route: "GET /v1/agent/listed",
    access: [key("read")],
    lists: keysProjection,
    output: said,
    handle: word,
  }),
  operation({
    ...shared,
    name: "own",
    route: "POST /v1/agent/own/{id}",
    effect: { changes: "adds", repeatable: false, reaches_out: false },
    access: [owner("order"), pay("0.01")],
    input: z.object({ id: z.string().max(20), text: z.string().max(20) }),
    example: { id: "a", text: "b" },
    output: said,
    handle: async ({ caller }) => ({ data: { said: `${caller.tenant} ${++written}` }, meta: {} }),
  }),
];

let service: Service;
let headers: Record<string, string>;
beforeAll(async () => {
  // The address of a chain that is never called: money would be real there.
  const env = {
    BASE_RPC_URL: "http://127.0.0.1:1",
    PAY_TO: PAYEE,
    GAS_KEY,
  };
  service = await startService({ operations, env });
  ({ headers } = await service.issue());
});
afterAll(() => service.stop());

const get = (path: string, init: RequestInit = {}) => fetch(service.url + path, init);
type AnswerBody = {
  data: { said: string };
  meta: { as_of_position: number };
  paths: Record<string, Record<string, { responses: Record<string, OperationResponse> }>>;
};
type OperationResponse = { content: Content; "x-other-forms": string[] };
type Content = Record<string, { schema: { properties: Record<string, { required: string[] }> } }>;
const bodyOf = async (answer: Response) => (await answer.json()) as AnswerBody;
const responseOf = async (path: string): Promise<OperationResponse> =>
  (await bodyOf(await get("/openapi.json"))).paths[path]!.get!.responses["200"]!;
const broken = (name: string) =>
  service.logged.filter(
    ({ msg, operation }) => msg === "an operation breaks its own declaration" && operation === name,
  );

describe("addresses", () => {
  test("a moved address is a 301 with its query, and its parameters encoded again", async () => {
    const answer = await get("/v1/agent/before/a%20b?q=c", { redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([301, "/v1/agent/moved/a%20b?q=c"]);
    expect((await bodyOf(await get("/v1/agent/before/a%20b?q=c"))).data.said).toBe("a b c");
  });

  test.each(["/v1/agent/moved/x", "/api/v1/agent/moved/x", "/moved-too/x"])("%s is served", async (path) => {
    expect((await get(path)).status).toBe(200);
  });
});

describe("an image", () => {
  test("is a PNG unless SVG is requested, and nothing else", async () => {
    const png = await get("/v1/agent/drawn");
    expect(png.headers.get("content-type")).toBe("image/png");
    expect(
      Buffer.from(await png.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    const svg = await get("/v1/agent/drawn", { headers: { Accept: "image/svg+xml" } });
    expect(svg.headers.get("content-type")).toContain("image/svg+xml");
    expect(await svg.text()).toContain("Two months");
    expect((await get("/v1/agent/drawn", { headers: { Accept: "application/json" } })).status).toBe(406);
  });

  test("is in OpenAPI with both forms, and is an image over MCP", async () => {
    const { content, "x-other-forms": others } = await responseOf("/v1/agent/drawn");
    expect([...Object.keys(content), ...others]).toEqual(["image/png", "image/svg+xml"]);
    const called = await get("/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "drawn", arguments: {} },
      }),
    });
    const text = await called.text();
    const { result } = JSON.parse(text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!);
    expect(result.content[0]).toMatchObject({ type: "image", mimeType: "image/png" });
    const bytes = Buffer.from(result.content[0].data, "base64");
    expect(result.structuredContent).toEqual({ media_type: "image/png", bytes: bytes.length });
  });
});

describe("an answer from data", () => {
  test("that reads more than it declares is reported, and not cached", async () => {
    for (let n = 0; n < 2; n++) expect((await get("/v1/agent/careless", { headers })).status).toBe(200);
    expect(broken("careless")).toHaveLength(2);
    expect(broken("careless")[0]).toMatchObject({
      promise: "vintage",
      reason: expect.stringContaining("table "),
    });
    const metrics = await (await get("/metrics")).text();
    expect(metrics).toContain('tallystick_broken_promises_total{operation="careless",promise="vintage"} 2');
  });

  test("that declares its data is cached", async () => {
    written = 0;
    for (let n = 0; n < 3; n++) expect((await get("/v1/agent/careful", { headers })).status).toBe(200);
    expect([written, broken("careful")]).toEqual([1, []]);
  });
});

test("an undeclared status is reported; a declared one is not", async () => {
  expect((await get("/v1/agent/moody")).status).toBe(409);
  expect((await get("/v1/agent/honest")).status).toBe(409);
  expect(broken("moody")).toMatchObject([{ promise: "refusal" }]);
  expect(broken("honest")).toEqual([]);
});

test("a test key moves no real money; a live one does", async () => {
  const request = async (space: "live" | "test") => {
    const { headers } = await service.issue({ space });
    const posted = {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: "{}",
    };
    return (await get("/v1/agent/payout", posted)).status;
  };
  expect([await request("test"), await request("live")]).toEqual([403, 200]);
});

test("a list waits for its read model and states its position", async () => {
  const issued = await service.issue();
  const answer = await bodyOf(await get("/v1/agent/listed", { headers: issued.headers }));
  expect(answer.meta.as_of_position).toBeGreaterThanOrEqual((await service.app.store.head()).position);
  const { schema } = (await responseOf("/v1/agent/listed")).content["application/json"]!;
  expect(schema.properties.meta!.required).toContain("as_of_position");
});

describe("the owner's wallet", () => {
  const wallet = mnemonicToAccount("test test test test test test test test test test test junk");
  const proofOf = async (resources: string[], nonce: string) => {
    const path = "/v1/agent/own/a";
    const fields = {
      domain: new URL(service.url).host,
      address: wallet.address,
      statement: `Call POST ${path} as the owner of what this wallet caused.`,
      uri: service.url + path,
      version: "1" as const,
      nonce,
      resources,
    };
    const issuedAt = new Date();
    const message = createSiweMessage({ ...fields, chainId: 8453, issuedAt });
    const signature = await wallet.signMessage({ message });
    const signed = { ...fields, chainId: "eip155:8453", issuedAt: issuedAt.toISOString(), signature };
    return Buffer.from(JSON.stringify(signed)).toString("base64");
  };
  const write = (proof: string, body: object, more: Record<string, string> = {}) =>
    get("/v1/agent/own/a", {
      method: "POST",
      headers: { "SIGN-IN-WITH-X": proof, "Content-Type": "application/json", ...more },
      body: JSON.stringify(body),
    });
  // SHA-256 of {"text":"b"}, as computed by `printf '{"text":"b"}' | openssl dgst -sha256 -binary | basenc
  // --base64url`.
  const DIGEST = "ni:///sha-256;e43hwr6B1imqrEHea-dBM_jJC5dHCYo_waetySdMs14";

  test("writes once by one signature: a repeat gets the first answer, and another Idempotency-Key is refused", async () => {
    const proof = await proofOf([DIGEST], "once0nce0nce");
    const first = await write(proof, { text: "b" });
    const answer = await bodyOf(first);
    expect([first.status, answer.data?.said], JSON.stringify(answer)).toEqual([
      200,
      `wallet:${wallet.address.toLowerCase()} ${written}`,
    ]);
    expect(await (await write(proof, { text: "b" })).json()).toEqual(answer);
    expect((await write(proof, { text: "b" }, { "Idempotency-Key": "other" })).status).toBe(400);
  });

  test("writes no other body than the signed one, and gets no answer without a proof", async () => {
    const proof = await proofOf([DIGEST], "an0ther0ne00");
    const refused = await write(proof, { text: "c" });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer realm="tallystick"',
    ]);
    const bare = await get("/v1/agent/own/a", { method: "POST", body: "{}" });
    expect(bare.status).toBe(402);
  });
});
