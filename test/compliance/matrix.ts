/** How the labelled descriptions are classified, as docs/compliance.md prints it: `npx tsx test/compliance/matrix.ts` writes the part anew. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { classify, type Level, levels } from "../../src/domain/compliance/classify.ts";
import { rulesOn } from "../../src/domain/compliance/rules.ts";
import type { Described } from "./described.ts";
import { later } from "./later.ts";
import { unseen } from "./unseen.ts";
import { third } from "./third.ts";

const rules = rulesOn("2026-11-20");

export type Miss = Described & { was: Level };

const judged = (described: readonly Described[]): Miss[] =>
  described.map((one) => ({ ...one, was: classify(one.text, rules).risk_level }));

export const missesOf = (described: readonly Described[]): Miss[] =>
  judged(described).filter(({ level, was }) => level !== was);

/** `<label> <answer>`: how many. */
export function matrixOf(described: readonly Described[]): Map<string, number> {
  const matrix = new Map<string, number>();
  for (const { level, was } of judged(described)) {
    const name = `${level} ${was}`;
    matrix.set(name, (matrix.get(name) ?? 0) + 1);
  }
  return matrix;
}

function tableOf(described: readonly Described[]): string {
  const matrix = matrixOf(described);
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [
    line(["label \\ answer", ...levels, "recall"]),
    line(["---", ...levels.map(() => "---:"), "---:"]),
    ...levels.map((level) => {
      const of = levels.map((was) => matrix.get(`${level} ${was}`) ?? 0);
      const all = of.reduce((sum, count) => sum + count, 0);
      return line([level, ...of, `${Math.round((100 * (matrix.get(`${level} ${level}`) ?? 0)) / all)} %`]);
    }),
    line([
      "precision",
      ...levels.map((was) => {
        const called = levels.reduce((sum, level) => sum + (matrix.get(`${level} ${was}`) ?? 0), 0);
        return called === 0 ? "none" : `${Math.round((100 * (matrix.get(`${was} ${was}`) ?? 0)) / called)} %`;
      }),
      "",
    ]),
  ].join("\n");
}

const named = ({ level, of, was, text }: Miss) =>
  `- ${level}${of ? ` (${of})` : ""} answered ${was}: “${text}”`;

export function matrixPage(): string {
  const misses = missesOf([...unseen, ...later]);
  return [
    "The 120 that were written before the lexicon:",
    tableOf(unseen),
    "The 120 that were written after it:",
    tableOf(later),
    `Of all 240, ${misses.length} are answered otherwise than labelled:`,
    misses.map(named).join("\n"),
    `The ${third.length} that were written blind, measured once, and that the lexicon was not tuned on:`,
    tableOf(third),
    `Of these, ${missesOf(third).length} are answered otherwise than labelled:`,
    missesOf(third).map(named).join("\n"),
  ].join("\n\n");
}

const PAGE = fileURLToPath(new URL("../../docs/compliance.md", import.meta.url));
const [BEGIN, END] = ["<!-- matrix -->", "<!-- end of matrix -->"];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(PAGE, "utf8");
  const [before = "", rest = ""] = page.split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${matrixPage()}\n\n${END}${rest.split(END)[1] ?? ""}`);
}
