/** The skills as MCP's Skills extension serves them; each call that they show is made, and each claim is looked at. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorkshop, type Workshop } from "../chain/fixture.ts";
import { signExample } from "../support/log-example.ts";
import { LEGACY, type McpHost, MODERN, mcpRequest, mcpResult } from "../support/mcp.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";
import { GAS_KEY, PAYEE, payment, wallet } from "../support/wallets.ts";
import { presentedV2 } from "../support/x402.ts";

type Skill = {
  uri: string;
  frontmatter: { name: string; description: string };
  resources: { uri: string; digest: string; size: number }[];
};
type Read = { contents: { uri: string; mimeType: string; text: string }[] };
type Called = {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent: Record<string, unknown>;
  _meta?: Record<string, unknown>;
};
type Call = { name: string; arguments: Record<string, unknown>; refused?: number };

let workshop: Workshop;
let service: Service;
let host: McpHost;
let keyed: McpHost;
beforeAll(async () => {
  workshop = await openWorkshop();
  const chain = { rpc_url: workshop.node.rpc_url, gas_key: GAS_KEY, pay_to: PAYEE };
  service = await startService({ chain, folds: "all" });
  await openSandbox(service);
  await signExample(service.app);
  host = { url: `${service.url}/mcp` };
  keyed = { ...host, headers: (await service.issue()).headers };
});
afterAll(async () => {
  await service?.stop();
  await workshop?.close();
});

const list = async (one: McpHost = host) => (await mcpResult<{ skills: Skill[] }>(one, "skills/list")).skills;
const textOf = async (uri: string) =>
  (await mcpResult<Read>(host, "resources/read", { uri })).contents[0]!.text;

/** The calls that a skill shows, in its order. */
const callsIn = (text: string) =>
  [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, json]) => JSON.parse(json!.replaceAll(/^ {3}/gm, "")) as Call,
  );

describe.each([MODERN, LEGACY] as const)("%s", (version) => {
  test("lists three skills, whose files match their entries", async () => {
    const found = await list({ ...host, version });
    expect(found.map(({ frontmatter: { name } }) => name)).toEqual([
      "ask-trade-data",
      "pay-for-calls",
      "verify-answers",
    ]);
    for (const { uri, frontmatter, resources } of found) {
      expect(uri).toBe(`skill://${frontmatter.name}/SKILL.md`);
      const [file] = resources;
      expect(file!.uri).toBe(uri);
      const { contents } = await mcpResult<Read>({ ...host, version }, "resources/read", { uri });
      const bytes = Buffer.from(contents[0]!.text);
      expect(contents[0]!.mimeType).toBe("text/markdown");
      expect([bytes.length, `sha256:${createHash("sha256").update(bytes).digest("hex")}`]).toEqual([
        file!.size,
        file!.digest,
      ]);
      const [, head] = /^---\n([\s\S]*?)\n---\n/.exec(contents[0]!.text)!;
      expect(head).toBe(`name: ${frontmatter.name}\ndescription: ${frontmatter.description}`);
      const got = await mcpResult<{ skill: Skill }>({ ...host, version }, "skills/get", { uri });
      expect(got.skill).toEqual({ uri, frontmatter, resources });
    }
  });

  test("reads a skill's folder, and refuses any other folder", async () => {
    const folder = await mcpResult<{ resources: object[] }>(
      { ...host, version },
      "resources/directory/read",
      {
        uri: "skill://verify-answers",
      },
    );
    expect(folder.resources).toEqual([
      expect.objectContaining({
        uri: "skill://verify-answers/SKILL.md",
        name: "SKILL.md",
        mimeType: "text/markdown",
      }),
    ]);
    for (const [method, uri] of [
      ["skills/get", "skill://nothing/SKILL.md"],
      ["skills/get", "skill://verify-answers"],
      ["resources/directory/read", "skill://verify-answers/SKILL.md"],
      ["resources/read", "skill://verify-answers/OTHER.md"],
    ] as const)
      expect((await mcpRequest({ ...host, version }, method, { uri })).error, method).toMatchObject({
        code: -32602,
      });
  });
});

test("each skill is a prompt too, for hosts without skills", async () => {
  const { prompts } = await mcpResult<{ prompts: { name: string }[] }>(host, "prompts/list");
  expect(prompts.map(({ name }) => name)).toEqual((await list()).map(({ frontmatter: { name } }) => name));
  const got = await mcpResult<{ messages: { content: { text: string } }[] }>(host, "prompts/get", {
    name: "pay-for-calls",
  });
  expect(got.messages[0]!.content.text).toBe(await textOf("skill://pay-for-calls/SKILL.md"));
  expect((await mcpRequest(host, "prompts/get", { name: "nothing" })).error).toMatchObject({ code: -32602 });
});

test("the server declares the extension and resources, and its lists are valid for an hour", async () => {
  const { capabilities } = await mcpResult<{ capabilities: object }>(host, "server/discover");
  expect(capabilities).toMatchObject({
    resources: {},
    extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
  });
  expect(await mcpResult(host, "skills/list")).toMatchObject({
    resultType: "complete",
    ttlMs: 3_600_000,
    cacheScope: "public",
  });
});

