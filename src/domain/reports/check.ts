/** Checks a report against its facts: each number in a text is a printed fact, and each computed fact has its value. */
import { digestOf } from "../../core/model/objects.ts";
import { computedValue, type Fact, isAnswerFact, print } from "./fact.ts";
import { methodOf } from "./methods.ts";
import { checkSummary, summaryFaults } from "./model-summary.ts";
import {
  type DetachedFacts,
  factsDigest,
  IN_BRIEF,
  quotationsDigest,
  type Report,
  reportId,
  summarizable,
} from "./report.ts";

/** A fault, and the part of the report that has it. */
export type Fault = { at: string; says: string };

const NUMBER = /\p{Nd}[\p{Nd}.,]*/gu;
const CITED = /\u00a0\[(F\d+)\]/g;

/** Checks detached facts without a request to any service. `canonical` is RFC 8785. */
export function factFaults(given: DetachedFacts, canonical: (value: object) => string): Fault[] {
  const { report_id, vintages, facts } = given;
  const faults: Fault[] = [];
  if (reportId(given, canonical) !== report_id)
    faults.push({ at: "report_id", says: "is not the id that operation, input and vintages give" });
  if (factsDigest(given, canonical) !== given.facts_sha256)
    faults.push({ at: "facts_sha256", says: "is not the digest of these facts" });
  const known = new Map<string, Fact>();
  const named = new Set(vintages.split(","));
  for (const [at, fact] of facts.entries()) {
    const { id, label, value } = fact;
    const is = (says: string) => faults.push({ at: id, says });
    if (id !== `F${at + 1}`) is(`is in the place of F${at + 1}`);
    if (/\p{Nd}/u.test(label)) is("its label has a digit");
    if (isAnswerFact(fact)) {
      if (fact.from.vintage.split(",").some((one) => !named.has(one)))
        is("rests on a vintage that the report does not name");
    } else {
      const of = fact.of.map((one) => known.get(one));
      const computed = of.every((one) => one !== undefined) ? computedValue(fact.formula, of) : undefined;
      if (computed === undefined) is(`${fact.formula} of ${fact.of.join(", ")} cannot be computed`);
      else if (computed !== value)
        is(`is ${value}, and ${fact.formula} of ${fact.of.join(", ")} is ${computed}`);
    }
    known.set(id, fact);
  }
  const rested = new Set(facts.flatMap((fact) => (isAnswerFact(fact) ? fact.from.vintage.split(",") : [])));
  for (const one of named)
    if (!rested.has(one)) faults.push({ at: "vintages", says: `names ${one}, and no fact rests on it` });
  return faults;
}

/** Checks a whole report: its texts, tables, charts, sources and methods against its facts. */
export function reportFaults(report: Report, canonical: (value: object) => string): Fault[] {
  const { sha256: digest, ...rest } = report;
  const facts = new Map(report.facts.map((fact) => [fact.id, fact]));
  const text = (at: string, one: { text: string; facts: string[] }) => textFaults(at, one, facts);
  const plain = (at: string, words: string): Fault[] =>
    numbersIn(words).map((number) => ({ at, says: `says ${number}, which is not a fact` }));
  const word = (at: string, cell: { word: string } | { fact: string }): Fault[] => {
    if ("word" in cell) return plain(at, cell.word);
    return facts.has(cell.fact) ? [] : [{ at, says: `cites ${cell.fact}, which is not a fact` }];
  };
  return [
    ...factFaults(report, canonical),
    ...(digestOf(canonical(rest)) === digest
      ? []
      : [{ at: "sha256", says: "is not the digest of this report" }]),
    ...quotationFaults(report, canonical),
    ...plain("title", report.title),
    ...questionFaults(report),
    ...briefFaults(report),
    ...monthFaults(report),
    ...report.sections.flatMap(({ title, text: about, findings, tables, charts }, at) => {
      const here = `sections/${at}`;
      return [
        ...plain(here, title),
        ...plain(here, about),
        ...findings.flatMap((one, n) => text(`${here}/findings/${n}`, one)),
        ...tables.flatMap((table, n) => [
          ...[table.title, ...table.columns].flatMap((name) => plain(`${here}/tables/${n}`, name)),
          ...table.rows.flatMap((row, r) =>
            row.flatMap((cell) => word(`${here}/tables/${n}/rows/${r}`, cell)),
          ),
        ]),
        ...charts.flatMap((chart, n) => [
          ...[chart.title, chart.unit, ...chart.series.map(({ name }) => name)].flatMap((name) =>
            plain(`${here}/charts/${n}`, name),
          ),
          ...chart.x.flatMap((cell) => word(`${here}/charts/${n}`, cell)),
          ...chart.series.flatMap((one) =>
            one.facts.flatMap((id) => (id === null ? [] : word(`${here}/charts/${n}`, { fact: id }))),
          ),
        ]),
      ];
    }),
    ...listsOf(report).flatMap(([name, list]) => list.flatMap((one, n) => text(`${name}/${n}`, one))),
    ...report.sources.flatMap((one, n) => [
      ...text(`sources/${n}`, one),
      ...sourceFaults(`sources/${n}`, one, report),
    ]),
    ...report.methods.flatMap((one, n) =>
      canonical(one) === canonical(methodOf(one.name))
        ? []
        : [{ at: `methods/${n}`, says: `differs from the method ${one.name} of this service` }],
    ),
    ...(report.layers ?? []).flatMap(({ layer, why }, n) => plain(`layers/${n}`, `${layer} ${why ?? ""}`)),
  ];
}

