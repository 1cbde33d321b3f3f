/** The classifier: attacks on it, and the parts of its answer. */
import { describe, expect, test } from "vitest";
import { classify, levels } from "../../src/domain/compliance/classify.ts";
import { rulesOn } from "../../src/domain/compliance/rules.ts";
import { blindSets } from "./blind-sets.ts";

const rules = rulesOn("2026-11-20");
const levelOf = (text: string) => classify(text, rules).risk_level;

describe("a description that attacks the classifier", () => {
  test.each([
    ["a denial", "It does not rank job applicants and it never scores them.", "UNDETERMINED"],
    [
      "a denial beside another action",
      "It does not score loans, but it ranks job applicants for recruiters.",
      "HIGH",
    ],
    ["two denials", "It is not true that it does not rank job applicants by their CVs.", "HIGH"],
    ["not only", "It not only ranks job applicants but invites them, too.", "HIGH"],
    ["no human review", "Without human review it rejects job applicants by their CVs.", "HIGH"],
    ["a quotation", 'The phrase "ranks job applicants" is printed on mugs by our agent.', "UNDETERMINED"],
    [
      "quotation marks around its own action",
      'Our agent does "ranking" of "job applicants" all day for companies.',
      "HIGH",
    ],
    ["German", "Das System bewertet Bewerber und ist für die Personalabteilung.", "UNDETERMINED"],
    [
      "French after English",
      "A spam filter for e-mail. Il classe les candidats et les refuse pour le service.",
      "UNDETERMINED",
    ],
    ["Cyrillic after English", "A spam filter for e-mail. Оценивает кандидатов.", "UNDETERMINED"],
    ["a harmless use in few words", "A spam filter for e-mail", "MINIMAL"],
    ["letters of another script", "A spam filter which rаnks аpplicants behind the scenes.", "UNDETERMINED"],
    ["invisible letters", "It ra\u200bnks job appli\u00adcants by their CVs for recruiters.", "HIGH"],
    ["letters set apart", "A spam filter. It also r a n k s  a p p l i c a n t s all day.", "UNDETERMINED"],
    ["capitals", "RANKS JOB APPLICANTS BY THEIR CVS FOR RECRUITERS.", "HIGH"],
    [
      "a person judged in other words",
      "A spam filter which also evaluates folks by how they smile.",
      "UNDETERMINED",
    ],
    [
      "a list that is denied",
      "It plans rooms of a school; it does not grade, admit or watch pupils.",
      "UNDETERMINED",
    ],
    [
      "a denied list and an action",
      "It does not grade, admit or watch pupils, but it ranks job applicants.",
      "HIGH",
    ],
    ["unlike", "Unlike credit scoring, it only predicts hail damage to greenhouses.", "MINIMAL"],
    ["not a replacement", "It does not replace recruiters: it ranks the CVs of applicants.", "HIGH"],
    [
      "German with words of the field",
      "Das Programm sichtet Bewerbungen und sortiert Lebensläufe aus.",
      "HIGH",
    ],
    ["German that denies", "Das Programm sichtet keine Bewerbungen und bewertet nicht.", "UNDETERMINED"],
    [
      "a harmless use of persons in a field",
      "A spam filter which is used by the staff of a school.",
      "UNDETERMINED",
    ],
    [
      "a harmless word and people who are influenced",
      "A podcast whose sounds make people buy.",
      "UNDETERMINED",
    ],
    ["a quoted field", 'Translates articles such as "police use AI to predict crime".', "UNDETERMINED"],
    ["things of a building", "The police garage predicts when the tyres of its vans are worn.", "MINIMAL"],
    [
      "things of a building, and persons who are judged",
      "The police garage predicts when the tyres of its vans are worn, and which suspects lie.",
      "HIGH",
    ],
    [
      "things of a building, and persons near them",
      "The laundry of the hospital counts towels and watches its cleaners.",
      "UNDETERMINED",
    ],
    [
      "things of a building, and an action on persons",
      "The laundry's algorithm sets the pace and fires the slowest.",
      "UNDETERMINED",
    ],
    ["two separate denials", "It does not look at loans and takes no lending decision.", "UNDETERMINED"],
    ["no letters", "....................................", "UNDETERMINED"],
    ["words without a purpose", "An innovative solution for tomorrow's challenges.", "UNDETERMINED"],
  ])("with %s is classified by what it affirms", (_, text, level) => {
    expect(levelOf(text)).toBe(level);
  });

  test("of four thousand hostile characters is classified without a long wait", () => {
    for (const piece of [
      '"',
      "not ",
      "a",
      "job applicants ",
      "points for ",
      "(",
      "swap the ",
      "water treatment ",
    ]) {
      const text = piece.repeat(Math.ceil(4_000 / piece.length)).slice(0, 4_000);
      expect(levels).toContain(classify(text, rules).risk_level);
    }
  });
});

describe("an answer", () => {
  test("names the words, the rule and the date of application", () => {
    const answer = classify("Reads CVs and ranks job applicants.", rules);
    expect(answer).toMatchObject({
      risk_level: "HIGH",
      annex_iii_matches: ["Annex III, point 4(a)"],
      applies_from: "2027-12-02",
    });
    expect(answer.reasoning[0]!.phrases.join(" ")).toMatch(/cvs|job applicants/);
  });

  test("allows the derogation for a preparatory task, and never for profiling", () => {
    const of = (text: string) => classify(text, rules).derogation!.may_apply;
    expect(of("It only converts the CVs of job applicants from PDF for filtering by hand.")).toBe(true);
    expect(of("It only converts CVs and ranks job applicants by profile.")).toBe(false);
    expect(of("Reads CVs and rejects job applicants.")).toBe(false);
  });

  test("is the same for the same text", () => {
    for (const { text } of blindSets.afterLexicon6.slice(0, 40))
      expect(classify(text, rules)).toEqual(classify(text, rules));
  });
});
