/** How the events of labelled news are found. The items were written before the patterns were, and no pattern has learnt from them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventKinds } from "../../src/domain/ingest/event-patterns.ts";
import { extract } from "../../src/domain/ingest/extract.ts";

const labelled = z.strictObject({
  events: z.array(z.strictObject({ kind: z.enum(eventKinds), countries: z.array(z.string()) })),
  text: z.string(),
});
const items = readFileSync(new URL("./blind/news.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => labelled.parse(JSON.parse(line)));

const measured = ["tariff", "export_ban", "closure", "price"];
const label = ({ kind, countries }: { kind: string; countries: readonly string[] }) =>
  `${kind} of ${countries.toSorted().join(", ")}`;

test("tariffs, bans, closures and prices of 60 items: recall and precision are at least 90 percent, countries included", () => {
  const pairs = items.map(({ events, text }) => ({
    wanted: events.map(label),
    found: extract(text, { byFirst: new Map() }, 5)
      .filter(({ kind }) => measured.includes(kind))
      .map(label),
  }));
  const count = (all: readonly string[][]) => all.reduce((sum, { length }) => sum + length, 0);
  const right = count(pairs.map(({ wanted, found }) => found.filter((one) => wanted.includes(one))));
  expect(count(pairs.map(({ wanted }) => wanted))).toBe(37);
  expect(right / count(pairs.map(({ wanted }) => wanted))).toBeGreaterThanOrEqual(0.9);
  expect(right / count(pairs.map(({ found }) => found))).toBeGreaterThanOrEqual(0.9);
});

test.each([
  "Turkey denied that it had banned exports of wheat.",
  "The mill in Austria will not close, its owner promised.",
  "No duties will be imposed on steel from Canada.",
  "Hungary closed the deal to buy natural gas from Serbia.",
  "The mobile tariff of a carrier in Italy was raised.",
  "Exports of coffee from Brazil fell by ten percent.",
])("%s has no event", (text) => {
  expect(extract(text, { byFirst: new Map() }, 5)).toEqual([]);
});

test("an abbreviation ends no sentence", () => {
  const text = "The U.S. raised tariffs on steel from China. Peru is calm.";
  const [found] = extract(text, { byFirst: new Map() }, 5);
  expect(found).toMatchObject({ kind: "tariff", countries: ["US", "CN"] });
  expect(text.slice(found!.span.from, found!.span.to)).toBe("The U.S. raised tariffs on steel from China.");
});
