/**
 * Descriptions with the class that their author gave them. Each author had seen neither the lexicon, nor another set, nor an answer of the
 * classifier. Each set was measured once with the lexicon of its name; `lexicon/6` has learnt from the first set, and nothing from the second.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { levels } from "../../src/domain/compliance/classify.ts";

const labelled = z.strictObject({
  level: z.enum(levels),
  /** A point of Annex III or of Article 5(1), or a paragraph of Article 50. */
  of: z.string().optional(),
  text: z.string(),
});
export type LabelledDescription = z.infer<typeof labelled>;

/** Reads a file of JSON lines, one description a line. */
export const readSet = (path: string | URL): LabelledDescription[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => labelled.parse(JSON.parse(line)));

const setIn = (file: string) => readSet(new URL(`./blind/${file}`, import.meta.url));

export const blindSets = {
  afterLexicon5: setIn("after-lexicon-5.jsonl"),
  afterLexicon6: setIn("after-lexicon-6.jsonl"),
} as const;

/** Exceptions of Annex III, and words with two meanings, beside HIGH and PROHIBITED descriptions; `lexicon/7` has learnt from each. */
export const exceptionSets = {
  afterLexicon6: setIn("exceptions.jsonl"),
  second: setIn("exceptions-2.jsonl"),
  third: setIn("exceptions-3.jsonl"),
  fourth: setIn("exceptions-4.jsonl"),
  fifth: setIn("exceptions-5.jsonl"),
} as const;
