/** In which class of the AI Act a described system falls: by a lexicon and rules over it, no model. The same text has the same answer. */
import { z } from "zod";
import { type Concept, type LexiconRule, lexiconRules } from "./lexicon.ts";
import { type Found, readDescription, type Sense, type Sentence } from "./reading.ts";
import type { Rules } from "./rule.ts";
import { dateOf } from "./rules.ts";

export const levels = ["PROHIBITED", "HIGH", "LIMITED", "MINIMAL", "UNDETERMINED"] as const;
export type Level = (typeof levels)[number];

/** Why: a rule, the words that it rests on, and whether they are said, denied or somebody else's. */
const reason = z.object({
  rule: z.string(),
  provision: z.string(),
  level: z.enum(["PROHIBITED", "HIGH", "LIMITED", "MINIMAL"]),
  about: z.string(),
  phrases: z.array(z.string()).describe("The words of the text that it rests on"),
  sense: z.enum(["affirmed", "denied", "quoted"]).describe("Only what is affirmed counts"),
  applies_from: z.iso.date().nullable(),
});
type Reason = z.infer<typeof reason>;

export const classified = z.object({
  risk_level: z.enum(levels).describe("UNDETERMINED: not enough is said, or not all was understood"),
  reasoning: z.array(reason),
  annex_iii_matches: z.array(z.string()),
  art_5: z.array(z.string()),
  art_50: z.array(z.string()),
  derogation: z
    .object({ may_apply: z.boolean(), phrases: z.array(z.string()), why: z.string() })
    .nullable()
    .describe("Article 6(3), of what is HIGH; never where it profiles"),
  questions: z.array(z.string()).describe("What would tell more"),
  applies_from: z.iso.date().nullable().describe("The first day on which what decides applies"),
});
export type Classified = z.infer<typeof classified>;

const QUESTIONS = {
  purpose: "What does the system decide, recommend or produce, and from which data?",
  whom: "Does what it produces concern natural persons, and what follows from it for them?",
  where:
    "In which field is it used: employment, education, credit, insurance, public services, law enforcement, migration, courts, elections, infrastructure?",
  contact: "Do people interact with it directly, or see content that it generates?",
  language: "Please describe it in English: a part of the text was not read.",
  denied: "The text says what the system does not do, or quotes others. What does it do?",
  derogation:
    "Does it only prepare, or perform a narrow procedural task, without profiling anybody (Article 6(3))?",
} as const;

/** Which level decides where several are found. */
const WEIGHT = { PROHIBITED: 3, HIGH: 2, LIMITED: 1, MINIMAL: 0 } as const;

export function classify(description: string, rules: Rules): Classified {
  const sentences = readDescription(description);
  const windows = sentences.map((_, at) => windowOf(sentences.slice(at, at + NEIGHBOURS)));
  const reasons = reasonsOf(windows, rules);
  const affirmed = reasons.filter(({ sense }) => sense === "affirmed");
  const heaviest = [...affirmed].sort((a, b) => WEIGHT[b.level] - WEIGHT[a.level])[0];
  const isUnread = sentences.some(({ isRead }) => !isRead);
  const isJudging = windows.some((window) => hasAll(window, ["someone", "judge"], "affirmed"));
  const isOfAField = isFieldNamed(sentences);
  const level = levelOf(heaviest?.level, { isUnread, isJudging, isOfAField, description });
  const at = (prefix: string) => [
    ...new Set(affirmed.filter(({ rule }) => rule.startsWith(prefix)).map(({ provision }) => provision)),
  ];
  const decisive = affirmed
    .filter((reason) => reason.level === level)
    .map(({ applies_from }) => applies_from);
  return {
    risk_level: level,
    reasoning: reasons,
    annex_iii_matches: at("annex-iii"),
    art_5: at("art-5-"),
    art_50: at("art-50"),
    derogation: level === "HIGH" ? derogationOf(windows) : null,
    questions: questionsOf(level, { isUnread, reasons }),
    // What applies first counts, where several do.
    applies_from: decisive.filter((day) => day !== null).sort()[0] ?? null,
  };
}

