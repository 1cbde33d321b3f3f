/** The lexicon: the checks of its data files, and where its phrases match. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { lexicon, lexiconFiles } from "../../src/domain/compliance/lexicon.ts";
import { lexiconOf } from "../../src/domain/compliance/lexicon-file.ts";
import { matchesIn } from "../../src/domain/compliance/matching.ts";

const file = {
  ...{ field: "Tests", article: "Article 1", version: "lexicon/1" },
  concepts: {
    test: { phrases: ["test*", "exam"] },
    trial: { phrases: ["trial", { phrases_of: "test", except: ["exam"] }] },
  },
  rules: [
    { id: "one", level: "HIGH", provision: "Article 1", about: "tests", needs: ["trial"], unless: ["test"] },
  ],
};

describe("the lexicon", () => {
  test("reads each JSON file of its folder", () => {
    const folder = new URL("../../src/domain/compliance/lexicon/", import.meta.url);
    expect(Object.keys(lexiconFiles).sort()).toEqual(readdirSync(folder).sort());
  });

  test("has no concept that neither a rule nor the classifier uses", () => {
    const inRules: string[] = lexicon().rules.flatMap(({ needs, unless = [], hints = [] }) =>
      [needs, unless, hints].flat(),
    );
    const inClassifier = ["someone", "judge", "field", "narrow", "profiling", "house", "anybody"];
    const used = new Set([...inRules, ...inClassifier]);
    expect(Object.keys(lexicon().concepts).filter((name) => !used.has(name))).toEqual([]);
  });

  test("inserts the phrases of another list where a file includes it, without the excepted ones", () => {
    expect(lexiconOf({ file })).toMatchObject({
      version: "lexicon/1",
      concepts: { test: ["test*", "exam"], trial: ["trial", "test*"] },
    });
  });

  test.each([
    [
      "two versions",
      { file, other: { ...file, version: "lexicon/2", concepts: {}, rules: [] } },
      /lexicon\/2/,
    ],
    ["a concept in two files", { file, other: { ...file, rules: [] } }, /two files of the lexicon have test/],
    [
      "a star within a word",
      { file: { ...file, concepts: { test: { phrases: ["te*st"] } }, rules: [] } },
      /end a word/,
    ],
    ["an unknown key", { file: { ...file, words: [] } }, /file is not a file of the lexicon/],
    ["a rule over an unknown concept", { file: { ...file, concepts: {} } }, /rule one .* names trial/],
    [
      "an unknown list",
      { file: { ...file, concepts: { trial: file.concepts.trial } } },
      /includes test, unknown/,
    ],
    [
      "a circle of lists",
      { file: { ...file, concepts: { test: { phrases: [{ phrases_of: "test" }] } }, rules: [] } },
      /includes test, a circle/,
    ],
  ])("refuses %s", (_, files, message) => {
    expect(() => lexiconOf(files)).toThrow(message);
  });

  test.each([
    ["applicant", "a job-applicant's file", true],
    ["applicant", "a job, an ad or offers", false],
    ["emergency", "in the A&E ward", true],
    ["foresee", "whether a young person will", true],
    ["foresee", "whether one of so many young persons will", false],
    ["worker", "the employee's desk", true],
    ["steer", "the shutter", false],
  ])("a match of %s in “%s”: %s", (concept, text, is) => {
    expect(matchesIn(text.toLowerCase()).some((match) => match.concept === concept)).toBe(is);
  });
});
