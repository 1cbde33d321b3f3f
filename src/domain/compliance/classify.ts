/** Classifies a described system under the AI Act with a lexicon and rules, without a model: the same text gets the same answer. */
import { z } from "zod";
import { type Concept, type LexiconRule, lexicon } from "./lexicon.ts";
import { type Mention, readDescription, type Sense, type Sentence } from "./reading.ts";
import type { Rules } from "./rule.ts";
import { dateOf } from "./rules.ts";

export const levels = ["PROHIBITED", "HIGH", "LIMITED", "MINIMAL", "UNDETERMINED"] as const;
export type Level = (typeof levels)[number];

/** A rule that matched, with its words and whether the text affirms, denies or quotes them. */
const reason = z.object({
  rule: z.string(),
  provision: z.string(),
  level: z.enum(["PROHIBITED", "HIGH", "LIMITED", "MINIMAL"]),
  about: z.string(),
  phrases: z.array(z.string()).describe("The matched words of the text"),
  sense: z.enum(["affirmed", "denied", "quoted"]).describe("Only affirmed words count"),
  applies_from: z.iso.date().nullable(),
});
type Reason = z.infer<typeof reason>;

export const classification = z.object({
  risk_level: z.enum(levels).describe("UNDETERMINED: the text says too little, or was not fully understood"),
  reasoning: z.array(reason),
  annex_iii_matches: z.array(z.string()),
  art_5: z.array(z.string()),
  art_50: z.array(z.string()),
  derogation: z
    .object({ may_apply: z.boolean(), phrases: z.array(z.string()), why: z.string() })
    .nullable()
    .describe("Article 6(3), for HIGH only; never for profiling"),
  questions: z.array(z.string()).describe("Questions whose answers would help to classify it"),
  applies_from: z.iso.date().nullable().describe("The first day on which a deciding rule applies"),
});
export type Classification = z.infer<typeof classification>;

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

/** The heaviest level decides. */
const WEIGHT = { PROHIBITED: 3, HIGH: 2, LIMITED: 1, MINIMAL: 0 } as const;

export function classify(description: string, rules: Rules): Classification {
  const sentences = readDescription(description);
  const windows = sentences.map((_, at) => windowOf(sentences.slice(at, at + NEIGHBOURS)));
  const reasons = reasonsOf(windows, rules);
  const affirmed = reasons.filter(({ sense }) => sense === "affirmed");
  const heaviest = [...affirmed].sort((a, b) => WEIGHT[b.level] - WEIGHT[a.level])[0];
  const isUnread = sentences.some(({ isRead }) => !isRead);
  const isJudging = windows.some((window) => hasAll(window, ["someone", "judge"], "affirmed"));
  const isOfAField = hasField(sentences);
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
    // The earliest of several dates counts.
    applies_from: decisive.filter((day) => day !== null).sort()[0] ?? null,
  };
}

/** A building of a field does not count where the text names things and no person. */
function hasField(sentences: readonly Sentence[]): boolean {
  const whole = windowOf(sentences);
  const isOfThings = hasOnlyThings(whole, ["thing", "stuff"]);
  return sentences.some(({ mentions }) =>
    mentions.some(
      (one) =>
        one.concept === "field" && one.sense !== "denied" && !(isOfThings && isInBuildingName(one, mentions)),
    ),
  );
}

/** The text names things, and no person except in the name of a building. */
const hasOnlyThings = (window: Window, things: readonly Concept[] = ["thing"]): boolean =>
  things.some((concept) => mentionOf(window, concept, "affirmed")) && !hasPerson(window);

const hasPerson = ({ sentences }: Window): boolean =>
  sentences.some(({ mentions }) =>
    mentions.some(
      (one) => one.concept === "anybody" && one.sense !== "denied" && !isInBuildingName(one, mentions),
    ),
  );

/** True for "staff" in "staff canteen". */
const isInBuildingName = ({ at }: Mention, mentions: readonly Mention[]): boolean =>
  mentions.some(
    (house) => house.concept === "house" && at >= house.at && at < house.at + house.phrase.length,
  );

/** A text with fewer letters is never MINIMAL. */
const LEAST_LETTERS = 16;

/** Each of these excludes MINIMAL. */
type Doubts = { isUnread: boolean; isJudging: boolean; isOfAField: boolean };

function levelOf(
  heaviest: LexiconRule["level"] | undefined,
  { isUnread, isJudging, isOfAField, description }: Doubts & { description: string },
): Level {
  if (heaviest === "PROHIBITED" || heaviest === "HIGH") return heaviest;
  // An unread part may matter, and so may a judgement of a person in words of no rule.
  if (heaviest === undefined || isUnread || (isJudging && isOfAField)) return "UNDETERMINED";
  if (heaviest === "LIMITED") return "LIMITED";
  const letters = description.match(/\p{L}/gu)?.length ?? 0;
  return isJudging || isOfAField || letters < LEAST_LETTERS ? "UNDETERMINED" : "MINIMAL";
}

/** An earlier edition lacks the prohibitions of a later one. */
const isInEdition = (rules: Rules, { id }: LexiconRule) =>
  !id.startsWith("art-5-") || rules.art_5.includes(id.slice("art-5-".length));

