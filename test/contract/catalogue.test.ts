/** Properties of every operation in the catalogue, over real HTTP and MCP. */

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { isOpen, paymentOf, takesWallet } from "../../src/api/declare/access/way.ts";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { inputReader } from "../../src/api/declare/input.ts";
import type { JsonSchema } from "../../src/api/declare/json-schema.ts";
import { type Operation, restsOnDataAlone } from "../../src/api/declare/operation.ts";
import { effectOf, mediaTypeOf, methodOf, pathOf, pathWith } from "../../src/api/declare/operation-facts.ts";
import { operationsPage } from "../../src/api/describe/reference.ts";
import { defaultTools } from "../../src/api/transports/default-tools.ts";
import { eventsPage } from "../../src/areas/events-page.ts";
import { areas, entitiesOf } from "../../src/areas/index.ts";
import { wholeLog } from "../projections/read-models.ts";
import { buy } from "../support/buyer.ts";
import { catalogue } from "../support/catalogue.ts";
import type { Service } from "../support/service.ts";
import { until } from "../support/until.ts";
import { payment, wallet } from "../support/wallets.ts";
import { headerOf, presentedV1 } from "../support/x402.ts";
import { areasWithoutBets, type Driven, drive, isBought, isInternal } from "./driven.ts";
import { specifiedPrices } from "./prices.ts";
import { isRecording, MOST_TEXT, record, shortened, writeRecorded } from "./recorded.ts";

let driven: Driven;
let service: Service;
let mine: Record<string, string>;
type OpenApi = {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: Record<string, Record<string, JsonSchema>>;
};
let described: OpenApi;

beforeAll(async () => {
  driven = await drive({ areas: areasWithoutBets });
  ({ service, mine } = driven);
  described = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
});
afterAll(async () => {
  const broken = service.logged.filter(({ msg }) => msg === "an operation breaks its own declaration");
  if (isRecording) await writeRecorded(service.url);
  await service.stop();
  expect(broken.map(({ operation, promise, reason }) => [operation, promise, reason])).toEqual([]);
});

const each = catalogue.map((operation) => [operation.name, operation] as const);

const credentialsFor = (operation: Operation) => driven.credentialsFor(operation);
const exampleFor = (operation: Operation) => driven.exampleFor(operation);

const cachingOf = (operation: Operation) =>
  operation.caching!(operation.input.parse(exampleFor(operation)) as never);

/** The target of an OpenAPI reference. */
const resolved = <Part extends object>(part: Part | { $ref: string }): Part => {
  if (!("$ref" in part)) return part;
  const [, , kind, name] = (part.$ref as string).split("/");
  return described.components[kind!]![name!] as Part;
};

/** The published schema of an operation's answer with its references, and every object closed. */
const publishedSchema = (operation: Operation): JsonSchema => {
  const entry = described.paths[pathOf(operation).replace("{+", "{")]![methodOf(operation).toLowerCase()]!;
  const responses = entry.responses as Record<string, { content: Record<string, { schema: JsonSchema }> }>;
  const { schema } = responses[operation.status ?? 200]!.content[mediaTypeOf(operation)]!;
  const own = defined(schema);
  return { ...own, $defs: definitionsOf(own) };
};

/** A published schema as a separate one: every object closed, references within it. */
const defined = (schema: JsonSchema): JsonSchema =>
  closed(JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/")));

const definitions = new Map<string, JsonSchema>();

/** All schemas that one refers to: including every schema for each operation would be most of the work. */
function definitionsOf(
  schema: JsonSchema,
  found: Record<string, JsonSchema> = {},
): Record<string, JsonSchema> {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
    if (name! in found) continue;
    const definition = definitions.get(name!) ?? defined(described.components.schemas![name!] as JsonSchema);
    definitions.set(name!, definition);
    found[name!] = definition;
    definitionsOf(definition, found);
  }
  return found;
}

