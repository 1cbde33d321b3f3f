/** How the labelled descriptions of the two blind sets are classified. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { classify } from "../../src/domain/compliance/classify.ts";
import { rulesOn } from "../../src/domain/compliance/rules.ts";
import { blindSets, exceptionSets } from "./blind-sets.ts";
import { lexiconPage, matrixOf, matrixPage, missesOf } from "./matrix.ts";

const levelOf = (text: string) => classify(text, rulesOn("2026-11-20")).risk_level;

const exceptions = Object.entries(exceptionSets);

test.each(exceptions)(
  "%s set of exceptions: 95 percent of the HIGH and of the PROHIBITED descriptions are found",
  (_, set) => {
    const { of, labelled } = matrixOf(set);
    expect(of("HIGH", "HIGH") / labelled("HIGH")).toBeGreaterThanOrEqual(0.95);
    expect(of("PROHIBITED", "PROHIBITED") / labelled("PROHIBITED")).toBeGreaterThanOrEqual(0.95);
    expect(of("PROHIBITED", "MINIMAL") + of("HIGH", "MINIMAL")).toBe(0);
  },
);

test.each(exceptions)(
  "%s set of exceptions: 95 percent of the descriptions called HIGH are labelled HIGH",
  (_, set) => {
    const { of, answered } = matrixOf(set);
    expect(of("HIGH", "HIGH") / answered("HIGH")).toBeGreaterThanOrEqual(0.95);
  },
);

describe("two blind sets of labelled descriptions", () => {
  const sets = Object.entries(blindSets);

  test("have 264 different texts", () => {
    expect(new Set(sets.flatMap(([, set]) => set.map(({ text }) => text))).size).toBe(264);
  });

  test.each(sets)(
    "%s: has 40 HIGH descriptions with every point of Annex III, and 24 PROHIBITED ones",
    (_, set) => {
      const high = set.filter(({ level }) => level === "HIGH");
      const points = high.map(({ of }) => /Annex III (\d)/.exec(of ?? "")?.[1]);
      expect(high).toHaveLength(40);
      expect([...new Set(points)].filter(Boolean).sort()).toEqual([..."12345678"]);
      expect(set.filter(({ level }) => level === "PROHIBITED")).toHaveLength(24);
    },
  );

  test.each(sets)(
    "%s: at least 95 percent of the HIGH and of the PROHIBITED descriptions are found",
    (_, set) => {
      const { of, labelled } = matrixOf(set);
      expect(of("HIGH", "HIGH") / labelled("HIGH")).toBeGreaterThanOrEqual(0.95);
      expect(of("PROHIBITED", "PROHIBITED") / labelled("PROHIBITED")).toBeGreaterThanOrEqual(0.95);
    },
  );

  test.each(sets)("%s: at least 85 percent of the descriptions called HIGH are labelled HIGH", (_, set) => {
    const { of, answered } = matrixOf(set);
    expect(of("HIGH", "HIGH") / answered("HIGH")).toBeGreaterThanOrEqual(0.85);
  });

  test("at most two other descriptions of the set that lexicon/6 has learnt from are called HIGH or PROHIBITED", () => {
    const { of } = matrixOf(blindSets.afterLexicon5);
    const others = (["LIMITED", "MINIMAL", "UNDETERMINED"] as const).map(
      (label) => of(label, "HIGH") + of(label, "PROHIBITED"),
    );
    expect(others.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(2);
  });

  test.each(sets)("%s: no HIGH or PROHIBITED description is called MINIMAL", (_, set) => {
    const grave = missesOf(set).filter(({ level }) => level === "HIGH" || level === "PROHIBITED");
    expect(grave.filter(({ answer }) => answer === "MINIMAL")).toEqual([]);
  });

  test.each(sets)("%s: every description that says too little is UNDETERMINED", (_, set) => {
    expect(missesOf(set).filter(({ level }) => level === "UNDETERMINED")).toEqual([]);
  });
});

test.each([
  "AI component for a water utility. It is integrated in the customer's environment via REST.",
  "Supplied to several police forces in Europe, our software modernises the daily work of officers.",
  "AI for education that supports schools on their digital journey.",
  "Something with cameras and faces, still in the concept phase. Details to follow from the supplier.",
])("a description that only names a field is UNDETERMINED: %s", (text) => {
  expect(levelOf(text)).toBe("UNDETERMINED");
});

test("docs/compliance.md has the matrix and the lexicon files that `npx tsx test/compliance/matrix.ts` writes", () => {
  const page = readFileSync(new URL("../../docs/compliance.md", import.meta.url), "utf8");
  expect(page).toContain(matrixPage());
  expect(page).toContain(lexiconPage());
});
