/** How sixty labelled questions are read. They were written before they were measured, and the reader has learnt from none of them. */
import { expect, test } from "vitest";
import { intentFor } from "../../src/domain/fusion/intent-for.ts";
import { intents } from "../../src/domain/fusion/intents.ts";
import { readQuestion } from "../../src/domain/questions/read.ts";
import { ownNames } from "../../src/domain/trade/product-names.ts";
import blind from "./blind.json" with { type: "json" };

/** `hs` and `intent` list what is right; "?" is a name that nobody knows, and the intent "none" no question of trade. */
type Label = {
  kind: string;
  hs?: string[];
  country?: string;
  partner?: string;
  flow?: string;
  years?: string;
  intent?: string[];
};

const nomenclature = Object.entries(ownNames).map(([code, name]) => ({ code, name }));

function answered(text: string): string | undefined {
  try {
    return intentFor({ question: text, slots: {} }, intents, nomenclature, 2024).plan.name;
  } catch {
    return undefined;
  }
}

const readings = (blind as [string, Label][]).map(([text, label]) => {
  const { product, country, partner, flow, years, not_found } = readQuestion(text, { nomenclature });
  const intent = answered(text);
  const isUnknown = [label.hs?.[0], label.country, label.partner].includes("?");
  const isRefused = isUnknown || label.intent?.[0] === "none";
  const isSame = country === label.country && partner === label.partner;
  return {
    product: label.hs === undefined ? !product : isUnknown || label.hs.includes(product?.code ?? ""),
    country: isUnknown ? not_found.length > 0 : isSame || (!label.country && country === label.partner),
    direction: label.flow === undefined || flow === label.flow,
    years: years === label.years,
    intent: isRefused ? intent === undefined : intent !== undefined && label.intent!.includes(intent),
  };
});

test.each([
  ["product", 0.85],
  ["country", 0.95],
  ["direction", 0.9],
  ["years", 1],
  ["intent", 0.85],
] as const)("the %s is right in at least %d of the questions", (slot, least) => {
  const right = readings.filter((one) => one[slot]).length;
  expect(right / readings.length).toBeGreaterThanOrEqual(least);
});