/** Answers may get more fields later; today they have only those in the schema. */
function closed<Part>(part: Part): Part {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(closed) as Part;
  const own = Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, closed(inner)]));
  const isObject = "type" in own && own.type === "object" && !("additionalProperties" in own);
  return (isObject ? { ...own, additionalProperties: false } : own) as Part;
}

type Property = {
  type?: string | string[];
  maxLength?: number;
  pattern?: string;
  enum?: unknown[];
  format?: string;
};

/** How zod speaks by itself. */
const VALIDATOR_TEXT =
  /Invalid (input|option|key|value|string|number|ISO|email|URL|UUID)|expected (string|number|int|array|object|boolean|record|one of)|Too (small|big)|Unrecognized key/;

/** An invalid value of a field: a text without rules is broken by its length, so it must have a limit. */
function brokenValue(property: Property | undefined): string {
  const isFree = property?.type === "string" && !property.pattern && !property.enum && !property.format;
  if (!isFree) return "\u{1F4A5}";
  expect(property, "a free text without end").toHaveProperty("maxLength");
  return "x".repeat(property.maxLength! + 1);
}

const ask = (...request: Parameters<Driven["request"]>) => driven.request(...request);

/** Retried while a read model lags, as the answer says. */
const answered = (wanted: ReturnType<typeof ask>) =>
  until(async () => {
    const answer = await fetch(...wanted);
    return answer.status === 503 ? false : answer;
  });

const request = (operation: Operation, input: Record<string, unknown>, headers: Record<string, string>) =>
  fetch(...ask(operation, input, headers));

const READABLE_PAYMENT = headerOf(presentedV1(await payment(wallet(0), 1n)));

