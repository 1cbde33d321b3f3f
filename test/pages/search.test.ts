/** Thirty questions typed into the search of the documentation: a right page is among the first three for 28. */
import { expect, test } from "vitest";
import { catalogueOf } from "../../src/api/declare/catalogue.ts";
import { documentationEntries } from "../../src/api/describe/pages/docs.ts";
import { areas } from "../../src/areas/index.ts";
import { entryFinder } from "../../src/explorer/entries.ts";

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

test("a right page is among the first three for at least 28 of 30 questions", async () => {
  const find = entryFinder(await documentationEntries(catalogueOf(areas)));
  const missed = QUESTIONS.flatMap(([words, ...right]) => {
    const first = find(words)
      .slice(0, 3)
      .map(({ path }) => path.slice("/docs/".length));
    return first.some((path) => right.some((one) => path.includes(one))) ? [] : [{ words, first }];
  });
  expect(missed.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(2);
});