type Window = { sentences: readonly Sentence[]; mentions: readonly Mention[]; words: number };

/** A text often names the action in the next sentence, and the persons in the one after it. */
const NEIGHBOURS = 3;

const windowOf = (sentences: readonly Sentence[]): Window => ({
  sentences,
  mentions: sentences.flatMap(({ mentions }) => mentions),
  words: sentences.reduce((words, { text }) => words + text.split(" ").length, 0),
});

const mentionOf = ({ mentions }: Window, concept: Concept, sense?: Sense) =>
  mentions.find((one) => one.concept === concept && (sense === undefined || one.sense === sense));

const hasAll = (window: Window, concepts: readonly Concept[], sense: Sense) =>
  concepts.every((concept) => mentionOf(window, concept, sense));

/** Hints with the same first letters count as one. */
const STEM = 4;

/** At most two different hints of a concept. */
function hintsOf({ mentions }: Window, concept: Concept, sense?: Sense): Mention[] {
  const hints = mentions.filter(
    (one) => one.concept === concept && (sense === undefined || one.sense === sense),
  );
  const stems = new Map(hints.map((one) => [one.phrase.slice(0, STEM), one]));
  return [...stems.values()].slice(0, 2);
}

/** The words that satisfy a rule in a window; undefined: one is missing. */
function matchOf({ needs, hints }: LexiconRule, window: Window, sense?: Sense): Mention[] | undefined {
  const needed = needs.flatMap((concept) => mentionOf(window, concept, sense) ?? []);
  const hinted = hints === undefined ? [] : hintsOf(window, hints, sense);
  return needed.length < needs.length || (hints !== undefined && hinted.length < 2)
    ? undefined
    : [...needed, ...hinted];
}

/** One reason for each rule id, an affirmed one first. Fallback rules count only if no other HIGH or PROHIBITED rule is affirmed. */
function reasonsOf(windows: readonly Window[], rules: Rules): Reason[] {
  const reasonsOfRules = (isFallback: boolean) => {
    const reasons = lexicon()
      .rules.filter((rule) => isInEdition(rules, rule) && (rule.isFallback ?? false) === isFallback)
      .flatMap((rule) => reasonOf(rule, windows, rules) ?? []);
    const byRule = new Map<string, Reason>();
    for (const reason of reasons)
      if (byRule.get(reason.rule)?.sense !== "affirmed") byRule.set(reason.rule, reason);
    return [...byRule.values()];
  };
  const plain = reasonsOfRules(false);
  const isPlain = plain.some(({ level, sense }) => sense === "affirmed" && WEIGHT[level] >= WEIGHT.HIGH);
  return isPlain ? plain : [...plain, ...reasonsOfRules(true)];
}

/** The first answer that is not undefined. */
function firstOf<Item, Answer>(items: readonly Item[], answerOf: (item: Item) => Answer | undefined) {
  for (const item of items) {
    const answer = answerOf(item);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function reasonOf(rule: LexiconRule, windows: readonly Window[], rules: Rules): Reason | undefined {
  const { id, provision, level, about, unless = [], leastWords = 0, date } = rule;
  const isExcludedIn = (window: Window) => unless.some((concept) => mentionOf(window, concept, "affirmed"));
  if (rule.isShy && windows.some(isExcludedIn)) return undefined;
  const candidates = windows.filter(
    (window) =>
      window.words >= leastWords &&
      !isExcludedIn(window) &&
      !(rule.isOfPersons && hasOnlyThings(window)) &&
      !(rule.isOfThings && hasPerson(window)),
  );
  const affirmed = firstOf(candidates, (window) => matchOf(rule, window, "affirmed"));
  const match = affirmed ?? firstOf(candidates, (window) => matchOf(rule, window));
  if (!match) return undefined;
  const sense = affirmed ? "affirmed" : match.some((one) => one.sense === "denied") ? "denied" : "quoted";
  return {
    ...{ rule: id, provision, level, about, sense },
    phrases: [...new Set(match.map(({ phrase }) => phrase))],
    applies_from: date === undefined ? null : dateOf(rules, date).applies_from,
  };
}

/** Article 6(3): a system that does not materially influence decisions is not high-risk; one that profiles always is. */
function derogationOf(windows: readonly Window[]): Classification["derogation"] {
  const narrow = windows.flatMap((window) => mentionOf(window, "narrow", "affirmed") ?? []);
  const profiling = windows.flatMap((window) => mentionOf(window, "profiling", "affirmed") ?? []);
  const phrases = [...new Set([...narrow, ...profiling].map(({ phrase }) => phrase))];
  if (narrow.length === 0)
    return {
      may_apply: false,
      phrases,
      why: "No statement points to a narrow, preparatory or improving task.",
    };
  return profiling.length > 0
    ? { may_apply: false, phrases, why: "The system profiles natural persons, so it is always high-risk." }
    : {
        may_apply: true,
        phrases,
        why: "The provider may document that the system poses no significant risk, but must still register it (Articles 6(4) and 49(2)).",
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