describe("every operation", () => {
  test("has a name and a route of its own", () => {
    expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
    expect(new Set(catalogue.map(({ route }) => route)).size).toBe(catalogue.length);
  });

  test("costs what the specification says", () => {
    const ours = Object.fromEntries(
      catalogue.map((operation) => [operation.route, paymentOf(operation)?.unit_price ?? null]),
    );
    expect(ours).toEqual(specifiedPrices);
  });

  test.each(each)("%s answers its example with a response that matches its schema", async (_, operation) => {
    await driven.renew(operation);
    const wanted = ask(operation, exampleFor(operation), credentialsFor(operation));
    const response = isBought(operation) ? (await buy(wallet(1), ...wanted)).answer : await answered(wanted);
    const body = Buffer.from(await response.arrayBuffer());
    const text = body.toString();
    expect(response.status, text).toBe(operation.status ?? 200);
    const { output } = operation;
    expect(response.headers.get("content-type")).toContain(mediaTypeOf(operation));
    if (operation.caching) {
      expect(response.headers.get("cache-control")).toBe(cachingOf(operation));
      const etag = response.headers.get("etag")!;
      const repeat = (known: string) =>
        request(operation, exampleFor(operation), { ...credentialsFor(operation), "If-None-Match": known });
      let again = await repeat(etag);
      // The log may have grown between the two calls.
      if (again.status === 200) again = await repeat(again.headers.get("etag")!);
      expect([again.status, again.headers.get("cache-control")]).toEqual([304, cachingOf(operation)]);
    }
    if (output.kind === "bytes") {
      expect(body.length).toBeGreaterThan(0);
      if (output.media_type.startsWith("text/")) expect(Buffer.from(text)).toEqual(body);
      if (isRecording && Buffer.from(text).equals(body)) record(operation.name, text.slice(0, MOST_TEXT));
      return;
    }
    if (output.kind === "file") {
      expect(response.headers.get("etag")).toBe(`"${createHash("sha256").update(body).digest("hex")}"`);
      return;
    }
    if (output.kind === "stream") {
      const lines = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      output.last.parse(lines.at(-1));
      for (const line of lines.slice(0, -1)) output.item.parse(line);
      if (isRecording) record(operation.name, lines[0]);
      return;
    }
    if (output.kind === "picture") {
      expect(body.subarray(1, 4).toString()).toBe("PNG");
      return;
    }
    const answer = JSON.parse(text);
    // From the client's view: the answer has only fields of the published schema.
    const published = z.fromJSONSchema(publishedSchema(operation) as z.core.JSONSchema.BaseSchema);
    expect(published.parse(answer)).toEqual(answer);
    if (operation.envelope === "success") {
      expect(answer.success).toBe(true);
      delete answer.success;
    }
    expect(output.schema.parse(answer)).toEqual(answer);
    if (isRecording) {
      const short = shortened(answer, (one) => output.schema.safeParse(one).success);
      record(operation.name, operation.envelope === "success" ? { success: true, ...short } : short);
    }
  });

  test.each(each)(
    "%s without credentials is 402 when priced or a wallet may sign in, 401 when keyed, open otherwise",
    async (_, operation) => {
      const response = await request(operation, exampleFor(operation), {});
      await response.body?.cancel();
      const opened = isOpen(operation) ? (operation.status ?? 200) : undefined;
      expect(response.status).toBe(opened ?? (paymentOf(operation) || takesWallet(operation) ? 402 : 401));
    },
  );

  /** A payment if nothing else gives access: it is read, and the input's faults are reported before it is checked. */
  const presentedFor = (operation: Operation) => ({
    ...credentialsFor(operation),
    ...(isBought(operation) && { "X-PAYMENT": READABLE_PAYMENT }),
  });

  test.each(each)("%s answers 400 and names the field for each broken input", async (_, operation) => {
    const { schema } = inputReader(operation.input);
    for (const name of [...Object.keys(schema.properties), "no_such_parameter"]) {
      const broken = { ...exampleFor(operation), [name]: brokenValue(schema.properties[name]) };
      const response = await request(operation, broken, presentedFor(operation));
      const result = (await response.json()) as {
        errors?: { path: string; message: string }[];
        detail: string;
      };
      expect([name, response.status], result.detail).toEqual([name, 400]);
      expect(result.errors?.map(({ path }) => path.split(".")[0])).toContain(name);
      const [first] = result.errors ?? [];
      expect(result.detail).toContain(first!.message);
      for (const { message } of result.errors ?? []) expect(message).not.toMatch(VALIDATOR_TEXT);
    }
  });

  test.each(each)("%s refuses a repeated parameter", async (_, operation) => {
    const [name] = Object.keys(inputReader(operation.input).schema.properties);
    if (methodOf(operation) !== "GET" || name === undefined) return;
    const response = await fetch(`${service.url}${pathOf(operation)}?${name}=1&${name}=2`, {
      headers: presentedFor(operation),
    });
    expect(response.status).toBe(400);
    await response.body?.cancel();
  });

  test.each(each)(
    "%s is in OpenAPI with its price, its security and every status it can answer",
    (_, operation) => {
      const entry =
        described.paths[pathOf(operation).replace("{+", "{")]?.[methodOf(operation).toLowerCase()];
      expect(entry).toMatchObject({ operationId: operation.name });
      const payment = paymentOf(operation);
      expect(entry!["x-payment-info"]).toEqual(
        payment && {
          price: {
            mode: typeof payment.price === "function" ? "dynamic" : "fixed",
            currency: "USD",
            amount: payment.unit_price,
          },
          protocols: [{ x402: {} }, { mpp: { method: "evm", intent: "charge", currency: "USD" } }],
        },
      );
      const responses = entry!.responses as Record<string, { content?: object }>;
      const { content } = responses[operation.status ?? 200]!;
      expect(Object.keys(content!)[0]).toBe(mediaTypeOf(operation));
      const statuses = Object.keys(responses);
      expect(statuses).toEqual(
        expect.arrayContaining(["4XX", "503", ...(payment ? ["402", "409", "422"] : [])]),
      );
      const parameters = (entry!.parameters as { name: string; description?: string }[]).map(resolved);
      for (const { description } of parameters) expect(description).toBeTruthy();
      const isNamed = parameters.some(({ name }) => name === "Idempotency-Key");
      const mayAppend = payment !== undefined || effectOf(operation).changes !== "nothing";
      expect(isNamed).toBe(mayAppend);
      expect(parameters.some(({ name }) => name === "Prefer")).toBe(true);
      expect(JSON.stringify(responses).includes("Event-Id")).toBe(mayAppend);
      const security = JSON.stringify([entry!.security, entry!.responses]);
      for (const name of ["x402_v2", "PAYMENT-RESPONSE"])
        expect(security.includes(name)).toBe(payment !== undefined);
    },
  );
});

