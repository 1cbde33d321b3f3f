/**
 * The generated parts of docs/compliance.md: `npx tsx test/compliance/matrix.ts` writes them.
 * `npx tsx test/compliance/matrix.ts <file.jsonl>` prints the matrix and the misses of another set.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { canonicalText } from "../../eventstore/canonical.ts";
import { classify, type Level, levels } from "../../src/domain/compliance/classify.ts";
import { lexiconFacts } from "../../src/domain/compliance/lexicon.ts";
import { rulesOn } from "../../src/domain/compliance/rules.ts";
import { blindSets, type LabelledDescription, readSet } from "./blind-sets.ts";

const rules = rulesOn("2026-11-20");

export type AnsweredDescription = LabelledDescription & { answer: Level };

/** Each description is classified once: the page, its misses and its counts share the answers. */
const answers = new WeakMap<LabelledDescription, Level>();

const answerTo = (description: LabelledDescription): Level => {
  const answer = answers.get(description) ?? classify(description.text, rules).risk_level;
  answers.set(description, answer);
  return answer;
};

const answered = (set: readonly LabelledDescription[]): AnsweredDescription[] =>
  set.map((description) => ({ ...description, answer: answerTo(description) }));

export const missesOf = (set: readonly LabelledDescription[]): AnsweredDescription[] =>
  answered(set).filter(({ level, answer }) => level !== answer);

/** `of(label, answer)` counts the descriptions with this label and this answer. */
export function matrixOf(set: readonly LabelledDescription[]) {
  const all = answered(set);
  const of = (label: Level, answer: Level) =>
    all.filter((one) => one.level === label && one.answer === answer).length;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    of,
    labelled: (label: Level) => sum(levels.map((answer) => of(label, answer))),
    answered: (answer: Level) => sum(levels.map((label) => of(label, answer))),
  };
}

const row = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
const percent = (part: number, all: number) => (all === 0 ? "none" : `${Math.round((100 * part) / all)} %`);

function tableOf(set: readonly LabelledDescription[]): string {
  const { of, labelled, answered } = matrixOf(set);
  return [
    row(["label \\ answer", ...levels, "recall"]),
    row(["---", ...levels.map(() => "---:"), "---:"]),
    ...levels.map((label) =>
      row([label, ...levels.map((answer) => of(label, answer)), percent(of(label, label), labelled(label))]),
    ),
    row(["precision", ...levels.map((answer) => percent(of(answer, answer), answered(answer))), ""]),
  ].join("\n");
}

const missLine = ({ level, of, answer, text }: AnsweredDescription) =>
  `- ${level}${of ? ` (${of})` : ""} answered ${answer}: “${text}”`;

function sectionOf(title: string, set: readonly LabelledDescription[]): string[] {
  const misses = missesOf(set);
  const named = [`Answers that differ from the label: ${misses.length}.`, misses.map(missLine).join("\n")];
  return [title, tableOf(set), ...(misses.length === 0 ? [] : named)];
}

export const matrixPage = (): string =>
  [
    ...sectionOf(
      "The set written after `lexicon/5`, from which `lexicon/6` has learnt:",
      blindSets.afterLexicon5,
    ),
    ...sectionOf(
      "The set written after `lexicon/6`, from which nothing has learnt:",
      blindSets.afterLexicon6,
    ),
  ].join("\n\n");

export const lexiconPage = (): string =>
  [
    row(["file of `lexicon/7`", "provision", "phrases", "rules", "SHA-256"]),
    row(["---", "---", "---:", "---:", "---"]),
    ...lexiconFacts((value) => canonicalText(value as Parameters<typeof canonicalText>[0], "lexicon")).map(
      ({ name, article, phrases, rules, sha256 }) =>
        row([`\`${name}\``, article, phrases, rules, `\`${sha256}\``]),
    ),
  ].join("\n");

const PAGE = fileURLToPath(new URL("../../docs/compliance.md", import.meta.url));

function writePart(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const page = readFileSync(PAGE, "utf8");
  const [before = "", rest = ""] = page.split(begin);
  writeFileSync(PAGE, `${before}${begin}\n\n${text}\n\n${end}${rest.split(end)[1] ?? ""}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path] = process.argv.slice(2);
  if (path === undefined) {
    writePart("lexicon", lexiconPage());
    writePart("matrix", matrixPage());
  } else console.log(sectionOf(`${path}:`, readSet(path)).join("\n\n"));
}