/** Whether a word of the Act's fields stands there; a house of one is none where things alone are told of. */
function isFieldNamed(sentences: readonly Sentence[]): boolean {
  const whole = windowOf(sentences);
  const isOfThings = isOfThingsAlone(whole, ["thing", "stuff"]);
  return sentences.some(({ found }) =>
    found.some(
      (one) => one.concept === "field" && one.sense !== "denied" && !(isOfThings && isInAHouse(one, found)),
    ),
  );
}

/** Things are told of, and no person but in the name of a house. */
const isOfThingsAlone = (window: Window, things: readonly Concept[] = ["thing"]): boolean =>
  things.some((concept) => of(window, concept, "affirmed")) && !isAnybodyNamed(window);

const isAnybodyNamed = ({ sentences }: Window): boolean =>
  sentences.some(({ found }) =>
    found.some((one) => one.concept === "anybody" && one.sense !== "denied" && !isInAHouse(one, found)),
  );

/** "Staff" in "staff canteen". */
const isInAHouse = ({ at }: Found, found: readonly Found[]): boolean =>
  found.some((house) => house.concept === "house" && at >= house.at && at < house.at + house.phrase.length);

/** Fewer letters say of no system what it does. */
const LEAST_LETTERS = 20;

/** What forbids to call a system harmless: a part that was not read, somebody who is judged, a word of the Act's fields. */
type Doubts = { isUnread: boolean; isJudging: boolean; isOfAField: boolean };

function levelOf(
  heaviest: LexiconRule["level"] | undefined,
  { isUnread, isJudging, isOfAField, description }: Doubts & { description: string },
): Level {
  if (heaviest === "PROHIBITED" || heaviest === "HIGH") return heaviest;
  // What was not read may be what matters, and so may a person that is judged in words that no rule has.
  if (heaviest === undefined || isUnread || (isJudging && isOfAField)) return "UNDETERMINED";
  if (heaviest === "LIMITED") return "LIMITED";
  const letters = description.match(/\p{L}/gu)?.length ?? 0;
  return isJudging || isOfAField || letters < LEAST_LETTERS ? "UNDETERMINED" : "MINIMAL";
}

/** An earlier edition does not know what a later one forbids. */
const isIn = (rules: Rules, { id }: LexiconRule) =>
  !id.startsWith("art-5-") || rules.art_5.includes(id.slice("art-5-".length));

type Window = { sentences: readonly Sentence[]; found: readonly Found[]; words: number };

/** So many sentences tell of one thing: what is done is often said in the next, and for whom in the one after it. */
const NEIGHBOURS = 3;

const windowOf = (sentences: readonly Sentence[]): Window => ({
  sentences,
  found: sentences.flatMap(({ found }) => found),
  words: sentences.reduce((words, { text }) => words + text.split(" ").length, 0),
});

const of = ({ found }: Window, concept: Concept, sense?: Sense) =>
  found.find((one) => one.concept === concept && (sense === undefined || one.sense === sense));

const hasAll = (window: Window, wanted: readonly Concept[], sense: Sense) =>
  wanted.every((concept) => of(window, concept, sense));

/** Words that begin alike are one. */
const STEM = 4;

/** Two different words of a concept, or fewer. */
function hintsOf({ found }: Window, concept: Concept, sense?: Sense): Found[] {
  const hints = found.filter(
    (one) => one.concept === concept && (sense === undefined || one.sense === sense),
  );
  const stems = new Map(hints.map((one) => [one.phrase.slice(0, STEM), one]));
  return [...stems.values()].slice(0, 2);
}

/** The words that a rule rests on in a window; undefined: not all are there. */
function groundsOf({ needs, hints }: LexiconRule, window: Window, sense?: Sense): Found[] | undefined {
  const needed = needs.flatMap((concept) => of(window, concept, sense) ?? []);
  const hinted = hints === undefined ? [] : hintsOf(window, hints, sense);
  return needed.length < needs.length || (hints !== undefined && hinted.length < 2)
    ? undefined
    : [...needed, ...hinted];
}

