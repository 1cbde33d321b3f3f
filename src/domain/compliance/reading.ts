/** Reads a description: its sentences, and the concepts that each affirms, denies or quotes. */
import { type Concept, isForeign } from "./lexicon.ts";
import { matchesIn } from "./matching.ts";

export type Sense = "affirmed" | "denied" | "quoted";

/** A concept that a sentence mentions; `at`: the offset of its words in the sentence. */
export type Mention = { concept: Concept; phrase: string; at: number; sense: Sense };
export type Sentence = { text: string; mentions: readonly Mention[]; isRead: boolean };

/** A word with letters of two scripts imitates another word. */
const MIXED =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;

/** Common words of any English sentence. */
const ENGLISH = new Set(
  `a an the of to in for on with by from at as is are was be been being this that these those which who whom whose it its they them their our we
   your you his her and or but not no nor if when so than then there here what how where also only into over under about after before during
   between through without within each every all any some most other another more less does do did done can could may might will would should
   has have had makes made helps uses used using based whether because while both either such very own same`.split(
    /\s+/,
  ),
);

/** Common words of other languages. */
const FOREIGN = new Set(
  `der das und ein eine einen einem einer nicht mit für auf ist sind wird werden nach ihrem ihren von zu dem den oder
   le les des une et est dans pour qui sur avec par aux du il elle ils leur selon ce cette
   el los las una y es en para por con del su sus que se lo il gli una di che per con della dei delle nel
   het een van voor met niet zijn wordt o os uma com não em do da dos das ao para
   i w na z do nie jest się oraz lub że dla un ir kas par no uz ar tiek och att som för med inte är
   ja on ei että joka og til av ikke det som ett`.split(/\s+/),
);

const NEGATORS =
  /^(?:not|never|no|nor|neither|cannot|without|isn't|doesn't|don't|aren't|won't|can't|didn't|wasn't|nobody|none|refuses|excludes|excluding|except|unlike)$/;
/** In other languages a denial anywhere denies the whole sentence, since word order differs. */
const FOREIGN_NEGATORS =
  /(?<![\p{L}\p{N}])(?:nicht|kein|keine|keinen|keiner|keinem|nie|niemals|ohne|pas|jamais|aucun|aucune|sans|ne|non|nunca|jamás|sin|ningún|ninguna|niet|geen|nooit|zonder|mai|nessun|nessuna|senza|não|sem|inte|aldrig|utan|nav|bez)(?![\p{L}\p{N}])/u;

