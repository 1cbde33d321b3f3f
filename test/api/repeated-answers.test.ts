/** An answer repeated with the vintages that it named: the same bytes after any releases, during retention. */

import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Operation, restsOnDataAlone } from "../../src/api/declare/operation.ts";
import { exampleOf } from "../../src/api/describe/reference.ts";
import { operatorMeta } from "../../src/core/app.ts";
import { manifestPath, readManifest, vintageDigest } from "../../src/datasets/manifest.ts";
import { storeText, textOfTable } from "../../src/datasets/reference/files.ts";
import { sandboxOf } from "../../src/datasets/reference/table.ts";
import { referenceTables } from "../../src/datasets/reference/tables.ts";
import { KEEP_DAYS } from "../../src/datasets/retention.ts";
import * as reference from "../../src/domain/reference/dataset.ts";
import { OPERATOR } from "../../src/operator/releases.ts";
import { catalogue } from "../support/catalogue.ts";
import { releaseVintage } from "../support/cube.ts";
import { replace } from "../support/replace.ts";
import { opened, openSandbox, openSandboxLv } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let headers: Record<string, string>;
beforeAll(async () => {
  service = await startService({ env: { OPEN_CALLS_PER_MINUTE: "10000" } });
  await openSandbox(service);
  await openSandboxLv(service);
  headers = (await service.issue()).headers;
});
afterAll(() => service.stop());

type Answer = { status: number; etag: string | null; text: string; json: Json };
type Json = {
  meta: Record<string, unknown>;
  data: Record<string, unknown>;
  errors: { path: string; message: string }[];
};