/** One for each rule; of rules with one name what is affirmed first. Those of the last resort count where nothing plainer is affirmed. */
function reasonsOf(windows: readonly Window[], rules: Rules): Reason[] {
  const found = (ofLastResort: boolean) => {
    const reasons = lexiconRules
      .filter((rule) => isIn(rules, rule) && (rule.isFallback ?? false) === ofLastResort)
      .flatMap((rule) => reasonOf(rule, windows, rules) ?? []);
    const named = new Map<string, Reason>();
    for (const reason of reasons)
      if (named.get(reason.rule)?.sense !== "affirmed") named.set(reason.rule, reason);
    return [...named.values()];
  };
  const plain = found(false);
  const isPlain = plain.some(({ level, sense }) => sense === "affirmed" && WEIGHT[level] >= WEIGHT.HIGH);
  return isPlain ? plain : [...plain, ...found(true)];
}

/** The first answer that there is. */
function firstOf<Item, Answer>(items: readonly Item[], answerOf: (item: Item) => Answer | undefined) {
  for (const item of items) {
    const answer = answerOf(item);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function reasonOf(rule: LexiconRule, windows: readonly Window[], rules: Rules): Reason | undefined {
  const { id, provision, level, about, unless = [], leastWords = 0, date } = rule;
  const isForbiddenIn = (window: Window) => unless.some((concept) => of(window, concept, "affirmed"));
  if (rule.isShy && windows.some(isForbiddenIn)) return undefined;
  const free = windows.filter(
    (window) =>
      window.words >= leastWords &&
      !isForbiddenIn(window) &&
      !(rule.isOfPersons && isOfThingsAlone(window)) &&
      !(rule.isOfThings && isAnybodyNamed(window)),
  );
  const said = firstOf(free, (window) => groundsOf(rule, window, "affirmed"));
  const phrases = said ?? firstOf(free, (window) => groundsOf(rule, window));
  if (!phrases) return undefined;
  const sense = said ? "affirmed" : phrases.some((one) => one.sense === "denied") ? "denied" : "quoted";
  return {
    ...{ rule: id, provision, level, about, sense },
    phrases: [...new Set(phrases.map(({ phrase }) => phrase))],
    applies_from: date === undefined ? null : dateOf(rules, date).applies_from,
  };
}

/** Article 6(3): a system of Annex III that does not weigh on decisions is not high-risk, but one that profiles always is. */
function derogationOf(windows: readonly Window[]): Classified["derogation"] {
  const narrow = windows.flatMap((window) => of(window, "narrow", "affirmed") ?? []);
  const profiling = windows.flatMap((window) => of(window, "profiling", "affirmed") ?? []);
  const phrases = [...new Set([...narrow, ...profiling].map(({ phrase }) => phrase))];
  if (narrow.length === 0)
    return {
      may_apply: false,
      phrases,
      why: "Nothing said points to a narrow, preparatory or improving task.",
    };
  return profiling.length > 0
    ? { may_apply: false, phrases, why: "It profiles natural persons, and then it is always high-risk." }
    : {
        may_apply: true,
        phrases,
        why: "The provider may document that it poses no significant risk, and registers it all the same (Articles 6(4) and 49(2)).",
      };
}

function questionsOf(
  level: Level,
  { isUnread, reasons }: { isUnread: boolean; reasons: readonly Reason[] },
): string[] {
  const isDenied = reasons.some(({ sense }) => sense !== "affirmed");
  return [
    ...(isUnread ? [QUESTIONS.language] : []),
    ...(isDenied ? [QUESTIONS.denied] : []),
    ...(level === "UNDETERMINED"
      ? [QUESTIONS.purpose, QUESTIONS.whom, QUESTIONS.where, QUESTIONS.contact]
      : []),
    ...(level === "HIGH" ? [QUESTIONS.derogation] : []),
  ];
}
