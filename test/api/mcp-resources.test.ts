/** Vintages, reports, receipts and proofs are MCP resources, and answers link to them for those who want links. */
import { afterAll, beforeAll, expect, test } from "vitest";
import * as reports from "../../src/domain/reports/report.ts";
import { LEGACY, type McpHost, MODERN, mcpRequest, mcpResult } from "../support/mcp.ts";
import { askReport, BRIEF } from "../support/reported.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

type Resource = { uri: string; name: string; title: string; mimeType: string };
type Page = { resources: Resource[]; nextCursor?: string };
type Read = { contents: { uri: string; mimeType: string; text: string }[] };
type Called = { content: { type: string; uri?: string; text?: string }[] };

let service: Service;
let host: McpHost;
let keyed: McpHost;
let report_id: string;
beforeAll(async () => {
  service = await startService({ folds: "all" });
  await openSandbox(service);
  const { headers } = await service.issue();
  host = { url: `${service.url}/mcp` };
  keyed = { ...host, headers };
  const made = (await (await askReport(service, headers, BRIEF.path, BRIEF.input)).json()) as {
    data: { report_id: string };
  };
  report_id = made.data.report_id;
});
afterAll(() => service.stop());

const vintageOf = () => service.app.data.vintages.open()[0]!.vintage;
const kindOf = ({ uri }: { uri?: string }) => /^tallystick:\/\/(\w+)\//.exec(uri ?? "")?.[1];
const parsed = ({ contents }: Read) => JSON.parse(contents[0]!.text);

test.each([MODERN, LEGACY] as const)(
  "%s: anybody reads the vintages and the proofs of their release",
  async (version) => {
    const page = await mcpResult<Page>({ ...host, version }, "resources/list");
    // The skills' files come first.
    const resources = page.resources.filter(({ uri }) => !uri.startsWith("skill:"));
    expect(new Set(resources.map(kindOf))).toEqual(new Set(["vintages", "proofs"]));
    const vintage = resources.find((one) => kindOf(one) === "vintages")!;
    const read = await mcpResult<Read>({ ...host, version }, "resources/read", { uri: vintage.uri });
    expect(read.contents[0]).toMatchObject({ uri: vintage.uri, mimeType: "application/json" });
    expect(parsed(read).data).toMatchObject({ vintage: vintage.name, dataset: expect.any(String) });
    const { event_id } = parsed(read).data;
    const proof = await mcpResult<Read>({ ...host, version }, "resources/read", {
      uri: `tallystick://proofs/${event_id}`,
    });
    expect(parsed(proof).event).toMatchObject({ event_id, type: "DatasetReleased" });
  },
);

test("a key sees its own reports, and no other key does", async () => {
  const uri = `tallystick://reports/${report_id}`;
  const { resources } = await mcpResult<Page>(keyed, "resources/list");
  expect(resources.map((one) => one.uri)).toContain(uri);
  const read = await mcpResult<Read>(keyed, "resources/read", { uri });
  expect(parsed(read).data.report_id).toBe(report_id);
  const { headers } = await service.issue({ tenant: "other" });
  const others = await mcpResult<Page>({ ...host, headers }, "resources/list");
  expect(others.resources.map((one) => one.uri)).not.toContain(uri);
  expect((await mcpRequest({ ...host, headers }, "resources/read", { uri })).error).toMatchObject({
    code: -32602,
  });
  expect((await mcpRequest(host, "resources/read", { uri })).error).toMatchObject({ data: { uri } });
});

test("a list continues from its cursor, without loss or repeat", async () => {
  const { headers, tenant } = await service.issue({ tenant: "writer" });
  const facts = await service.app.load(reports, { tenant: "acme", id: report_id });
  const ids = Array.from({ length: 70 }, (_, n) => n.toString(16).padStart(32, "0"));
  for (const id of ids) {
    const meta = { actor: "test", operation: "test.report" };
    await service.app.decide(reports, { tenant, id }, reports.make({ ...facts!, report_id: id }), {
      meta,
    } as never);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await mcpResult<Page>({ ...host, headers }, "resources/list", cursor ? { cursor } : {});
    seen.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
    pages++;
  } while (cursor);
  expect(pages).toBe(2);
  expect(new Set(seen).size).toBe(seen.length);
  for (const id of ids) expect(seen).toContain(`tallystick://reports/${id}`);
  const refused = await mcpRequest(host, "resources/list", { cursor: "nowhere" });
  expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining("cursor") });
});

test("an unknown resource is refused as the revision says, with its address", async () => {
  for (const uri of [
    `tallystick://vintages/${"0".repeat(64)}`,
    "tallystick://vintages/nothing",
    "tallystick://reports/%zz",
    "tallystick://secrets/1",
    "test://nothing",
  ]) {
    const now = await mcpRequest(host, "resources/read", { uri });
    expect(now.error, uri).toMatchObject({ code: -32602, data: { uri } });
    const before = await mcpRequest({ ...host, version: LEGACY }, "resources/read", { uri });
    expect(before.error, uri).toMatchObject({ code: -32602, data: { uri } });
  }
});

test("templates name the four kinds", async () => {
  const { resourceTemplates } = await mcpResult<{ resourceTemplates: { uriTemplate: string }[] }>(
    host,
    "resources/templates/list",
  );
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    "tallystick://vintages/{vintage}",
    "tallystick://reports/{report_id}",
    "tallystick://receipts/{id}",
    "tallystick://proofs/{event_id}",
  ]);
});

test("only a call that prefers links gets them, after its usual content", async () => {
  const call = { name: "trade_top_partners", arguments: { reporter: "DE", limit: 3 } };
  const plain = await mcpResult<Called>(keyed, "tools/call", call);
  expect(plain.content.map(({ type }) => type)).toEqual(["text"]);
  const _meta = { "tallystick/prefer": "links" };
  const linked = await mcpResult<Called>(keyed, "tools/call", { ...call, _meta });
  expect(linked.content[0]).toEqual(plain.content[0]);
  expect(linked.content.slice(1)).toEqual([
    expect.objectContaining({ type: "resource_link", uri: `tallystick://vintages/${vintageOf()}` }),
  ]);
  const report = await mcpResult<Called>(keyed, "tools/call", {
    name: "operations_call",
    arguments: { name: "sovereign_brief", arguments: BRIEF.input },
    _meta: { "tallystick/prefer": "proof, links" },
  });
  const uris = report.content.map(({ uri }) => uri);
  expect(uris).toContain(`tallystick://reports/${report_id}`);
});

test("lists state how long they are valid and for whom", async () => {
  expect(await mcpResult(host, "resources/list")).toMatchObject({ ttlMs: 60_000, cacheScope: "public" });
  expect(await mcpResult(keyed, "resources/list")).toMatchObject({ cacheScope: "private" });
  expect(await mcpResult(host, "resources/templates/list")).toMatchObject({ ttlMs: 3_600_000 });
});