async function ask(operation: Operation, input: Record<string, unknown>): Promise<Answer> {
  const written = exampleOf({ ...operation, example: input });
  const [, method, path, body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(written)!;
  const response = await fetch(service.url + path, {
    method: method!,
    headers: { ...headers, "Content-Type": "application/json" },
    ...(body && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get("etag"),
    text,
    json: JSON.parse(text) as Json,
  };
}

/** Releases every dataset's figures and every table's rows again under another source: other vintages. */
async function releaseAnew(source: string): Promise<void> {
  const { app, data_dir } = service;
  const made: string[] = [];
  for (const { vintage } of app.data.vintages.open()) {
    const named = { ...(await readManifest(data_dir, vintage)), source };
    const anew = { ...named, vintage: vintageDigest(named) };
    await writeFile(manifestPath(data_dir, anew.vintage), JSON.stringify(anew));
    await releaseVintage(app, data_dir, anew.vintage);
    made.push(anew.vintage);
  }
  for (const table of referenceTables) {
    const about = { dataset: sandboxOf(table), source, synthetic: true };
    const { reference: state, text } = textOfTable(table, about, table.sandbox());
    await storeText(data_dir, state.vintage, text);
    const target = { tenant: OPERATOR, id: about.dataset };
    const current = await app.load(reference, target);
    const { rows, ...named } = state;
    const facts = {
      ...named,
      rows: rows.length,
      inputs: [],
      replaces: current?.vintage ?? null,
      released_at: app.clock.now().toISOString(),
    };
    await app.decide(reference, target, reference.release(facts), { meta: operatorMeta("test") });
    made.push(state.vintage);
  }
  await opened(service, made);
}

const figures = catalogue.filter(
  (operation) => restsOnDataAlone(operation) && operation.output.kind === "json",
);
const topPartners = catalogue.find(({ name }) => name === "trade_top_partners")!;
const snapshot = catalogue.find(({ name }) => name === "trade_snapshot")!;

describe("a repeated question", () => {
  const before = new Map<string, Answer>();

  beforeAll(async () => {
    for (const operation of figures) before.set(operation.name, await ask(operation, operation.example));
    await releaseAnew("another source");
  });

  test.each(figures.map((operation) => [operation.name, operation] as const))(
    "%s has the same bytes with the vintages it named",
    async (name, operation) => {
      const first = before.get(name)!;
      expect(first.status, first.text).toBe(200);
      const { rests_on } = first.json.meta;
      expect(rests_on).toMatch(/^[0-9a-f]{64}(,[0-9a-f]{64})*(,none)?$/);
      const again = await ask(operation, { ...operation.example, vintage: rests_on });
      expect(again.text).toBe(first.text);
      expect(again.etag).toBe(first.etag);
      const now = await ask(operation, operation.example);
      expect(now.status).toBe(200);
      expect(now.json.meta.rests_on).not.toBe(rests_on);
    },
  );

  test("needs only the dataset's vintage if only its figures are used", async () => {
    const first = before.get("trade_top_partners")!;
    const again = await ask(topPartners, {
      ...topPartners.example,
      vintage: first.json.meta.vintage as string,
    });
    expect(again.json.data).toEqual(first.json.data);
    expect(again.json.meta.vintage).toBe(first.json.meta.vintage);
  });

  test("works for a number of days after a vintage was replaced, and then ends", async () => {
    const { clock } = service.app;
    const vintage = before.get("trade_top_partners")!.json.meta.rests_on as string;
    const statusAfter = async (days: number) => {
      replace(service.app, { clock: { now: () => new Date(clock.now().getTime() + days * 86_400_000) } });
      const answer = await ask(topPartners, { ...topPartners.example, vintage });
      replace(service.app, { clock });
      return answer.status;
    };
    expect(await statusAfter(KEEP_DAYS - 1)).toBe(200);
    expect(await statusAfter(KEEP_DAYS + 1)).toBe(404);
  });

  test("two vintages of one day are both available as snapshots", async () => {
    const replaced = before.get("trade_top_partners")!.json.meta.vintage as string;
    const current = (await ask(topPartners, topPartners.example)).json.meta.vintage as string;
    for (const vintage of [replaced, current]) {
      const answer = await ask(snapshot, { vintage });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json.data).toMatchObject({ vintage, date: null });
      const file = await fetch(answer.json.data.url as string);
      expect([file.status, (await file.arrayBuffer()).byteLength]).toEqual([200, answer.json.data.bytes]);
    }
    const unkept = await ask(snapshot, { vintage: "0".repeat(64) });
    expect(unkept.status).toBe(404);
    expect(unkept.json.errors[0]!.message).toContain(current);
    expect((await ask(snapshot, { vintage: current, date: "2026-01-01" })).status).toBe(400);
  });

  test("about a deleted vintage is a 404 that names the available ones", async () => {
    const { status, json } = await ask(topPartners, { ...topPartners.example, vintage: "0".repeat(64) });
    expect(status).toBe(404);
    expect(json.errors[0]).toMatchObject({ path: "vintage" });
    for (const { dataset, vintage } of service.app.data.vintages.open())
      expect(json.errors[0]!.message).toContain(`${dataset} ${vintage}`);
  });

  test.each([
    ["no digest", "xyz"],
    ["nothing", ""],
    ["more than any answer rests on", Array.from({ length: 33 }, () => "0".repeat(64)).join()],
  ])("%s is a 400", async (_, vintage) => {
    const { status, json } = await ask(topPartners, { ...topPartners.example, vintage });
    expect([status, json.errors[0]!.path]).toEqual([400, "vintage"]);
  });

  test("two vintages of one dataset are a 400", async () => {
    const first = before.get("trade_top_partners")!.json.meta.vintage;
    const now = (await ask(topPartners, topPartners.example)).json.meta.vintage;
    const { status, json } = await ask(topPartners, { ...topPartners.example, vintage: `${first},${now}` });
    expect(status).toBe(400);
    expect(json.errors[0]!.message).toContain("two vintages of sandbox");
  });

  test("treats a table that was missing as missing again", async () => {
    const first = before.get("trade_top_partners")!;
    const products = catalogue.find(({ name }) => name === "trade_top_products")!;
    const input = { reporter: "LV", flow: "EXPORT", year: "2024", hs: "4401" };
    const named = await ask(products, { ...input, vintage: `${first.json.meta.vintage},none` });
    expect(named.status, named.text).toBe(200);
    expect(named.json.meta).toMatchObject({ names_from: null, rests_on: `${first.json.meta.vintage},none` });
    expect((await ask(products, input)).json.meta.names_from).not.toBeNull();
  });
});
