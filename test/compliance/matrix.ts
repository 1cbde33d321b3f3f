/**
 * How the labelled descriptions are classified, as docs/compliance.md prints it: `npx tsx test/compliance/matrix.ts` writes the part anew.
 * `npx tsx test/compliance/matrix.ts test/compliance/<set>.ts` prints the matrix and the misses of another set.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { classify, type Level, levels } from "../../src/domain/compliance/classify.ts";
import { rulesOn } from "../../src/domain/compliance/rules.ts";
import type { Described } from "./described.ts";
import { fifth } from "./fifth.ts";
import { fourth } from "./fourth.ts";
import { later } from "./later.ts";
import { type Rehearsal, rehearsals } from "./rehearsals.ts";
import { seventh } from "./seventh.ts";
import { sixth } from "./sixth.ts";
import { third } from "./third.ts";
import { unseen } from "./unseen.ts";

const rules = rulesOn("2026-11-20");

export type Miss = Described & { was: Level };

/** By the description: the page, its misses and its counts are all of the same answers. */
const answers = new WeakMap<Described, Level>();

const answerTo = (one: Described): Level => {
  const was = answers.get(one) ?? classify(one.text, rules).risk_level;
  answers.set(one, was);
  return was;
};

const judged = (described: readonly Described[]): Miss[] =>
  described.map((one) => ({ ...one, was: answerTo(one) }));

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

const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
const share = (part: number, all: number) => (all === 0 ? "none" : `${Math.round((100 * part) / all)} %`);

function tableOf(described: readonly Described[]): string {
  const matrix = matrixOf(described);
  const of = (level: Level, was: Level) => matrix.get(`${level} ${was}`) ?? 0;
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  return [
    line(["label \\ answer", ...levels, "recall"]),
    line(["---", ...levels.map(() => "---:"), "---:"]),
    ...levels.map((level) => {
      const row = levels.map((was) => of(level, was));
      return line([level, ...row, share(of(level, level), sum(row))]);
    }),
    line([
      "precision",
      ...levels.map((was) => share(of(was, was), sum(levels.map((level) => of(level, was))))),
      "",
    ]),
  ].join("\n");
}

const named = ({ level, of, was, text }: Miss) =>
  `- ${level}${of ? ` (${of})` : ""} answered ${was}: “${text}”`;

function part(title: string, described: readonly Described[]): string[] {
  const misses = missesOf(described);
  return [
    title,
    tableOf(described),
    ...(misses.length === 0
      ? []
      : [
          `Of these ${described.length}, ${misses.length} are answered otherwise than labelled:`,
          misses.map(named).join("\n"),
        ]),
  ];
}

/** Of its HIGH ones called HIGH, of its PROHIBITED ones called PROHIBITED, of all others called either. */
export function grasped(described: readonly Described[]): [number, number, number] {
  const count = (is: (one: Miss) => boolean) => judged(described).filter(is).length;
  const isGrave = (level: Level) => level === "HIGH" || level === "PROHIBITED";
  return [
    count(({ level, was }) => level === "HIGH" && was === "HIGH"),
    count(({ level, was }) => level === "PROHIBITED" && was === "PROHIBITED"),
    count(({ level, was }) => !isGrave(level) && isGrave(was)),
  ];
}

function rehearsalLine({ name, set, atFirst }: Rehearsal): string {
  const count = (level: string) => set.filter((one) => one.level === level).length;
  const [high, prohibited] = [count("HIGH"), count("PROHIBITED")];
  const all = [high, prohibited, set.length - high - prohibited];
  const shown = (found: number[]) => found.map((one, at) => (all[at] === 0 ? "" : `${one} of ${all[at]}`));
  return line([name, ...shown(atFirst), ...shown(grasped(set))]);
}

export const matrixPage = (): string =>
  [
    ...part("The 120 that were written before the lexicon:", unseen),
    ...part("The 120 that were written after `lexicon/1`:", later),
    ...part("The 80 that were written blind after `lexicon/2`, from which `lexicon/3` has learnt:", third),
    ...part("The 120 that were written blind after `lexicon/3`, from which `lexicon/4` has learnt:", fourth),
    ...part("The 120 that were written blind after `lexicon/4`, from which `lexicon/5` has learnt:", fifth),
    ...part("The 132 that were written blind after `lexicon/5`, from which `lexicon/6` has learnt:", sixth),
    ...part("The 132 that were written blind after `lexicon/6`, from which nothing has learnt:", seventh),
    "The rehearsals, at first sight and now: HIGH called HIGH, PROHIBITED called PROHIBITED, and others called one of the two:",
    [
      line([
        "rehearsal",
        "HIGH, first",
        "PROHIBITED, first",
        "others, first",
        "HIGH",
        "PROHIBITED",
        "others",
      ]),
      line(["---", "---:", "---:", "---:", "---:", "---:", "---:"]),
      ...rehearsals.map(rehearsalLine),
    ].join("\n"),
  ].join("\n\n");

const PAGE = fileURLToPath(new URL("../../docs/compliance.md", import.meta.url));
const [BEGIN, END] = ["<!-- matrix -->", "<!-- end of matrix -->"];

function writePage(): void {
  const page = readFileSync(PAGE, "utf8");
  const [before = "", rest = ""] = page.split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${matrixPage()}\n\n${END}${rest.split(END)[1] ?? ""}`);
}

async function printSet(path: string): Promise<void> {
  const sets: Record<string, readonly Described[]> = await import(pathToFileURL(resolve(path)).href);
  for (const [name, described] of Object.entries(sets)) console.log(part(`${name}:`, described).join("\n\n"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path] = process.argv.slice(2);
  if (path === undefined) writePage();
  else await printSet(path);
}
