/** How the labelled questions of four sets are read. Each was written before it was measured. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { confusionPage, hasAllThree, ownNomenclature, questionSets, readingsOf } from "./confusion.ts";

const sets = Object.entries(questionSets).map(
  ([name, set]) => [name, readingsOf(set, ownNomenclature)] as const,
);

const share = (parts: readonly unknown[], all: readonly unknown[]) => parts.length / all.length;

test.each(sets)(
  "%s set: product, country and direction are each right in 84 percent, without a nomenclature",
  (_, all) => {
    for (const slot of ["product", "country", "direction"] as const)
      expect(
        share(
          all.filter((one) => one[slot]),
          all,
        ),
      ).toBeGreaterThanOrEqual(0.84);
    expect(share(all.filter(hasAllThree), all)).toBeGreaterThanOrEqual(0.8);
  },
);

test.each(sets)("%s set: years are right, and an intent is found for 85 percent", (_, all) => {
  expect(all.filter(({ years }) => !years)).toEqual([]);
  expect(
    share(
      all.filter(({ intent }) => intent),
      all,
    ),
  ).toBeGreaterThanOrEqual(0.85);
});

test.each(sets)("%s set: at most three percent would be charged for another question", (_, all) => {
  expect(
    share(
      all.filter((one) => one.is_charged_wrongly),
      all,
    ),
  ).toBeLessThanOrEqual(0.03);
});

test("docs/skills.md has the table that `npx tsx test/questions/confusion.ts` writes", () => {
  const page = readFileSync(new URL("../../docs/skills.md", import.meta.url), "utf8");
  expect(page).toContain(confusionPage());
});