/** Makes a call as the skill shows it; `last` is the answer before. */
async function make({ refused, ...call }: Call, last: Called | undefined): Promise<Called> {
  const at = (path: string) =>
    path
      .split(".")
      .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], last!.structuredContent);
  const text = JSON.stringify(call).replaceAll(/\{\{([\w.]+)\}\}/g, (_, path: string) => String(at(path)));
  const caller = refused === 402 ? host : keyed;
  const answer = await mcpResult<Called>(caller, "tools/call", JSON.parse(text));
  if (refused === undefined) expect(answer.isError, answer.content[0]!.text).toBeFalsy();
  else {
    expect(answer.isError, text).toBe(true);
    if (refused === 402) expect(answer.structuredContent).toMatchObject({ x402Version: 2 });
    else expect(answer.structuredContent).toMatchObject({ status: refused });
  }
  return answer;
}

test.each(["ask-trade-data", "pay-for-calls", "verify-answers"])(
  "%s: every call gets the answer that the skill shows",
  async (name) => {
    const calls = callsIn(await textOf(`skill://${name}/SKILL.md`));
    expect(calls.length).toBeGreaterThan(1);
    let last: Called | undefined;
    for (const call of calls) last = await make(call, last);
  },
);

test("every tool that a skill names exists, and those called free need neither key nor payment", async () => {
  const { tools } = await mcpResult<{ tools: { name: string; _meta?: object }[] }>(
    { ...host, url: `${host.url}?areas=all` },
    "tools/list",
  );
  const names = new Set([...tools.map((tool) => tool.name), "operations_call"]);
  for (const { uri } of await list()) {
    const text = await textOf(uri);
    for (const [, name] of text.matchAll(/`([a-z]+_[a-z_]+)`/g))
      if (!["rests_on", "event_id", "report_id"].includes(name!))
        expect(names, `${uri} names ${name}`).toContain(name);
  }
  for (const name of ["operations_find", "payment_status", "log_proof", "resources"])
    expect(tools.find((tool) => tool.name === name)!._meta, name).toBeUndefined();
});

test("ask: meta names data and source, and rests_on repeats the answer", async () => {
  const call = { name: "trade_top_partners", arguments: { reporter: "DE", flow: "IMPORT", limit: 5 } };
  const { structuredContent } = await mcpResult<Called>(keyed, "tools/call", call);
  const meta = structuredContent.meta as Record<string, unknown>;
  expect(meta).toMatchObject({
    dataset: expect.any(String),
    vintage: expect.any(String),
    source: expect.any(String),
    synthetic: true,
    rests_on: expect.any(String),
  });
  const again = await mcpResult<Called>(keyed, "tools/call", {
    ...call,
    arguments: { ...call.arguments, vintage: meta.rests_on },
  });
  expect(again.structuredContent.data).toEqual(structuredContent.data);
});

test("ask: a refusal names the field and the remedy", async () => {
  const [refused] = callsIn(await textOf("skill://ask-trade-data/SKILL.md")).slice(-1);
  const { structuredContent } = await make(refused!, undefined);
  expect(structuredContent.errors).toEqual([expect.objectContaining({ path: "reporter" })]);
});

test("pay: the requirement is signed, the same call is answered once, and its receipt can be read", async () => {
  const call = callsIn(await textOf("skill://pay-for-calls/SKILL.md"))[0]!;
  const { structuredContent } = await make(call, undefined);
  const { accepts, resource, extensions } = structuredContent as {
    accepts: { amount: string }[];
    resource: object;
    extensions: object;
  };
  const [accepted] = accepts;
  expect(accepted!.amount).toBe("50000");
  const signed = await payment(wallet(2), BigInt(accepted!.amount));
  const _meta = {
    "x402/payment": presentedV2(signed, PAYEE, { accepted, resource, extensions } as never),
    "tallystick/prefer": "links",
  };
  const paid = { name: call.name, arguments: call.arguments, _meta };
  const answer = await mcpResult<Called>(host, "tools/call", paid);
  expect(answer.isError, answer.content[0]!.text).toBeFalsy();
  const settled = answer._meta!["x402/payment-response"] as { transaction: string };
  const again = await mcpResult<Called>(host, "tools/call", paid);
  expect(again._meta!["x402/payment-response"]).toMatchObject({ transaction: settled.transaction });
  expect(again.structuredContent).toEqual(answer.structuredContent);
  const links = answer.content as unknown as { type: string; uri: string }[];
  const receipt = links.find(({ uri }) => uri?.startsWith("tallystick://receipts/"))!;
  const read = await mcpResult<Read>(host, "resources/read", { uri: receipt.uri });
  expect(JSON.parse(read.contents[0]!.text).data).toMatchObject({
    status: "settled",
    transaction: settled.transaction,
  });
  const proof = links.find(({ uri }) => uri?.startsWith("tallystick://proofs/"))!;
  expect(await mcpResult<Read>(host, "resources/read", { uri: proof.uri })).toMatchObject({
    contents: [{ mimeType: "application/json" }],
  });
});

test("verify: the proof has the members that the skill reads, and the verifier is served", async () => {
  const calls = callsIn(await textOf("skill://verify-answers/SKILL.md")).slice(0, 2);
  const listed = await make(calls[0]!, undefined);
  const { structuredContent } = await make(calls[1]!, listed);
  for (const name of ["checkpoint", "inclusion", "anchor", "pending", "key"])
    expect(structuredContent).toHaveProperty(name);
  const verifier = await fetch(`${service.url}/log/verifier.js`);
  expect([verifier.status, verifier.headers.get("content-type")]).toEqual([
    200,
    expect.stringContaining("javascript"),
  ]);
});
