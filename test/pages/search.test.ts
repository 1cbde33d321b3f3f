/** Questions typed into the search of the documentation: a right page is among the first three for 28 of 30. */
import { beforeAll, expect, test } from "vitest";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { documentationEntries } from "../../src/api/describe/pages/docs.ts";
import { areas } from "../../src/areas/index.ts";
import { entryFinder } from "../../src/explorer/entries.ts";
import { excerptOf } from "../../src/explorer/excerpt.ts";
import strangers from "./questions.json" with { type: "json" };

const QUESTIONS: [words: string, ...right: string[]][] = [
  ["seasonality of wood", "trade_seasonality", "customs_seasonal"],
  ["seasonalty", "trade_seasonality", "customs_seasonal"],
  ["steel imports", "trade_", "customs_"],
  ["how do I pay", "agent-builder#pay", "payments", "orders_pay", "clients#paying"],
  ["refund", "payments", "refund"],
  ["verify an export", "auditor", "trust", "event-log", "command-line#verify"],
  ["random number", "rng"],
  ["roll dice", "rng_roll", "lounge_dice"],
  ["install", "quickstart", "clients", "operating"],
  ["backup and restore", "operating", "command-line#backup", "command-line#restore"],
  ["change the signing key", "operating#changing-a-key", "settings#signing_key"],
  ["webhook signature", "alerts"],
  ["sanctions screening", "screening", "compliance_screen"],
  ["trust score formula", "trust-score"],
  ["register an agent", "identity", "soul_register"],
  ["delegate to another agent", "identity", "personal-data", "delegat"],
  ["mcp in claude", "clients"],
  ["python client", "clients", "cookbook"],
  ["csv", "forms"],
  ["parquet download", "forms", "analyst", "trade_snapshot"],
  ["import duty", "customs_tariff_lookup"],
  ["exchange rate", "datasets", "rate"],
  ["erase personal data", "personal-data", "command-line#subjects-erase", "command-line#shop-erase"],
  ["run a worker", "worker", "compute", "command-line#work"],
  ["bounty escrow", "market", "bount"],
  ["merkle root", "event-log", "anchoring"],
  ["witnes", "anchoring", "command-line#witness"],
  ["wood pellets price", "commerce", "prices_", "customs_", "fuel_", "trade_price"],
  ["rate limits", "operations", "payments", "clients", "operating", "settings"],
  ["DATABASE_URL", "settings#database_url"],
];

let find: ReturnType<typeof entryFinder>["find"];
let matcher: ReturnType<typeof entryFinder>["matcher"];
beforeAll(async () => {
  ({ find, matcher } = entryFinder(await documentationEntries(catalogueOf(areas))));
});

/** The three first results of each question that are all wrong. */
const missed = (questions: readonly (readonly [string, (path: string) => boolean])[]) =>
  questions.flatMap(([words, isRight]) => {
    const first = find(words)
      .slice(0, 3)
      .map(({ path }) => path);
    return first.some(isRight) ? [] : [{ words, first }];
  });

test("a right page is among the first three for at least 28 of 30 questions", () => {
  const found = missed(
    QUESTIONS.map(([words, ...right]) => [words, (path) => right.some((one) => path.includes(one))]),
  );
  expect(found.length, JSON.stringify(found, null, 1)).toBeLessThanOrEqual(2);
});

/** Written without a look at the index: the first set before the search knew related words, the second held out. */
test.each(Object.entries(strangers) as [string, [string, string[]][]][])(
  "a right page is among the first three for the %s set of a stranger's questions",
  (_set, questions) => {
    expect(questions.length).toBe(30);
    const found = missed(
      questions.map(([words, right]) => [words, (path) => right.includes(path.replace(/#.*/, ""))]),
    );
    expect(found.length, JSON.stringify(found, null, 1)).toBeLessThanOrEqual(2);
  },
);

test.each([
  ["seasonality of wood", 2, "/docs/operations/trade_seasonality"],
  ["rate limits", 1, "/docs/payments#rate-limits"],
  ["sandbox key", 3, "/docs/quickstart#4-ask-with-the-sandbox-key"],
  ["how do I pay", 1, "/docs/payments#paying-per-call"],
  ["how do I pay", 6, "/docs/cookbook#pay-for-a-call"],
  ["top buyers of latvian wood", 1, "/docs/operations/trade_wood_products"],
] as const)("the words %j find among the first %d %s", (words, most, path) => {
  const first = find(words).map((entry) => entry.path);
  expect(first.slice(0, most), JSON.stringify(first.slice(0, 8), null, 1)).toContain(path);
});

test("a place that has one common word of several is not found", () => {
  expect(find("top buyers of latvian wood").length).toBeLessThan(40);
});

test("an excerpt is a sentence with the words, and begins and ends between words", () => {
  const isMatch = matcher("rate limits");
  const text =
    "It is `free`. Each address has a rate limit for calls, and other words follow here. The end is not shown.";
  expect(excerptOf(text, isMatch)).toBe(
    "… Each address has a rate limit for calls, and other words follow here. The end is not shown.",
  );
  const long = `${"one two ".repeat(40)}a rate limit is here ${"three four ".repeat(40)}`;
  expect(excerptOf(long, isMatch)).toMatch(/^… (one|two) .* a rate limit is here .* (three|four) …$/);
});

test("the first five results are of different pages", () => {
  const pages = find("verify an export").map(({ path }) => path.replace(/#.*/, ""));
  expect(new Set(pages.slice(0, 5)).size).toBe(5);
});
