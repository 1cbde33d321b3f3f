/** Events extracted from texts, whose words change nothing else. */
import { describe, expect, test } from "vitest";
import { folded, itemDigest } from "../../src/domain/ingest/batch.ts";
import { extract, namesOf } from "../../src/domain/ingest/extract.ts";
import { indexNames } from "../../src/domain/sanctions/index.ts";
import type { ListEntry } from "../../src/domain/sanctions/list-entry.ts";
import { injections } from "./injections.ts";

const listed = {
  entry_id: "42",
  names: [
    { name: "Volkov Trading House LLC", quality: "strong" },
    { name: "Volkov", quality: "strong" },
  ],
} as ListEntry;
const names = namesOf(indexNames([{ list: "ofac", entries: [listed] }]));
const find = (text: string) => extract(text, names, 5);

describe("an event", () => {
  test.each([
    ["The EU puts anti-dumping duties on furniture from China.", "tariff", ["CN"], ["94"]],
    ["India widens its quota for sugar.", "quota", ["IN"], ["1701"]],
    ["Washington sanctioned a shipper; the US list grows.", "sanction", ["US"], []],
    ["Indonesia announces an export ban on nickel.", "export_ban", ["ID"], ["75"]],
    ["Dockers' strike halts coffee in Brazil.", "strike", ["BR"], ["0901"]],
    ["Floods in Pakistan destroy cotton.", "disaster", ["PK"], ["52"]],
    ["The port of Riga in Latvia is closed.", "closure", ["LV"], []],
    ["HS 4407 prices rose in Sweden.", "price", ["SE"], ["4407"]],
    ["Latvijā streiko ostas strādnieki.", "strike", ["LV"], []],
  ])("is found in: %s", (text, kind, countries, hs) => {
    const [found] = find(text);
    expect(found).toMatchObject({ kind, countries, hs });
    expect(text.slice(found!.span.from, found!.span.to)).toBe(text);
  });

  test("names list entries by number, whole names only", () => {
    const [found] = find("New sanctions hit Volkov Trading House today.");
    expect(found).toMatchObject({ entities: ["ofac:42"], confidence: 0.5 });
    expect(find("New sanctions hit Volkov today.")).toEqual([]);
  });

  test("is within its own sentence, and a verb without an object is not an event", () => {
    const text = "Chile is calm. A strike began. Peru closes a mine.";
    const found = find(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ kind: "closure", countries: ["PE"] });
    expect(text.slice(found[0]!.span.from, found[0]!.span.to)).toBe("Peru closes a mine.");
  });

  test("an item's digest is that of its text in NFC, with white space folded", () => {
    expect(folded(" Ri\u0304ga\n\t is   closed ")).toBe("R\u012bga is closed");
    expect(itemDigest(null, folded("a  b"))).toBe(itemDigest(null, "a b"));
    expect(itemDigest("https://a.example/", "a b")).not.toBe(itemDigest(null, "a b"));
  });
});

test("sixty injections yield only events that their words name, and change no other result", () => {
  expect(injections.length).toBeGreaterThanOrEqual(60);
  const innocent = "The EU puts anti-dumping duties on furniture from China.";
  const before = JSON.stringify(find(innocent));
  for (const injection of injections) {
    for (const { span, countries, entities } of find(injection)) {
      expect(span.to).toBeLessThanOrEqual(injection.length);
      expect(entities).toEqual([]);
      for (const code of countries) expect(["US", "LV", "CN", "DE"]).toContain(code);
    }
    expect(JSON.stringify(find(innocent))).toBe(before);
    // Text after an injection is processed as if the injection were absent.
    const after = find(`${injection}. ${innocent}`).filter(({ hs }) => hs.includes("94"));
    expect(after).toHaveLength(1);
  }
});

test("a text made to take long is read quickly", () => {
  for (const one of [
    "tariff ".repeat(9_000),
    `${"a".repeat(60_000)} tariff`,
    "((((".repeat(15_000),
    "export ".repeat(9_000),
  ])
    expect(find(one)).toEqual([]);
});
