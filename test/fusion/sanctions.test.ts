/** Screened names: hits, lists and goods in an answer, in process; then over HTTP and by import. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { euConsolidated } from "../../src/datasets/reference/sanctions-eu.ts";
import { ofacAlt, ofacSdn } from "../../src/datasets/reference/sanctions-ofac.ts";
import { unConsolidated } from "../../src/datasets/reference/sanctions-un.ts";
import type { ReferenceStore } from "../../src/datasets/reference/store.ts";
import { openVintages } from "../../src/datasets/vintage-store.ts";
import type { ListEntry } from "../../src/domain/sanctions/list-entry.ts";
import { importReference } from "../../src/operator/reference.ts";
import {
  sanctionsCheck,
  sanctionsInput,
  sanctionsOutput,
} from "../../src/projections/fusion/answers/sanctions.ts";
import type { TradeData } from "../../src/projections/trade/answers/question.ts";
import { limits, refusalOf } from "../datasets/workshop.ts";
import { made, storeOf } from "../reference/store-of.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

const NOW = new Date("2026-11-20T00:00:00Z");

let trade: TradeData;
let close: () => Promise<void>;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "tallystick-names-"));
  const vintages = await openVintages({ ...limits, dataDir: dir });
  trade = { vintages, allow_synthetic: true };
  close = async () => {
    await vintages.close();
    await rm(dir, { recursive: true, force: true });
  };
});
afterAll(() => close());

const invented = () =>
  storeOf(
    made(ofacSdn, ofacSdn.sandbox(), true),
    made(ofacAlt, ofacAlt.sandbox(), true),
    made(euConsolidated, euConsolidated.sandbox(), true),
    made(unConsolidated, unConsolidated.sandbox(), true),
  );

async function check(
  reference: ReferenceStore,
  request: z.input<typeof sanctionsInput>,
  released_at = "2026-11-01T00:00:00.000Z",
) {
  const releasedAt = async (vintages: readonly string[]) =>
    new Map(vintages.map((vintage) => [vintage, released_at]));
  const input = sanctionsInput.parse(request);
  return sanctionsOutput.parse(await sanctionsCheck(reference, input, { now: NOW, releasedAt, trade }));
}

const person = (entry_id: string, name: string, more: Partial<ListEntry> = {}): ListEntry => ({
  ...{ entry_id, reference: null, kind: "person", born: [], countries: [], programs: ["P"] },
  names: [{ name, quality: "primary" }],
  ...more,
});

describe("a hit", () => {
  test("names list, state, entry and matched words, in each list that has it", async () => {
    const { data, meta } = await check(await invented(), {
      name: "Тимофей Зубарев",
      born: 1970,
      type: "person",
    });
    expect(data.result).toBe("match");
    expect(data.hits.map(({ list, entry_id }) => [list, entry_id])).toEqual([
      ["ofac", "900002"],
      ["eu", "900002"],
      ["un", "900002"],
    ]);
    expect(data.hits[0]).toMatchObject({
      reference: "INV.002",
      programs: ["INVENTED"],
      agrees: { type: true, country: null, born: true },
    });
    expect(data.hits[0]!.why).toContain("type and year of birth agree");
    expect(data.hits[0]!.words.map(({ place }) => place).sort()).toEqual([1, 2]);
    expect(data.lists.map(({ list, dataset, synthetic }) => [list, dataset, synthetic])).toEqual([
      ["ofac", "sandbox-ofac-sdn", true],
      ["ofac", "sandbox-ofac-alt", true],
      ["eu", "sandbox-eu-consolidated", true],
      ["un", "sandbox-un-consolidated", true],
    ]);
    for (const { vintage } of data.lists) expect(meta.vintage).toContain(vintage);
  });

  test("does not reveal the requested name", async () => {
    const answer = await check(await invented(), { name: "Zubarevv Timofej", threshold: 0.7 });
    expect(answer.data.result).toBe("match");
    expect(JSON.stringify(answer).toUpperCase()).not.toMatch(/ZUBAREVV|TIMOFEJ/);
  });

  test("by an alias in OFAC's other table names its entry", async () => {
    const { data } = await check(await invented(), { name: "Orlov Merkur Trading" });
    expect(data.hits[0]).toMatchObject({
      list: "ofac",
      entry_id: "900001",
      name: "ORLOV MERKUR TRADING",
      quality: "strong",
    });
    expect(data.hits[0]!.why).toContain("another name of MERKUR-ORLOV TRADING HOUSE OOO");
  });

  test("is ranked by year, country and type among equally close ones, and hidden by none", async () => {
    const reference = await storeOf(
      made(unConsolidated, [
        person("1", "IVANOV, Ivan", { born: [1950] }),
        person("2", "IVANOV, Ivan", { born: [1971], countries: ["Latvia"] }),
        person("3", "IVANOV, Ivan", { kind: "entity" }),
      ]),
    );
    const { data } = await check(reference, {
      name: "Ivan Ivanov",
      born: 1970,
      country: "LV",
      type: "person",
    });
    expect(data.hits.map(({ entry_id }) => entry_id)).toEqual(["2", "1", "3"]);
    expect(data.hits.map(({ agrees }) => agrees)).toEqual([
      { type: true, country: true, born: true },
      { type: true, country: null, born: false },
      { type: false, country: null, born: null },
    ]);
    expect(data.hits[1]!.why).toContain("year of birth differ");
  });
});

describe("lists", () => {
  test("without a hit are named, and that is no clearance", async () => {
    const { data } = await check(await invented(), { name: "Emma Daniels" });
    expect(data).toMatchObject({
      result: "no_match",
      no_match_in: ["ofac", "eu", "un"],
      hits: [],
      goods: null,
    });
    expect(data.note).toContain("No match is no clearance");
    expect(JSON.stringify(data)).not.toMatch(/"clear/);
  });

  test("that are synthetic are left out next to a real one", async () => {
    const reference = await storeOf(
      made(ofacSdn, ofacSdn.sandbox(), true),
      made(unConsolidated, [person("1", "IVANOV, Ivan")]),
    );
    const { data, meta } = await check(reference, { name: "Timofey Zubarev" });
    expect([data.result, data.no_match_in, meta.synthetic]).toEqual(["no_match", ["un"], false]);
  });

  test("released more than thirty days ago carry a warning", async () => {
    const reference = await invented();
    const stale = async (at: string) =>
      new Set((await check(reference, { name: "Emma" }, at)).data.lists.map((list) => list.stale));
    expect([...(await stale("2026-10-21T00:00:00.000Z"))]).toEqual([false]);
    expect([...(await stale("2026-10-20T00:00:00.000Z"))]).toEqual([true]);
  });

  test("that are not loaded cannot be screened", async () => {
    const refused = await refusalOf(check(await storeOf(), { name: "Emma" }));
    expect(refused.message).toContain("no sanctions list is loaded");
  });
});

test("goods are answered where product and country are given, and otherwise with the reason", async () => {
  const { data } = await check(await invented(), { name: "Emma Daniels", hs: "84", country: "RU" });
  expect(data.goods).toMatchObject({ rerouting: null, controlled: null, why: expect.stringMatching(/\w/) });
});

describe("the service", () => {
  let service: Service;
  let headers: Record<string, string>;
  beforeAll(async () => {
    service = await startService();
    headers = { ...(await service.issue()).headers, "Content-Type": "application/json" };
    await openSandbox(service);
  });
  afterAll(() => service.stop());

  const post = async (body: object) => {
    const answer = await fetch(`${service.url}/v1/agent/fusion/sanctions-check`, {
      ...{ method: "POST", headers, body: JSON.stringify(body) },
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  test("answers with the releases of its log, and the signal of the goods", async () => {
    const { status, body } = await post({ name: "Jussuf Salim al Haddari", hs: "84", country: "RU" });
    expect([status, body]).toMatchObject([
      200,
      { success: true, data: { result: "match", goods: { why: null, rerouting: expect.any(Array) } } },
    ]);
    const { lists } = body.data as { lists: { released_at: string | null; stale: boolean }[] };
    for (const { released_at, stale } of lists) expect([released_at !== null, stale]).toEqual([true, false]);
  });

  test("names each invalid field", async () => {
    const { status, body } = await post({ name: "¿?", type: "dog", born: 12, threshold: 0.1, country: "ZZ" });
    const paths = (body.errors as { path: string }[]).map(({ path }) => path);
    expect([status, paths.sort()]).toEqual([400, ["born", "country", "name", "threshold", "type"]]);
  });

  test("refuses a list that has lost more than half of its rows, unless it is imported as a new start", async () => {
    const path = join(service.data_dir, "sdn.csv");
    const bring = async (names: number, afresh = false) => {
      const line = (n: number) => `${n},"NAME ${n}",-0- ,"P",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \n`;
      await writeFile(path, Array.from({ length: names }, (_, n) => line(n + 1)).join(""));
      return importReference(service.app, service.data_dir, [path], { afresh });
    };
    await bring(10);
    expect((await refusalOf(bring(4))).message).toContain("4 rows, where the last release has 10");
    expect((await bring(5)).facts.rows).toBe(5);
    expect((await bring(1, true)).facts.rows).toBe(1);
  });
});
