/**
 * The tables of docs/skills.md about the reader of questions: `npx tsx test/questions/confusion.ts` writes them.
 * `npx tsx test/questions/confusion.ts <file.jsonl> [<cn.csv>]` prints the table and the misses of another set, with the names of a nomenclature.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { Refusal } from "../../src/core/model/refusal.ts";
import { readCsv } from "../../src/datasets/reference/csv.ts";
import { intentFor } from "../../src/domain/fusion/intent-for.ts";
import { intents } from "../../src/domain/fusion/intents.ts";
import { type Nomenclature, readQuestion, type Understood } from "../../src/domain/questions/read.ts";
import { ownNames } from "../../src/domain/trade/product-names.ts";
import { flows } from "../../src/domain/trade/units.ts";

/** `hs` and `intent` list the right ones. "?" is a name that does not exist. */
const labelled = z.strictObject({
  text: z.string(),
  kind: z.string(),
  hs: z.array(z.string()).optional(),
  country: z.string().optional(),
  partner: z.string().optional(),
  flow: z.enum(flows).optional(),
  years: z.string().optional(),
  /** "none": no question that the service answers. "refused": the words have two meanings, and a refusal is right too. */
  intent: z.array(z.string()),
});
type LabelledQuestion = z.infer<typeof labelled>;

export const readSet = (path: string | URL): LabelledQuestion[] =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => labelled.parse(JSON.parse(line)));

const setIn = (file: string) => readSet(new URL(`./blind/${file}`, import.meta.url));

/** Each set was written before it was measured; the reader has learnt from each after its measurement. */
export const questionSets = {
  first: setIn("first.jsonl"),
  second: setIn("second.jsonl"),
  third: setIn("third.jsonl"),
  fourth: setIn("fourth.jsonl"),
  fifth: setIn("fifth.jsonl"),
  /** As programs and importers write. */
  sixth: setIn("sixth.jsonl"),
  seventh: setIn("seventh.jsonl"),
  /** The rest is by strangers to the reader. */
  eighth: setIn("eighth.jsonl"),
  ninth: setIn("ninth.jsonl"),
  tenth: setIn("tenth.jsonl"),
  eleventh: setIn("eleventh.jsonl"),
  twelfth: setIn("twelfth.jsonl"),
  /** By one who had read the reader. */
  thirteenth: setIn("thirteenth.jsonl"),
} as const;

export const ownNomenclature: Nomenclature = Object.entries(ownNames).map(([code, name]) => ({ code, name }));

export type QuestionReading = {
  question: LabelledQuestion;
  product: boolean;
  country: boolean;
  direction: boolean;
  years: boolean;
  intent: boolean;
  /** The answer is charged, and its product, country or direction is wrong, or it leaves the product out. */
  is_charged_wrongly: boolean;
  answer: string;
};

/** The last full year of the data. */
const LAST_YEAR = 2024;

/** The chosen intent, or the sentence of the refusal. */
function answerTo(
  text: string,
  nomenclature: Nomenclature,
): { intent?: string; read?: Understood | undefined; refusal?: string } {
  try {
    const { plan, understood } = intentFor({ question: text, slots: {} }, intents, nomenclature, LAST_YEAR);
    if (Number(understood?.years?.slice(0, 4)) > LAST_YEAR + 1)
      return { refusal: "no dataset covers the question" };
    return { intent: plan.name, read: understood };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refusal: error.errors?.[0]?.message ?? error.message };
  }
}

/**
 * A code is right if it is listed, or if several listed ones begin with it and are not named by one code. Without the names of subheadings
 * their heading is right, too.
 */
function isRightCode(
  listed: readonly string[],
  code: string | undefined,
  nomenclature: Nomenclature,
): boolean {
  if (code === undefined || code.length < 4) return listed.includes(code ?? "");
  const below = listed.filter(
    (one) => one.startsWith(code) && !listed.some((other) => other !== one && one.startsWith(other)),
  );
  return listed.includes(code) || below.length > (nomenclature === ownNomenclature ? 0 : 1);
}

