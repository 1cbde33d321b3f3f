/** MCP's list of operations: its size for a model, its order, and its vocabulary. */
import type { Tool } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../src/api/declare/json-schema.ts";
import { methodOf } from "../../src/api/declare/operation-facts.ts";
import { defaultTools } from "../../src/api/transports/default-tools.ts";
import { meantBy, toolLists } from "../../src/api/transports/mcp-tools.ts";
import { catalogue } from "../support/catalogue.ts";

const lists = toolLists(catalogue, "https://tallystick.example");
const listed = (wanted: string[], areaList: string | null) => lists(wanted, areaList)(false);
const areas = [...new Set(catalogue.map(({ area }) => area))];
const all = listed(areas, "all");

/** Tokens estimated without a model's table: four characters of the sent JSON. Titles and icons are for people alone. */
const tokensOf = (tools: Tool[]) =>
  Math.ceil(JSON.stringify({ tools: tools.map(({ title: _, icons: __, ...tool }) => tool) }).length / 4);

/**
 * A tool's average: 40,000 tokens for the 147 operations of the specification, and the same share for each further
 * one.
 */
const TOKENS = 40_000 / 147;

test("a tool takes less than 273 tokens on average, and the default list less than 12000", () => {
  expect(all).toHaveLength(catalogue.length);
  expect(tokensOf(all)).toBeLessThan(TOKENS * all.length);
  const unasked = listed(areas, null);
  expect(unasked).toHaveLength(defaultTools.length);
  expect(tokensOf(unasked)).toBeLessThan(12_000);
});

test("operations_call counts as a call of the named operation, or of none if it names none", () => {
  const request = { reporter: "DE" };
  expect(meantBy("trade_balance", request)).toEqual({ name: "trade_balance", arguments: request });
  expect(meantBy("operations_call", { name: "trade_balance", arguments: request })).toEqual({
    name: "trade_balance",
    arguments: request,
  });
  expect(meantBy("operations_call", { name: "health" })).toEqual({ name: "health", arguments: {} });
  for (const given of [
    {},
    { name: 7 },
    { name: "health", arguments: "{}" },
    { name: "health", arguments: [] },
  ])
    expect(meantBy("operations_call", given)).toBeUndefined();
  expect(meantBy("operations_call", { name: "operations_call" })?.name).toBe("operations_call");
});

test("every description begins with the tool's effect, and then explains it", () => {
  for (const { name, summary, description } of catalogue) {
    const tool = all.find((one) => one.name === name)!;
    const beginning = `${summary}. ${description.replaceAll("\n", " ")}`;
    expect(tool.description!.slice(0, beginning.length)).toBe(beginning);
    expect(summary, "a sentence without its full stop").toMatch(/^[A-Z].*[^.?!]$/);
    expect(tool.description).not.toContain("\n");
  }
});

test("every tool has a title of its own for people", () => {
  expect(all.find(({ name }) => name === "trade_top_partners")!.title).toBe("Trade top partners");
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
});

test("an answer's fields are named, through references and lists too", () => {
  const descriptionOf = (name: string) => all.find((tool) => tool.name === name)!.description;
  expect(descriptionOf("alerts_status")).toContain(
    "Returns subscription_id, status, url, watch, waiting_for, judged_reporters, credits,",
  );
  expect(descriptionOf("trade_balance")).toContain("Returns rows of year, imports_eur, exports_eur,");
  expect(descriptionOf("rng_roll_batch")).toContain("Returns rows of roll_id, game_type,");
});

test("every tool declares its effects", () => {
  for (const { name, annotations } of all) {
    expect([name, Object.values(annotations!)]).toEqual([name, Array(4).fill(expect.any(Boolean))]);
    if (annotations!.readOnlyHint)
      expect([name, annotations!.destructiveHint, annotations!.idempotentHint]).toEqual([name, false, true]);
  }
  const destructive = all.filter(({ annotations }) => annotations!.destructiveHint).map(({ name }) => name);
  expect(destructive.sort()).toEqual([
    "alerts_delete",
    "alerts_rotate_secret",
    "checks_cancel",
    "checks_redeem",
    "commerce_erase",
    "compute_cancel",
    "compute_dispute",
    "compute_settle",
    "compute_submit",
    "compute_withdraw",
    "lounge_dice",
    "lounge_keno",
    "lounge_roulette",
    "notices_delete",
    "notices_rotate_secret",
    "orders_cancel",
    "orders_pay",
    "skills_cancel",
    "soul_attestation_revoke",
    "soul_bounty_award",
    "soul_bounty_cancel",
    "soul_bounty_fund",
    "soul_bounty_open",
    "soul_delegation_revoke",
    "soul_describe",
    "soul_keys_add",
    "soul_keys_revoke",
    "soul_passport_revoke",
    "soul_stack_buy",
    "soul_stack_withdraw",
    "soul_unlink",
    "wallet_airdrop",
    "x402_settle",
  ]);
  const asking = catalogue.filter((operation) => methodOf(operation) === "GET").map(({ name }) => name);
  const reading = all.filter(({ annotations }) => annotations!.readOnlyHint).map(({ name }) => name);
  expect(reading.filter((name) => !asking.includes(name)).sort()).toEqual([
    "commerce_forecast",
    "fuel_calculator",
    "fusion_query",
    "fusion_sanctions_check",
    "rng_anchor_verify",
    "rng_verify",
    "soul_challenge",
    "soul_passport_verify",
    "soul_verify_chain",
    "sovereign_mirror",
    "trade_snapshot",
    "x402_verify",
  ]);
});

/** Constructs that some clients refuse: several types in one schema, none, and references elsewhere. */
function unportable(schema: JsonSchema, path: string): string[] {
  const own = [
    Array.isArray(schema.type) && "several types",
    schema.$ref !== undefined && "a reference",
    Object.keys(schema).every((key) => ["description", "default", "title"].includes(key)) && "no type",
  ].filter((fault) => fault !== false);
  const inner: [string, JsonSchema | boolean | undefined][] = [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.anyOf ?? []).map((one, at): [string, JsonSchema] => [`anyOf ${at}`, one]),
    ["items", schema.items],
    ["additionalProperties", schema.additionalProperties],
  ];
  return [
    ...own.map((fault) => `${path}: ${fault}`),
    ...inner.flatMap(([name, one]) => (typeof one === "object" ? unportable(one, `${path}.${name}`) : [])),
  ];
}

test("no input schema uses keywords that a client may not know", () => {
  expect(all.flatMap(({ name, inputSchema }) => unportable(inputSchema as JsonSchema, name))).toEqual([]);
  expect(unportable({ type: ["string", "number"], properties: { a: {} } }, "x")).toEqual([
    "x: several types",
    "x.a: no type",
  ]);
});
