/** `Prefer: signed`: the signature is checked from RFC 9421's text, by the key of jwks.json. */
import { createHash, createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { catalogue } from "../support/catalogue.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let keys: (JsonWebKey & { kid: string })[];
beforeAll(async () => {
  service = await startService({ operations: catalogue });
  const jwks = await fetch(`${service.url}/.well-known/jwks.json`);
  ({ keys } = (await jwks.json()) as { keys: typeof keys });
});
afterAll(() => service?.stop());

type Exchange = {
  method: string;
  path: string;
  query: string;
  asked_digest?: string;
  status: number;
  headers: Headers;
};

async function ask(target: string, init: RequestInit = {}): Promise<Exchange & { body: string }> {
  const headers = { Prefer: "signed", ...(init.headers as Record<string, string>) };
  const answer = await fetch(service.url + target, { ...init, headers });
  const { pathname: path, search } = new URL(service.url + target);
  const asked_digest = headers["Content-Digest" as keyof typeof headers] as string | undefined;
  const { status } = answer;
  return {
    ...{ method: init.method ?? "GET", path, query: search === "" ? "?" : search, status },
    ...(asked_digest && { asked_digest }),
    ...{ headers: answer.headers, body: await answer.text() },
  };
}

/** RFC 9421, 2.5: a line a component, then the parameters. */
function signatureBase(
  { method, path, query, asked_digest, status, headers }: Exchange,
  input: string,
): string {
  const values: Record<string, string> = {
    '"@method";req': method,
    '"@path";req': path,
    '"@query";req': query,
    '"content-digest";req': asked_digest ?? "",
    '"@status"': String(status),
  };
  const [, components] = /^\(([^)]*)\)/.exec(input)!;
  const lines = components!
    .split(" ")
    .map((one) => `${one}: ${values[one] ?? headers.get(one.replaceAll('"', ""))}`);
  return [...lines, `"@signature-params": ${input}`].join("\n");
}

function isSigned(exchange: Exchange & { body: string }): boolean {
  const [, input] = /^answer=(.*)$/.exec(exchange.headers.get("signature-input") ?? "") ?? [];
  const [, signature] = /^answer=:(.*):$/.exec(exchange.headers.get("signature") ?? "") ?? [];
  if (!input || !signature) return false;
  const digest = createHash("sha256").update(exchange.body).digest("base64");
  if (exchange.headers.get("content-digest") !== `sha-256=:${digest}:`) return false;
  const jwk = keys.find(({ kid }) => input.includes(`;keyid="${kid}"`))!;
  const key = createPublicKey({ key: jwk, format: "jwk" });
  return verify(null, Buffer.from(signatureBase(exchange, input)), key, Buffer.from(signature, "base64"));
}

test.each([
  ["a list", "/soul/directory?limit=3", 200],
  ["the ledger", "/soul/revenue/transparency", 200],
  ["a score that nobody has", "/soul/SX-99/trust", 404],
  ["a bad question", "/soul/directory?limit=x", 400],
])("the answer to %s is signed with its request and position", async (_, target, status) => {
  const exchange = await ask(target);
  expect(exchange.status).toBe(status);
  expect(exchange.headers.get("log-position")).toMatch(/^[\w-]+\.\d+$/);
  expect(exchange.headers.get("preference-applied")).toBe("signed");
  expect(isSigned(exchange)).toBe(true);
  const headers = new Headers(exchange.headers);
  headers.set("log-position", `${headers.get("log-position")}0`);
  for (const lie of [
    { body: `${exchange.body} ` },
    { status: 201 },
    { path: "/soul/stats" },
    { query: "?limit=4" },
    { method: "POST" },
    { headers },
  ])
    expect(isSigned({ ...exchange, ...lie })).toBe(false);
});

test("an answer is signed whatever codings and conditions the call names", async () => {
  const first = await ask("/soul/directory?limit=3", { headers: { "Accept-Encoding": "gzip, br" } });
  expect(first.headers.get("content-encoding")).toBeNull();
  const etag = first.headers.get("etag") ?? "*";
  const again = await ask("/soul/directory?limit=3", { headers: { "If-None-Match": etag } });
  expect([again.status, isSigned(again)]).toEqual([200, true]);
});

test("a call with a body is signed with its digest, and unsigned without one; a wrong digest is refused", async () => {
  const body = JSON.stringify({ agent_id: "signed-1" });
  const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
  const headers = { "Content-Type": "application/json" };
  const post = (more: object) =>
    ask("/soul/register", { method: "POST", body, headers: { ...headers, ...more } });
  const plain = await post({});
  expect([plain.status, plain.headers.get("signature")]).toEqual([200, null]);
  const signed = await post({ "Content-Digest": digest });
  expect(isSigned(signed)).toBe(true);
  expect(isSigned({ ...signed, asked_digest: digest.replace("A", "B").replace("a", "b") })).toBe(false);
  const wrong = await post({ "Content-Digest": `sha-256=:${"A".repeat(43)}=:` });
  expect([wrong.status, wrong.body]).toEqual([
    400,
    expect.stringContaining("is not the digest of this body"),
  ]);
});