/** Phrases with a negator that deny nothing. */
const NO_DENIAL =
  /\b(?:(?:not|doesn't|don't|isn't)(?: an?)? replac\w+|(?:does|do|will) not (?:relent|rest|let up|let go|hang up)|not (?:only|just|merely|simply|least)|nothing (?:but|less)|whom not|who not|or not|(?:they|who|people|users|viewers|which viewers|listeners|customers|players|visitors) (?:do not|don't|does not|cannot|can't|could not) (?:\w+ )?(?:notice|register|perceive|reali[sz]e|hear|see|grasp|understand|read|resist|refuse|afford|bear|want|need|suspect)|(?:nobody|no one|no listener|no viewer) (?:hears?|sees?|notices?|perceives?)|no (?:doubt|exception|longer than|matter|fly|votes?|campaign)|(?:towards|for|voting|vote|or) no\b|no or yes|(?:no|without)(?: an?| any)? (?:human|humans|person|people|manual|operator|recruiter|teacher|judge|doctor|staff|one|intervention|oversight|supervision|review|delay|exception)\b|not (?:be )?(?:turned off|disabled)|without (?:any |a )?(?:criminal |police )?record)/g;
/** "Nothing on race" denies as "neither" does. Both words have seven letters, so offsets stay right. */
const NOTHING_ON = /\bnothing(?= (?:on|about|regarding|concerning)\b)/g;
/** "If he does not pay" is a condition and denies no action of the system. */
const CONDITION =
  /\b(?:whenever|if|when|as soon as) (?:the |a |an |she |he |they |it |somebody |someone )?(?:[\p{L}']+ )?(?:does not|do not|doesn't|don't|has not|have not) (?:pay|ask|buy|order|sign|play|give|agree|feed|reply|answer)\b/gu;
/** Sentences on open specifications, sales contacts and customers' praise describe no action. */
const NO_ACTION =
  /^(?:(?:the |its |their |all |further |more |any )*(?:scope|functions?|functionalit(?:y|ies)|use cases?|details?|requirements?|specifications?|tasks?|modules?|purposes?)\b[^.]{0,60}\b(?:(?:will|shall|is to|are to|must|have to|has to|to) be|(?:is|are) (?:still )?(?:being|not yet|yet to be|to be|open)|follows?|remains?)\b.{0,80}|what (?:exactly )?(?:it|the system|the software|the tool|this) (?:shall|should|will|is to|can|is supposed to) (?:do|decide|be able to do)\b.{0,30}\b(?:be|is|remains|depends)\b.{0,60}|(?:ask|call|contact|write to|talk to|speak to|phone) (?:us|our (?:sales|team|experts?|consultants?|people|staff|partners?)|(?:the|your) (?:sales|account)[\p{L} ]*)\b.{0,80}|(?:request|book|ask for|get|schedule) (?:a|your|our) (?:free )?(?:demo|quote|offer|trial|presentation)\b.{0,60}|(?:find out|learn|discover|read|hear|see) (?:more|how)\b(?: (?:at|on|about|from|in) .{0,60})?|discover the power of .{0,60}|(?:our |the |all )?(?:staff|guests|customers|users|everyone|everybody|people|families|kids|teachers) (?:simply |just )?(?:love|loves|like|likes|adore|adores)(?: it| them)?)\W*$/u;
/** A denial that follows the words it denies. */
const DENIED_AFTERWARDS =
  /^[\p{L}\p{N}' -]{3,40}\b(?:(?:do not|does not|don't|doesn't) (?:take part|have access)|(?:are|is) not (?:in it|included|stored|recorded|kept|used|involved)|(?:aren't|isn't) (?:in it|included|stored|recorded|kept|used|involved)|plays? no (?:part|role)|ha(?:s|ve) no (?:access|part)|never suffices?|(?:is|are) (?:irrelevant|not (?:needed|looked at))|(?:does|do) not (?:matter|count))\b/u;
/** A negator of an action denies the next nine words; one that states a lack denies three. */
const REACH = 9;
const REACH_OF_A_LACK = 3;
/** "It does not grade, admit or watch" denies its whole list. A new subject ends the list. */
const DENIED_LIST =
  /\b(?:not|never|no|nor|neither|cannot|without|isn't|doesn't|don't|aren't|won't|can't)\b(?:(?!\b(?:it|we|they|he|she|which|who|that|but)\b)[\p{L}\p{N}' -]){1,50}(?:,(?:(?!\b(?:it|we|they|he|she|which|who|that|but)\b)[\p{L}\p{N}' -]){1,40}){1,6},? (?:or|nor)\b/gu;
/** Only so many characters before a concept are searched for a denial, to bound the time. */
const FARTHEST = 600;
const LACKS = new Set(["no", "without", "none"]);
/** Words that the reach does not count, as in "no data about customers or staff". */
const BETWEEN = new Set(["data", "about", "on", "of", "or", "and", "any", "the", "personal"]);

/** Introduces words of somebody else. */
const MENTION =
  /\b(?:called|named|titled|title|headline|headlines|article|articles|text|texts|phrase|phrases|word|words|sentence|sentences|example|e\.g|translates?|quotes?|saying|says|like|labell?ed|such as|story|stories|report|reports|documents?|books?)\W*(?:\w+\W+){0,3}$/;

const LETTERS = /[\p{L}\p{N}'’-]+/gu;

/** Normalizes a text: one form of each character, no invisible ones, plain quotation marks, lower case. */
const plainText = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[‘’ʼ`´]/g, "'")
    .replaceAll(/[“”„«»‹›]/g, '"')
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase();

export function readDescription(text: string): Sentence[] {
  return text
    .replaceAll(/\r?\n+/g, ". ")
    .split(/(?<=[.!?;…])(?=["'”»)]?\s)/)
    .map((part) => plainText(part))
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .map((sentence) => ({ text: sentence, mentions: mentionsIn(sentence), isRead: isEnglish(sentence) }));
}

/** False for other languages, for letters of several scripts in one word, and for letters set apart. */
function isEnglish(sentence: string): boolean {
  if (MIXED.test(sentence)) return false;
  const words = sentence.match(LETTERS) ?? [];
  const other = words.filter(
    (word) => /\p{L}/u.test(word) && !/^[\p{Script=Latin}\p{M}\p{N}'’-]+$/u.test(word),
  );
  if (other.length > 0) return false;
  // Letters set apart hide the word that they spell.
  if (words.filter((word) => /^\p{L}$/u.test(word)).length > Math.max(3, words.length / 2)) return false;
  const english = words.filter((word) => ENGLISH.has(word)).length;
  const foreign = words.filter((word) => FOREIGN.has(word) && !ENGLISH.has(word)).length;
  return foreign < 2 || english > foreign * 2;
}

function mentionsIn(sentence: string): Mention[] {
  if (NO_ACTION.test(sentence)) return [];
  const quotes = quotedSpans(sentence);
  const denials = denialsIn(sentence);
  const isDeniedInForeignWords = FOREIGN_NEGATORS.test(sentence);
  return matchesIn(sentence).map(({ concept, at, end }): Mention => {
    const isQuoted = quotes.some(([from, to]) => at >= from && at < to);
    const isDenied = isForeign(concept)
      ? isDeniedInForeignWords
      : denials(at) || DENIED_AFTERWARDS.test(sentence.slice(at));
    const sense = isQuoted ? "quoted" : isDenied ? "denied" : "affirmed";
    return { concept, phrase: sentence.slice(at, end), at, sense };
  });
}

/** Introduces a term that a system searches for or counts. */
const TERM =
  /\b(?:terms?|phrases?|words?|keywords?|expressions?|search strings?|strings?|mentions?|mentioning|mentioned|headings?|titled|headlines?|definitions? of)\W*(?:\w+\W+){0,3}$/;
const IN_MARKS = /"([^"]{2,400})"|(?<![\p{L}\p{N}])'([^']{2,60})'(?![\p{L}\p{N}])/gu;

/** Marked text counts as a quotation only after such an introduction, or in a list after one. */
function quotedSpans(sentence: string): [from: number, to: number][] {
  const spans: [from: number, to: number][] = [];
  for (const { 0: whole, index } of sentence.matchAll(IN_MARKS)) {
    const last = spans.at(-1);
    const isNextOfList = last !== undefined && /^(?:,| |and|or|\/)*$/.test(sentence.slice(last[1], index));
    const introduces = whole.startsWith("'") ? TERM : MENTION;
    const before = sentence.slice(0, index);
    if (isNextOfList || introduces.test(before) || TERM.test(before))
      spans.push([index, index + whole.length]);
  }
  return spans;
}

/** Returns a predicate: an odd number of denials within reach, earlier in the clause, denies the words at an offset. */
function denialsIn(sentence: string): (at: number) => boolean {
  const shown = sentence
    .replaceAll(NO_DENIAL, (phrase) => "_".repeat(phrase.length))
    .replaceAll(CONDITION, (phrase) => "_".repeat(phrase.length))
    .replaceAll(NOTHING_ON, "neither")
    .replaceAll(DENIED_LIST, (list) => list.replaceAll(",", " "));
  // Many concepts share an offset.
  const cached = new Map<number, boolean>();
  return (at) => {
    const isDenied = cached.get(at) ?? isDeniedAfter(shown.slice(Math.max(0, at - FARTHEST), at));
    cached.set(at, isDenied);
    return isDenied;
  };
}

function isDeniedAfter(before: string): boolean {
  const clause = before
    .split(/[,:;()–—]|\b(?:but|however|instead|rather|and then|whereas|although)\b/)
    .at(-1)!;
  const words = (lastDenied(clause).match(LETTERS) ?? []).map((word) => word.replaceAll(/^'+|'+$/g, ""));
  let [distance, denials] = [0, 0];
  for (let index = words.length - 1; index >= 0; index--) {
    const word = words[index]!;
    if (!BETWEEN.has(word)) distance++;
    if (distance > Math.max(REACH, REACH_OF_A_LACK)) break;
    if (NEGATORS.test(word) && distance <= (LACKS.has(word) ? REACH_OF_A_LACK : REACH)) denials++;
  }
  return denials % 2 === 1;
}

/** "Does not look and takes no decision" has two separate denials, which do not cancel out. */
const lastDenied = (clause: string): string => {
  const last = clause.split(/\b(?=(?:and|or|nor)\b)/).at(-1)!;
  return (last.match(LETTERS) ?? []).some((word) => NEGATORS.test(word)) ? last : clause;
};
