/** Classes of described systems: labelled descriptions, attacks, and dates of the rules. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { classify, levels } from "../../src/domain/compliance/classify.ts";
import { article5Concepts } from "../../src/domain/compliance/lexicon/article-5.ts";
import { article5Elements } from "../../src/domain/compliance/lexicon/article-5-elements.ts";
import { biometricConcepts } from "../../src/domain/compliance/lexicon/biometrics.ts";
import { educationConcepts } from "../../src/domain/compliance/lexicon/education.ts";
import { employmentConcepts } from "../../src/domain/compliance/lexicon/employment.ts";
import { generalConcepts } from "../../src/domain/compliance/lexicon/general.ts";
import { infrastructureConcepts } from "../../src/domain/compliance/lexicon/infrastructure.ts";
import { justiceConcepts } from "../../src/domain/compliance/lexicon/justice.ts";
import { languageConcepts } from "../../src/domain/compliance/lexicon/languages.ts";
import { lawEnforcementConcepts } from "../../src/domain/compliance/lexicon/law-enforcement.ts";
import { migrationConcepts } from "../../src/domain/compliance/lexicon/migration.ts";
import { serviceConcepts } from "../../src/domain/compliance/lexicon/services.ts";
import { thingConcepts } from "../../src/domain/compliance/lexicon/things.ts";
import { transparencyConcepts } from "../../src/domain/compliance/lexicon/transparency.ts";
import { type Concept, concepts, lexiconRules } from "../../src/domain/compliance/lexicon.ts";
import { matchesIn } from "../../src/domain/compliance/matching.ts";
import { rulesOn } from "../../src/domain/compliance/rules.ts";
import type { Described } from "./described.ts";
import { fifth } from "./fifth.ts";
import { fourth } from "./fourth.ts";
import { later } from "./later.ts";
import { grasped, matrixOf, matrixPage, missesOf } from "./matrix.ts";
import { rehearsals } from "./rehearsals.ts";
import { seventh } from "./seventh.ts";
import { sixth } from "./sixth.ts";
import { third } from "./third.ts";
import { unseen } from "./unseen.ts";

const rules = rulesOn("2026-11-20");
const levelOf = (text: string, day = "2026-11-20") => classify(text, rulesOn(day)).risk_level;
const all: readonly Described[] = [...unseen, ...later];

describe("240 labelled descriptions", () => {
  test("are half and half, fourteen for each point of Annex III", () => {
    expect([unseen.length, later.length]).toEqual([120, 120]);
    for (let point = 1; point <= 8; point++)
      expect(all.filter(({ level, of }) => level === "HIGH" && of === String(point))).toHaveLength(14);
    expect(new Set(all.map(({ text }) => text)).size).toBe(240);
  });

  test("are classified as docs/compliance.md prints it, its misses named", () => {
    const page = readFileSync(new URL("../../docs/compliance.md", import.meta.url), "utf8");
    expect(page).toContain(matrixPage());
  });

  test("high-risk ones are found, others seldom taken for one, and no prohibited one passes", () => {
    const of = (level: string, was: string) => matrixOf(all).get(`${level} ${was}`) ?? 0;
    const count = (level: string) => all.filter((one) => one.level === level).length;
    const called = levels.reduce((sum, level) => sum + of(level, "HIGH"), 0);
    expect(of("HIGH", "HIGH") / count("HIGH")).toBeGreaterThanOrEqual(0.95);
    expect(of("HIGH", "HIGH") / called).toBeGreaterThanOrEqual(0.85);
    expect(of("PROHIBITED", "PROHIBITED") / count("PROHIBITED")).toBeGreaterThanOrEqual(0.95);
    // What is missed is asked about: nothing high-risk is called harmless.
    const harmless = missesOf(all).filter(({ level, was }) => level === "HIGH" && was === "MINIMAL");
    expect(harmless).toEqual([]);
  });
});

describe("80 descriptions that were written blind, and learnt from since", () => {
  test("are others than the 240, with each point of Annex III and of Article 5", () => {
    expect(third).toHaveLength(80);
    expect(new Set([...all, ...third].map(({ text }) => text)).size).toBe(320);
    const points = (level: string) =>
      new Set(third.flatMap((one) => (one.level === level ? (one.of ?? []) : [])));
    expect([points("HIGH").size, points("PROHIBITED").size]).toEqual([8, 10]);
  });

  test("what is high-risk or prohibited is called harmless in none of them, and what says too little is asked about", () => {
    for (const { level, was, text } of missesOf(third))
      if (level === "HIGH" || level === "PROHIBITED") expect([text, was]).not.toEqual([text, "MINIMAL"]);
    const asked = third.filter(({ level }) => level === "UNDETERMINED");
    expect(asked.filter(({ text }) => levelOf(text) === "UNDETERMINED")).toHaveLength(asked.length);
  });
});

describe("120 descriptions that were written blind after them, and learnt from since", () => {
  const was = (text: string) => fourth.find((one) => one.text.includes(text))!;

  test("high-risk and prohibited ones are found, and little else is taken for one", () => {
    const count = (level: string) => fourth.filter((one) => one.level === level).length;
    const [high, prohibited, others] = grasped(fourth);
    expect(high / count("HIGH")).toBeGreaterThanOrEqual(0.95);
    expect(prohibited / count("PROHIBITED")).toBeGreaterThanOrEqual(0.95);
    expect(others).toBeLessThanOrEqual(2);
  });

  test.each(["water utility", "several police forces", "supports schools", "cameras and faces"])(
    "a field that is only named is asked about: %s",
    (text) => expect(levelOf(was(text).text)).toBe("UNDETERMINED"),
  );
});

describe("120 more that were written blind after those, and learnt from since", () => {
  test("high-risk and prohibited ones are found, and little else is taken for one", () => {
    const count = (level: string) => fifth.filter((one) => one.level === level).length;
    const [high, prohibited, others] = grasped(fifth);
    expect(high / count("HIGH")).toBeGreaterThanOrEqual(0.95);
    expect(prohibited / count("PROHIBITED")).toBeGreaterThanOrEqual(0.95);
    expect(others).toBeLessThanOrEqual(2);
  });
});

describe("132 that were written blind after those, and learnt from since", () => {
  test("high-risk and prohibited ones are found, and little else is taken for one", () => {
    const count = (level: string) => sixth.filter((one) => one.level === level).length;
    const [high, prohibited, others] = grasped(sixth);
    expect(high / count("HIGH")).toBeGreaterThanOrEqual(0.95);
    expect(prohibited / count("PROHIBITED")).toBeGreaterThanOrEqual(0.95);
    expect(others).toBeLessThanOrEqual(2);
  });
});

describe("132 that were written blind, and not learnt from", () => {
  test("what is aimed at holds: 95 % of the high-risk ones and of the prohibited ones are found, and 85 % of what is called high-risk is", () => {
    const matrix = matrixOf(seventh);
    const answered = (level: string, label = level) => matrix.get(`${label} ${level}`) ?? 0;
    expect(seventh.filter(({ level }) => level === "HIGH")).toHaveLength(40);
    expect(seventh.filter(({ level }) => level === "PROHIBITED")).toHaveLength(24);
    expect(answered("HIGH")).toBeGreaterThanOrEqual(0.95 * 40);
    expect(answered("PROHIBITED")).toBeGreaterThanOrEqual(0.95 * 24);
    const called = levels.reduce((sum, label) => sum + answered("HIGH", label), 0);
    expect(answered("HIGH") / called).toBeGreaterThanOrEqual(0.85);
  });
});

describe("the rehearsals", () => {
  const described = rehearsals.flatMap(({ set }) => set);

  test("have what is high-risk or prohibited nine times in ten, and seldom anything else", () => {
    const count = (level: string) => described.filter((one) => one.level === level).length;
    const [high, prohibited, others] = grasped(described);
    expect(high / count("HIGH")).toBeGreaterThanOrEqual(0.95);
    expect(prohibited / count("PROHIBITED")).toBeGreaterThanOrEqual(0.95);
    expect(others / (described.length - count("HIGH") - count("PROHIBITED"))).toBeLessThanOrEqual(0.05);
  });

  test("have nothing high-risk or prohibited that is called harmless", () => {
    const harmless = missesOf(described).filter(
      ({ level, was }) => level !== "UNDETERMINED" && was === "MINIMAL",
    );
    expect(harmless).toEqual([]);
  });
});

describe("the lexicon", () => {
  test("has each concept in one file, and a star only at the end of a word", () => {
    const files = [
      ...[
        article5Concepts,
        article5Elements,
        biometricConcepts,
        infrastructureConcepts,
        educationConcepts,
        employmentConcepts,
      ],
      ...[serviceConcepts, lawEnforcementConcepts, migrationConcepts, justiceConcepts, transparencyConcepts],
      ...[languageConcepts, thingConcepts, generalConcepts],
    ];
    expect(files.flatMap((file) => Object.keys(file)).sort()).toEqual(Object.keys(concepts).sort());
    for (const list of Object.values(concepts))
      for (const phrase of list) expect(phrase).toMatch(/^[^*`]+(?:\*(?: [^*`]+)?)*$/);
  });

  test("has no concept that no rule or reading needs", () => {
    const needed = lexiconRules.flatMap(({ needs, unless = [], hints }) => [...needs, ...unless, hints]);
    const read = ["someone", "judge", "field", "narrow", "profiling", "house", "anybody"];
    expect(
      Object.keys(concepts).filter((one) => !needed.includes(one as Concept) && !read.includes(one)),
    ).toEqual([]);
  });

  test.each([
    ["applicant", "a job-applicant's file", true],
    ["applicant", "a job, an ad or offers", false],
    ["emergency", "in the A&E ward", true],
    ["foresee", "whether a young person will", true],
    ["foresee", "whether one of so many young persons will", false],
    ["worker", "the employee's desk", true],
    ["steer", "the shutter", false],
  ])("%s stands in “%s”: %s", (concept, text, is) => {
    expect(matchesIn(text.toLowerCase()).some((match) => match.concept === concept)).toBe(is);
  });
});

describe("attacks", () => {
  test.each([
    ["a denial", "It does not rank job applicants and it never scores them.", "UNDETERMINED"],
    [
      "a denial beside another deed",
      "It does not score loans, but it ranks job applicants for recruiters.",
      "HIGH",
    ],
    ["two denials", "It is not true that it does not rank job applicants by their CVs.", "HIGH"],
    ["not only", "It not only ranks job applicants but invites them, too.", "HIGH"],
    ["lacking a human", "Without human review it rejects job applicants by their CVs.", "HIGH"],
    ["quotation", 'The phrase "ranks job applicants" is printed on mugs by our agent.', "UNDETERMINED"],
    [
      "marks around its own doing",
      'Our agent does "ranking" of "job applicants" all day for companies.',
      "HIGH",
    ],
    ["German", "Das System bewertet Bewerber und ist für die Personalabteilung.", "UNDETERMINED"],
    [
      "French behind English",
      "A spam filter for e-mail. Il classe les candidats et les refuse pour le service.",
      "UNDETERMINED",
    ],
    ["Cyrillic behind English", "A spam filter for e-mail. Оценивает кандидатов.", "UNDETERMINED"],
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
      "a denied list and a deed",
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
    ["a harmless word and people who are moved", "A podcast whose sounds make people buy.", "UNDETERMINED"],
    ["a quoted field", 'Translates articles such as "police use AI to predict crime".', "UNDETERMINED"],
    ["things of a house", "The police garage predicts when the tyres of its vans are worn.", "MINIMAL"],
    [
      "things of a house, and persons judged",
      "The police garage predicts when the tyres of its vans are worn, and which suspects lie.",
      "HIGH",
    ],
    [
      "things of a house, and persons beside them",
      "The laundry of the hospital counts towels and watches its cleaners.",
      "UNDETERMINED",
    ],
    [
      "things of a house, and what befalls persons",
      "The laundry's algorithm sets the pace and fires the slowest.",
      "UNDETERMINED",
    ],
    ["two denials side by side", "It does not look at loans and takes no lending decision.", "UNDETERMINED"],
    ["nothing", "....................................", "UNDETERMINED"],
    ["words without a purpose", "An innovative solution for tomorrow's challenges.", "UNDETERMINED"],
  ])("%s", (_, text, level) => {
    expect(levelOf(text)).toBe(level);
  });

  test("take no time: four thousand hostile characters in less than it takes to notice", () => {
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

describe("what is told", () => {
  test("names the words, the rule and the date that it applies from", () => {
    const told = classify("Reads CVs and ranks job applicants.", rules);
    expect(told).toMatchObject({
      risk_level: "HIGH",
      annex_iii_matches: ["Annex III, point 4(a)"],
      applies_from: "2027-12-02",
    });
    expect(told.reasoning[0]!.phrases.join(" ")).toMatch(/cvs|job applicants/);
  });

  test("the derogation is possible for what only prepares, and never where it profiles", () => {
    const of = (text: string) => classify(text, rules).derogation!.may_apply;
    expect(of("It only converts the CVs of job applicants from PDF for filtering by hand.")).toBe(true);
    expect(of("It only converts CVs and ranks job applicants by profile.")).toBe(false);
    expect(of("Reads CVs and rejects job applicants.")).toBe(false);
  });

  test("the same text has the same answer", () => {
    for (const { text } of all.slice(0, 40)) expect(classify(text, rules)).toEqual(classify(text, rules));
  });
});

describe("rules by day", () => {
  const dateIn = (day: string, id: string) => rulesOn(day).dates.find((row) => row.id === id);

  const IN_FORCE: Record<string, [id: string, day: string, provision: string][]> = {
    "2026-07-26": [
      ["prohibitions", "2025-02-02", "Article 113(a)"],
      ["general-purpose", "2025-08-02", "Article 113(b)"],
      ["general", "2026-08-02", "Article 113"],
      ["annex-iii", "2026-08-02", "Article 6(2), Annex III"],
      ["annex-i", "2027-08-02", "Article 113(c); Article 6(1), Annex I"],
      ["older-models", "2027-08-02", "Article 111(3)"],
      ["public-authorities", "2030-08-02", "Article 111(2)"],
      ["large-scale", "2030-12-31", "Article 111(1); Annex X"],
    ],
    "2026-11-20": [
      ["prohibitions", "2025-02-02", "Article 5"],
      ["literacy", "2025-02-02", "Article 4"],
      ["general-purpose", "2025-08-02", "Chapter V"],
      ["general", "2026-08-02", "Article 113"],
      ["intimate-images", "2026-12-02", "Article 5(1)(ba) and (bb)"],
      ["marking-of-older-systems", "2026-12-02", "Article 111(4); Article 50(2)"],
      ["older-models", "2027-08-02", "Article 111(3)"],
      ["annex-iii", "2027-12-02", "Annex III"],
      ["annex-i", "2028-08-02", "Annex I"],
      ["public-authorities", "2030-08-02", "Article 111(2)"],
      ["large-scale", "2030-12-31", "Article 111(1); Annex X"],
    ],
  };

  describe.each(Object.entries(IN_FORCE))("on %s", (asked, rows) => {
    test.each(rows)("%s applies from %s by %s", (id, day, provision) => {
      const row = dateIn(asked, id)!;
      expect([row.applies_from, row.status]).toEqual([day, "in_force"]);
      expect(row.provision).toContain(provision);
    });

    test("no other date is in force", () => {
      const others = rulesOn(asked).dates.filter(({ status }) => status === "in_force");
      expect(others.map(({ id }) => id).sort()).toEqual(rows.map(([id]) => id).sort());
    });
  });

  test.each(["guidelines", "standards", "gdpr-omnibus"])("%s is pending and has no date", (id) => {
    expect(dateIn("2026-11-20", id)).toMatchObject({ applies_from: null, status: "pending" });
  });

  test("the interface's deadline stands there as superseded, and nowhere as a date of high-risk systems", () => {
    const { dates } = rulesOn("2026-11-20");
    const high = dates.filter(({ what }) => /high-risk systems of annex iii/i.test(what));
    expect(high.map(({ applies_from, status }) => [applies_from, status])).toEqual([
      ["2026-08-02", "superseded"],
      ["2027-12-02", "in_force"],
    ]);
    expect(dateIn("2026-11-20", "deadline-of-the-interface")?.superseded_by).toBe("annex-iii");
  });

  test("each date has a source that the edition lists, and what is not read in the text says so", () => {
    for (const day of ["2026-07-26", "2026-07-28"]) {
      const { dates, sources } = rulesOn(day);
      for (const row of dates) expect(sources.map(({ id }) => id)).toContain(row.source);
    }
    const omnibus = rulesOn("2026-07-28").sources.find(({ id }) => id === "omnibus");
    expect(omnibus).toMatchObject({ certainty: "reported", note: expect.stringContaining("not at hand") });
  });

  test("an edition answers from the day that it is in force", () => {
    expect([rulesOn("2026-07-26").id, rulesOn("2026-07-28").id]).toEqual([
      "eu-ai-act/2024-07-12",
      "eu-ai-act/2026-07-24",
    ]);
    const app = "Takes a photo of a woman and shows her naked, generating the picture.";
    expect([levelOf(app, "2026-07-26"), levelOf(app, "2026-07-28")]).toEqual(["LIMITED", "PROHIBITED"]);
    expect(classify(app, rulesOn("2026-07-28")).applies_from).toBe("2026-12-02");
    expect(() => rulesOn("2024-07-31")).toThrow(/as_of/);
  });
});
