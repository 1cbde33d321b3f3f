/**
 * docs/vectors/forged.json, from an independent reader's view: both verifiers give each case's verdicts, positions
 * included.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseNotedHead } from "../../eventstore/verify/noted-head.ts";
import { forgedText, type forgedVectors } from "./forged-vectors.ts";
import { first, red, second, textOfLines } from "./judges.ts";
import { readPack } from "./vectors.ts";

const text = readFileSync(new URL("../../docs/vectors/forged.json", import.meta.url), "utf8");
const { cases } = JSON.parse(text) as ReturnType<typeof forgedVectors>;

test("the published vectors equal the generated cases", () => {
  expect(text).toBe(forgedText());
});

test.each(cases)("forged: $name", async ({ pack, from, lines, put, options: { heads, ...held }, fails }) => {
  const bent = readPack(pack)
    .trimEnd()
    .split("\n")
    .toSpliced(from, lines, ...put);
  const options = { ...held, heads: heads?.map(parseNotedHead) };
  expect(red(await first(textOfLines(bent), options))).toEqual(fails);
  const { canonical: _, ...others } = fails;
  expect(red(await second(textOfLines(bent), options))).toEqual(others);
});