test("every event has its own random salt, also in a call whose caller chose the request id", async () => {
  const all = await wholeLog(service.app.store);
  // An example's event by id is appended without the app.
  const events = all.filter(({ stream_id }) => stream_id !== "key-k_example");
  const salts = events.map(({ meta }) => meta.salt);
  for (const salt of salts) expect(salt).toMatch(/^[\w-]{22}$/);
  expect(new Set(salts).size).toBe(salts.length);
  expect(events.some(({ meta }) => "request_id" in meta)).toBe(true);
  const writers = new Set(events.flatMap(({ meta }) => ("request_id" in meta ? [] : [meta.actor])));
  expect(writers.size).toBeGreaterThan(5);
});

describe("MCP", () => {
  const connect = async (headers: Record<string, string>, query = "") => {
    const client = new Client({ name: "test", version: "1" });
    const url = new URL(`${service.url}/mcp${query}`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  };

  test("lists every operation as a tool with its input, annotations and price, and no schema that would judge its errors", async () => {
    const client = await connect(mine, "?areas=all");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(catalogue.map(({ name }) => name).sort());
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
    const partners = tools.find(({ name }) => name === "trade_top_partners");
    expect(partners).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      _meta: { "x402/price": { amount: "0.05" } },
      inputSchema: { type: "object", required: ["reporter"] },
    });
    await client.close();
  });

  test("without areas, the most used tools are listed in their order", async () => {
    const client = await connect(mine);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(defaultTools);
    await client.close();
  });

  test("operations_find finds an unlisted operation, and operations_call calls it, with the operation's own errors and price", async () => {
    const [client, unpaid] = [await connect(mine), await connect({})];
    const found = await client.callTool({
      name: "operations_find",
      arguments: { q: "largest buyers of wood" },
    });
    const { name } = (found.structuredContent as { data: { name: string }[] }).data[0]!;
    expect([name, defaultTools.includes(name)]).toEqual(["trade_wood_products", false]);
    const call = (arguments_: object) => ({
      name: "operations_call",
      arguments: { name, arguments: arguments_ },
    });
    const answer = await client.callTool(call({ reporter: "LV", year: 2021 }));
    const same = await client.callTool({ name, arguments: { reporter: "LV", year: 2021 } });
    expect(answer).toEqual({ ...same, isError: undefined });
    expect(await client.callTool(call({ reporter: "XX" }))).toMatchObject({
      isError: true,
      structuredContent: { status: 400, errors: [{ path: "reporter" }] },
    });
    expect(await unpaid.callTool(call({ reporter: "LV" }))).toMatchObject({
      isError: true,
      structuredContent: { x402Version: 2, accepts: [{ amount: "100000" }, {}] },
    });
    for (const given of [{}, { name: "operations_call" }, { name: "no_such_tool" }])
      await expect(client.callTool({ name: "operations_call", arguments: given })).rejects.toThrow(
        /operations_find/,
      );
    await client.close();
    await unpaid.close();
  });

  test("the parameter areas selects the listed tools", async () => {
    const client = await connect(mine, "?areas=replay");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["wal_since", "trade_snapshot", "trade_snapshot_file"]);
    await client.close();
  });

  test.each(each)("%s answers its example as HTTP does", async (_, operation) => {
    await driven.renew(operation);
    const client = await connect(credentialsFor(operation));
    const answer = await client.callTool({ name: operation.name, arguments: exampleFor(operation) });
    if (isBought(operation)) {
      expect(answer.structuredContent).toMatchObject({ x402Version: 2, accepts: [{}, {}] });
      return client.close();
    }
    // No tool has the token, because it belongs to no agent.
    if (isInternal(operation)) {
      expect(answer).toMatchObject({ isError: true, structuredContent: { status: 401 } });
      return client.close();
    }
    const failures = service.logged.filter(({ level }) => Number(level) >= 50);
    expect(answer.isError, JSON.stringify([answer.content, failures])).toBeFalsy();
    const { output } = operation;
    if (output.kind === "json" && restsOnDataAlone(operation)) {
      const { success: _, ...http } = (await (
        await request(operation, exampleFor(operation), credentialsFor(operation))
      ).json()) as Record<string, unknown>;
      expect(answer.structuredContent).toEqual(http);
    }
    if (output.kind === "file") {
      const {
        uri,
        media_type: mimeType,
        bytes,
        sha256,
      } = answer.structuredContent as Record<string, unknown>;
      const file = Buffer.from(await (await fetch(uri as string)).arrayBuffer());
      expect([file.length, createHash("sha256").update(file).digest("hex")]).toEqual([bytes, sha256]);
      expect(answer.content).toMatchObject([{ type: "resource_link", uri, mimeType, size: bytes }]);
    }
    if (output.kind === "bytes") {
      const http = await request(operation, exampleFor(operation), credentialsFor(operation));
      const body = Buffer.from(await http.arrayBuffer());
      const blob = body.toString("base64");
      const { url: uri } = http;
      expect([answer.structuredContent, answer.content]).toEqual(
        output.media_type.startsWith("text/")
          ? [{ text: body.toString() }, [{ type: "text", text: body.toString() }]]
          : [{ base64: blob }, [{ type: "resource", resource: { uri, mimeType: output.media_type, blob } }]],
      );
    }
    await client.close();
  });

  test("an unpaid call is isError with the requirement, bad input a problem, an unknown tool an error", async () => {
    const client = await connect({});
    const unpaid = await client.callTool({ name: "trade_balance", arguments: { reporter: "DE" } });
    expect(unpaid).toMatchObject({
      isError: true,
      structuredContent: { x402Version: 2, accepts: [{ network: "eip155:8453", amount: "50000" }, {}] },
    });
    await client.close();
    const keyed = await connect(mine);
    const refused = await keyed.callTool({ name: "trade_balance", arguments: { reporter: "XX" } });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { status: 400, errors: [{ path: "reporter" }] },
    });
    await expect(keyed.callTool({ name: "no_such_tool", arguments: {} })).rejects.toThrow(
      /no tool no_such_tool/,
    );
    await keyed.close();
  });

  test("tools/list and tools/call work without initialize, in the 2025-03-26 revision", async () => {
    const call = async (method: string, params: object) => {
      const response = await fetch(`${service.url}/mcp`, {
        method: "POST",
        headers: {
          ...mine,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      const text = await response.text();
      return JSON.parse(text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!) as {
        result: Record<string, unknown>;
      };
    };
    expect((await call("tools/list", {})).result.tools).toBeInstanceOf(Array);
    const { result } = await call("tools/call", { name: "health", arguments: {} });
    expect(result).toMatchObject({ structuredContent: { data: { status: "ok" } } });
    const initialized = await call("initialize", {
      protocolVersion: "2025-03-26",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    });
    expect(initialized.result).toMatchObject({
      protocolVersion: "2025-03-26",
      serverInfo: { name: "tallystick" },
    });
  });

  test("a web page of another origin may not call", async () => {
    const response = await fetch(`${service.url}/mcp`, {
      method: "POST",
      headers: { Origin: "https://evil.example" },
      body: "{}",
    });
    expect(response.status).toBe(403);
  });
});

describe("the declaration of an operation", () => {
  test("a list names the read model it waits for, the data it rests on, or that there is neither", () => {
    const lists = catalogue.filter(({ input, output }) => {
      const isPaged = ["limit", "cursor"].some((name) => name in input.shape);
      return isPaged && output.kind !== "stream";
    });
    expect(lists.length).toBeGreaterThan(5);
    const forgotten = lists.filter(({ lists, vintage }) => !lists && !vintage);
    expect(forgotten.map(({ name }) => name)).toEqual([]);
  });

  test("an operation that changes nothing appends no event except its payment's", async () => {
    const { rows } = await service.app.pool.query<{ operation: string }>(
      `select distinct convert_from(meta, 'UTF8')::json->>'operation' as operation from eventstore.events
       where not starts_with(stream_id, 'payment-')`,
    );
    const recorded = new Set(rows.map(({ operation }) => operation));
    const readers = catalogue.filter((operation) => effectOf(operation).changes === "nothing");
    expect(readers.filter(({ name }) => recorded.has(name)).map(({ name }) => name)).toEqual([]);
    expect(recorded).toContain("rng_roll");
  });

  test("an operation that moves money or binds a wallet declares it", () => {
    const movers = catalogue.filter(({ moves_money }) => moves_money).map(({ name }) => name);
    expect(movers.sort()).toEqual([
      "checks_create",
      "checks_redeem",
      "compute_dispute",
      "compute_node_register",
      "compute_submit",
      "compute_withdraw",
      "soul_bounty_fund",
      "soul_bounty_open",
      "soul_stack_buy",
      "wallet_airdrop",
      "x402_settle",
    ]);
  });
});

describe("documents", () => {
  test.each([
    "/health",
    "/ready",
    "/openapi.json",
    "/llms.txt",
    "/problems",
    "/.well-known/x402",
    "/.well-known/security.txt",
    "/.well-known/api-catalog",
    "/.well-known/agent-card.json",
    "/.well-known/agent-registration.json",
    "/server.json",
  ])("%s is served", async (path) => {
    expect((await fetch(service.url + path)).status).toBe(200);
  });

  test("llms.txt names every operation, and the price list every priced one", async () => {
    const llms = await (await fetch(`${service.url}/llms.txt`)).text();
    for (const { name } of catalogue) expect(llms).toContain(`[${name}]`);
    const list = (await (await fetch(`${service.url}/.well-known/x402`)).json()) as {
      resources: string[];
      prices: { url: string; price_usdc: string }[];
    };
    const isFromAccount = ({ access }: Operation) => access.some(({ kind }) => kind === "account");
    const priced = catalogue.filter((one) => paymentOf(one) && !isOpen(one) && !isFromAccount(one));
    const paths = priced.map((one) => pathWith(one, one.example));
    expect([...list.resources].sort()).toEqual(paths.map((path) => service.url + path).sort());
    expect(list.prices.map(({ url }) => url)).toEqual(list.resources);
  });

  test("docs/operations.md matches the catalogue", async () => {
    const written = await readFile(new URL("../../docs/operations.md", import.meta.url), "utf8");
    expect(written, "run `npm run docs`").toBe(operationsPage(catalogueOf(areas)));
  });

  test("docs/events.md matches the schemas of events, and names every type", async () => {
    const written = await readFile(new URL("../../docs/events.md", import.meta.url), "utf8");
    expect(written, "run `npm run docs`").toBe(eventsPage(areas));
    const types = entitiesOf(areas).flatMap(({ events }) => Object.keys(events));
    for (const type of types) expect(written).toContain(`### ${type}, version 1\n`);
    expect(written).toMatch(/\| `answer\.vintage` \| text or null \|/);
  });

  test("each type of event has its meaning in a sentence of its own", () => {
    const declared = entitiesOf(areas).flatMap(({ events }) => Object.entries(events));
    const sentences = declared.map(([, { means }]) => means);
    for (const [type, { means }] of declared) {
      expect(means, type).toMatch(/^[A-Z][^.!?]{15,140}\.$/);
      expect(means, type).not.toContain(type);
    }
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  test("OpenAPI lints clean", () => expectCleanLint(described));

  test("identity, trust, compute and compliance have an OpenAPI 3.0 of their own, which lints clean", async () => {
    const response = await fetch(`${service.url}/soul/openapi.json`);
    const document = (await response.json()) as { openapi: string; paths: Record<string, object> };
    expect([response.status, document.openapi]).toEqual([200, "3.0.3"]);
    const paths = Object.keys(document.paths);
    expect(paths).toEqual(
      expect.arrayContaining(["/soul/register", "/v1/agent/soul/attest", "/soul/compute/submit"]),
    );
    expect(paths.filter((path) => !path.includes("/soul/"))).toEqual([]);
    // A reader of 3.0 takes these for faults.
    expect(JSON.stringify(document)).not.toMatch(/"const":|"type":\[|"type":"null"/);
    await expectCleanLint(document);
  });

  async function expectCleanLint(document: object) {
    const dir = await mkdtemp(join(tmpdir(), "tallystick-openapi-"));
    await writeFile(join(dir, "openapi.json"), JSON.stringify(document));
    await writeFile(
      join(dir, "redocly.yaml"),
      "extends: [recommended]\nrules:\n  no-server-example.com: off\n  no-ambiguous-paths: error\n",
    );
    const bin = new URL("../../node_modules/.bin/redocly", import.meta.url).pathname;
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const linted = await promisify(execFile)(bin, ["lint", "openapi.json", "--format=json"], {
      cwd: dir,
      env,
    }).catch((error) => error);
    const { problems } = JSON.parse(linted.stdout) as { problems: { message: string; location: unknown }[] };
    // No agent has a name from these paths: the test of reserved names compares them with the routes.
    const isNamedApart = ({ message }: { message: string }) =>
      /ambiguous paths: (?=.*`\/soul\/\{id\}\/).*`\/soul\/(?:badges|passport|bounties|stack)\/\{\w+\}`/.test(
        message,
      );
    expect(problems.filter((one) => !isNamedApart(one)).map(({ message }) => message)).toEqual([]);
    await rm(dir, { recursive: true });
  }
});

describe("a call of an unknown path or method", () => {
  test.each([
    ["GET", "/v1/agent/trade/alerts/status", 405, "it needs /{id}: GET /v1/agent/trade/alerts/status/{id}"],
    ["GET", "/v1/agent/rng/roll", 405, "call POST /v1/agent/rng/roll"],
    ["GET", "/v1/agent/trade/balances", 404, "did you mean GET /v1/agent/trade/balance?"],
    ["GET", "/nothing/of/ours", 404, "/openapi.json lists all paths"],
  ])("%s %s is %i, with the remedy", async (method, path, status, remedy) => {
    const answer = await fetch(service.url + path, { method });
    expect(answer.status).toBe(status);
    expect((await answer.json()) as object).toMatchObject({ detail: expect.stringContaining(remedy) });
  });
});

describe("answers over a vintage", () => {
  const question = "/v1/agent/trade/balance?reporter=LV&years=2020-2021";

  test("carry an ETag, and a repeat with that ETag is a 304", async () => {
    const first = await fetch(service.url + question, { headers: mine });
    const etag = first.headers.get("etag")!;
    expect(etag).toMatch(/^W\/"/);
    const again = await fetch(service.url + question, { headers: { ...mine, "If-None-Match": etag } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    const other = await fetch(service.url + question, { headers: { ...mine, "If-None-Match": 'W/"else"' } });
    expect(other.status).toBe(200);
  });

  test("are compressed if the client accepts gzip", async () => {
    const response = await fetch(`${service.url}/v1/agent/trade/timeline?reporters=DE`, {
      headers: { ...mine, "Accept-Encoding": "gzip" },
    });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(await response.json()).toMatchObject({ success: true });
  });
});