export function readingOf(question: LabelledQuestion, nomenclature: Nomenclature): QuestionReading {
  const { intent, refusal, ...answer } = answerTo(question.text, nomenclature);
  const read = answer.read ?? readQuestion(question.text, { nomenclature });
  const isUnknown = [question.hs?.[0], question.country, question.partner].includes("?");
  const isUnanswerable = isUnknown || question.intent[0] === "none";
  const isSame = read.country === question.country && read.partner === question.partner;
  // Of two countries beyond the EU either may come first.
  const isSwapped = read.country === question.partner && read.partner === question.country;
  // The exports of a country beyond the EU to the 27 are their imports from it.
  const isMirrored =
    question.country === undefined &&
    read.partner === undefined &&
    read.country === question.partner &&
    read.flow !== undefined &&
    question.flow !== undefined &&
    read.flow !== question.flow;
  const slots = isUnanswerable
    ? { product: intent === undefined, country: intent === undefined, direction: true }
    : {
        product:
          question.hs === undefined
            ? !read.product
            : isRightCode(question.hs, read.product?.code, nomenclature),
        country: isSame || isMirrored || (isSwapped && question.flow === undefined),
        direction: isMirrored || question.flow === undefined || read.flow === question.flow,
      };
  const plan = intents.find(({ name }) => name === intent);
  const takesProduct = [...(plan?.slots.required ?? []), ...(plan?.slots.optional ?? [])].includes("hs");
  // An answer about no product is right, whatever product was read, where none was asked about.
  const isBeside = !isUnanswerable && question.hs === undefined && !takesProduct;
  const isLeftOut = question.hs !== undefined && !takesProduct;
  const isRightlyRefused = isUnanswerable || question.intent.includes("refused");
  return {
    question,
    ...slots,
    years: isUnanswerable || read.years === question.years,
    intent: intent === undefined ? isRightlyRefused : question.intent.includes(intent),
    is_charged_wrongly:
      intent !== undefined &&
      !((slots.product || isBeside) && slots.country && slots.direction && !isLeftOut),
    answer:
      refusal ??
      [intent, read.product?.code, read.country, read.partner, read.flow, read.years]
        .map((one) => one ?? "-")
        .join(" "),
  };
}

export const readingsOf = (set: readonly LabelledQuestion[], nomenclature: Nomenclature) =>
  set.map((question) => readingOf(question, nomenclature));

const row = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;

export const hasAllThree = ({ product, country, direction }: QuestionReading) =>
  product && country && direction;

/** How many are right of each slot, by kind. */
export function tableOf(readings: readonly QuestionReading[]): string {
  const kinds = [...new Set(readings.map(({ question }) => question.kind))];
  const cells = (of: readonly QuestionReading[], told: (count: number) => string | number) => [
    ...(["product", "country", "direction"] as const).map((slot) =>
      told(of.filter((one) => one[slot]).length),
    ),
    told(of.filter(hasAllThree).length),
    told(of.filter(({ intent }) => intent).length),
    of.filter(({ is_charged_wrongly }) => is_charged_wrongly).length,
  ];
  return [
    row([
      "kind",
      "questions",
      "product",
      "country and partner",
      "direction",
      "all three",
      "intent",
      "charged for something else",
    ]),
    row(["---", ...Array.from({ length: 7 }, () => "---:")]),
    ...kinds.map((kind) => {
      const of = readings.filter(({ question }) => question.kind === kind);
      return row([kind, of.length, ...cells(of, (count) => count)]);
    }),
    row([
      "all",
      readings.length,
      ...cells(readings, (count) => `${Math.round((100 * count) / readings.length)} %`),
    ]),
  ].join("\n");
}

const missLine = (one: QuestionReading) => {
  const wrong = (["product", "country", "direction", "years", "intent"] as const).filter(
    (slot) => !one[slot],
  );
  return `- ${one.is_charged_wrongly ? "CHARGED " : ""}${wrong.join(", ")}: “${one.question.text}” ${one.answer}`;
};

function namesIn(path: string): Nomenclature {
  const rows = readCsv({ name: path, text: readFileSync(path, "utf8") }, ["code", "description"]);
  return rows.map(({ cells }) => ({ code: cells.code!, name: cells.description! }));
}

/** The table of all sets together, as docs/skills.md has it: with the names that every installation has. */
export const confusionPage = (): string =>
  tableOf(readingsOf(Object.values(questionSets).flat(), ownNomenclature));

const [begin, end] = ["<!-- questions -->", "<!-- end of questions -->"];

function writePage(): void {
  const path = new URL("../../docs/skills.md", import.meta.url);
  const page = readFileSync(path, "utf8");
  const [before] = page.split(begin);
  const [, after] = page.split(end);
  writeFileSync(path, `${before}${begin}\n\n${confusionPage()}\n\n${end}${after}`);
}

const isMain = process.argv[1] === fileURLToPath(import.meta.url);
if (isMain) {
  const [set, names] = process.argv.slice(2);
  const nomenclature = names ? [...ownNomenclature, ...namesIn(names)] : ownNomenclature;
  if (set) {
    const readings = readingsOf(readSet(set), nomenclature);
    const isMiss = (one: QuestionReading) => !(hasAllThree(one) && one.years && one.intent);
    console.log([tableOf(readings), ...readings.filter(isMiss).map(missLine)].join("\n"));
  } else writePage();
}
