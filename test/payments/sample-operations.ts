/** Small things for sale with handlers that tests steer. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { key } from "../../src/api/declare/access/key.ts";
import { pay } from "../../src/api/declare/access/pay.ts";
import { type OperationDeclaration, operation } from "../../src/api/declare/operation.ts";
import { json, stream } from "../../src/api/declare/output.ts";
import * as apiKey from "../../src/domain/access/key.ts";
import { catalogue } from "../support/catalogue.ts";

/** Instructions for the handlers below, and how often they ran; a test resets its instructions. */
export const script = { handled: 0, before: async () => {} };

/** A key stands for any purchase. */
export const facts = (key_id: string): apiKey.KeyFacts => ({
  key_id,
  tenant: "acme",
  space: "live",
  label: null,
  scopes: ["read"],
  daily: null,
  monthly: null,
  secret_sha256: createHash("sha256").update(key_id).digest("hex"),
  issued_at: "2026-01-01T00:00:00.000Z",
});

const echo = operation({
  name: "test_echo",
  route: "GET /v1/agent/test/echo",
  summary: "Says it again",
  description: "Says it again, with a number that is never the same.",
  access: [key("read"), pay("0.05")],
  again_to: "anybody",
  secrets: ["softly"],
  input: z.object({ say: z.string().default("hello"), softly: z.string().optional() }),
  output: json(z.object({ data: z.object({ said: z.string(), nth: z.int() }), meta: z.object({}) })),
  example: {},
  handle: async ({ input }) => {
    script.handled++;
    await script.before();
    return { data: { said: input.say, nth: script.handled }, meta: {} };
  },
});

/** Appends an event for the caller: a key stands for any purchase. */
const order = operation({
  name: "test_order",
  route: "POST /v1/agent/test/order",
  effect: { changes: "adds", repeatable: false, reaches_out: false },
  summary: "Orders",
  description: "Issues a key of this name, once.",
  access: [key("order"), pay("0.50")],
  input: z.object({ name: z.string() }),
  output: json(z.object({ data: z.object({ name: z.string() }), meta: z.object({}) })),
  status: 201,
  example: { name: "k_example" },
  handle: async ({ input, unit }) => {
    script.handled++;
    await unit.decide(apiKey, { tenant: "acme", id: input.name }, apiKey.issue(facts(input.name)));
    await script.before();
    return { data: { name: input.name }, meta: {} };
  },
});

/** Its answer depends on another writer's events meanwhile. */
const toggle = operation({
  name: "test_toggle",
  route: "POST /v1/agent/test/toggle",
  effect: { changes: "takes", repeatable: false, reaches_out: false },
  summary: "Toggles",
  description: "Issues a key that is not there, revokes one that is.",
  access: [pay("0.01")],
  input: z.object({ name: z.string() }),
  output: json(z.object({ data: z.object({ status: z.string() }), meta: z.object({}) })),
  example: { name: "k_example" },
  handle: async ({ input, unit }) => {
    const { state } = await unit.decide(apiKey, { tenant: "acme", id: input.name }, (key) =>
      key ? apiKey.revoke("2026-01-02T00:00:00.000Z")(key) : apiKey.issue(facts(input.name))(key),
    );
    return { data: { status: state!.status }, meta: {} };
  },
});

/** Depends on a data release, so it has an ETag. */
const dated = operation({
  name: "test_dated",
  route: "GET /v1/agent/test/dated",
  summary: "Dated",
  description: "Says of which release it is.",
  access: [key("read"), pay("0.05")],
  input: z.object({}),
  output: json(z.object({ data: z.object({ release: z.string() }), meta: z.object({}) })),
  example: {},
  vintage: () => "2026-01",
  handle: async () => ({ data: { release: "2026-01" }, meta: {} }),
});

/** Streams line by line. */
const lines = operation({
  name: "test_lines",
  route: "GET /v1/agent/test/lines",
  summary: "Lines",
  description: "A line for each number.",
  access: [pay("0.10")],
  input: z.object({ count: z.int().max(1_000).default(3) }),
  output: stream(z.object({ n: z.int() }), z.object({ up_to_date: z.boolean() }), { is_bounded: true }),
  example: {},
  handle: async ({ input }) => numbered(input.count),
});

async function* numbered(count: number): AsyncGenerator<string> {
  for (let n = 0; n < count; n++) yield `${JSON.stringify({ n })}\n`;
  yield '{"up_to_date":true}\n';
}

export const sampleOperations: OperationDeclaration[] = [...catalogue, echo, order, toggle, dated, lines];