const listsOf = (report: Report) =>
  (["limits", "dependency_risks", "substitution_patterns", "watchlist_12m", "cited_anomalies"] as const).map(
    (name) => [name, report[name] ?? []] as const,
  );

/**
 * Checks that each citation follows its printed fact, in the order of `facts`, and that the text has no other number.
 */
export function textFaults(
  at: string,
  { text, facts: cites }: { text: string; facts: string[] },
  facts: ReadonlyMap<string, Fact>,
): Fault[] {
  const faults: Fault[] = [];
  const found: string[] = [];
  let rest = "";
  let from = 0;
  for (const { 0: whole, 1: id = "", index } of text.matchAll(CITED)) {
    const before = text.slice(from, index);
    from = index + whole.length;
    found.push(id);
    const fact = facts.get(id);
    const printed = fact && print(fact);
    if (printed === undefined) faults.push({ at, says: `cites ${id}, which is not a fact` });
    else if (!before.endsWith(printed))
      faults.push({
        at,
        says: `says “${before.slice(-printed.length).trim()}” of ${id}, which is ${printed}`,
      });
    rest +=
      printed !== undefined && before.endsWith(printed) ? `${before.slice(0, -printed.length)} ` : before;
  }
  rest += text.slice(from);
  for (const number of numbersIn(rest)) faults.push({ at, says: `says ${number}, which is not a fact` });
  if (found.join() !== cites.join())
    faults.push({ at, says: `cites ${found.join(", ")}, and lists ${cites.join(", ")}` });
  return faults;
}

/** A question in the caller's words is verbatim; one in ours has the numbers of the input, in order. */
function questionFaults({ question, input }: Report): Fault[] {
  if (typeof input.question === "string")
    return question === input.question ? [] : [{ at: "question", says: "is not the one requested" }];
  const inputNumbers = numbersIn(Object.values(input).flat().map(String).join(" "));
  const questionNumbers = numbersIn(question);
  return inputNumbers.join(" ") === questionNumbers.join(" ")
    ? []
    : [
        {
          at: "question",
          says: `has the numbers ${questionNumbers.join(", ")}, and the input ${inputNumbers.join(", ")}`,
        },
      ];
}

/** A report's name covers its quotations; their numbers are third-party text, and no facts. */
const quotationFaults = (
  { quotations, quotations_sha256 }: Report,
  canonical: (value: object) => string,
): Fault[] =>
  (quotations && quotationsDigest(quotations, canonical)) === quotations_sha256
    ? []
    : [{ at: "quotations", says: "are not those of quotations_sha256" }];

/** A model's summary consists of whole findings. */
function briefFaults(report: Report): Fault[] {
  const { model, sections } = report;
  const [first, ...others] = sections;
  const stands = sections.map(({ title }) => title === IN_BRIEF);
  const wanted = sections.map((_, at) => at === 0 && model?.used === true);
  if (stands.join() !== wanted.join())
    return [{ at: "model", says: "does not say whether the first section is by a model" }];
  if (!model?.used || !first) return [];
  const paragraphs = first.findings.map(({ text, facts }) => ({ text, cites: facts }));
  const outcome = checkSummary(JSON.stringify({ paragraphs }), summarizable({ ...report, sections: others }));
  return "why" in outcome ? [{ at: "sections/0", says: summaryFaults[outcome.why] }] : [];
}

function monthFaults({ as_of, facts }: Report): Fault[] {
  return facts.some(({ unit, value }) => unit === "month" && value === as_of)
    ? []
    : [{ at: "as_of", says: `is ${as_of}, which is not a fact` }];
}

function sourceFaults(
  at: string,
  source: { dataset: string; vintage: string; synthetic: boolean },
  { facts }: Report,
): Fault[] {
  const isDrawn = facts.some(
    (fact) =>
      isAnswerFact(fact) &&
      fact.from.dataset === source.dataset &&
      fact.from.vintage === source.vintage &&
      fact.from.synthetic === source.synthetic,
  );
  return isDrawn ? [] : [{ at, says: "is a source that no fact was drawn from" }];
}

const numbersIn = (text: string): string[] =>
  [...text.matchAll(NUMBER)].map(([number]) => number.replace(/[.,]+$/, ""));
