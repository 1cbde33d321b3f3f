/** Altered reports: the report alone, or a repeat of its questions, names each alteration. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalText } from "../../eventstore/canonical.ts";
import type { JsonObject } from "../../eventstore/types.ts";
import { digestOf } from "../../src/core/model/objects.ts";
import { reportFaults } from "../../src/domain/reports/check.ts";
import { cited, citing } from "../../src/domain/reports/cited-text.ts";
import { type AnswerWithOrigin, ledger, print } from "../../src/domain/reports/fact.ts";
import { repeatQuestions } from "../../src/domain/reports/repeat-questions.ts";
import { factsDigest, type Report, reportId } from "../../src/domain/reports/report.ts";
import { scaled } from "../support/scale.ts";

const canonical = (value: object) => canonicalText(value as JsonObject, "value");
const RUNS = scaled(60, 10);
const VINTAGE = "ab".repeat(32);
const MONTH = "2024-12";

/** A report over an answer with these figures, as a service would make it. */
function reportOf(values: readonly number[]): { report: Report; answer: object } {
  const answer = {
    data: values.map((value) => ({ value })),
    meta: { dataset: "sandbox", synthetic: true, source: "Invented 2024", to: MONTH },
  };
  const origin = {
    operation: "trade",
    input: { hs: "44" },
    answer_sha256: digestOf(canonical(answer)),
    dataset: "sandbox",
    vintage: VINTAGE,
    synthetic: true,
  };
  const sourced: AnswerWithOrigin = { answer, origin };
  const facts = ledger();
  const taken = values.map((_, at) => facts.at(sourced, `/data/${at}/value`, "value", "EUR"));
  const sum = facts.computed("their sum", "EUR", "sum", taken);
  const source = citing`${facts.at(sourced, "/meta/source", "source", "text")}`;
  facts.at(sourced, "/meta/to", "last month", "month");
  const finding = {
    ...citing`The first is ${taken[0]!}, all together ${sum}.`,
    confidence: "reported",
    method: null,
  } as const;
  const input = { hs: "44", years: "2020-2024" };
  const named = { operation: "brief", input, vintages: VINTAGE };
  const report_id = reportId({ ...named, model: null }, canonical);
  const all = {
    report_id,
    ...named,
    title: "A brief",
    question: "What of HS 44, 2020–2024?",
    as_of: MONTH,
    sections: [
      {
        title: "Values",
        text: "",
        findings: [finding],
        charts: [],
        tables: [{ title: "All", columns: ["Value"], rows: taken.map(({ id }) => [{ fact: id }]) }],
      },
    ],
    facts: [...facts.facts],
    facts_sha256: factsDigest({ report_id, ...named, facts: [...facts.facts] }, canonical),
    methods: [],
    sources: [{ ...source, dataset: "sandbox", vintage: VINTAGE, synthetic: true }],
    limits: [],
    model: null,
  };
  return { report: { ...all, sha256: digestOf(canonical(all)) }, answer };
}

const values = fc.array(fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), {
  minLength: 1,
  maxLength: 6,
});

/** Computes the digests anew, as a forger would. */
function forged(report: Report): Report {
  const { sha256: _, ...rest } = { ...report, facts_sha256: factsDigest(report, canonical) };
  return { ...rest, sha256: digestOf(canonical(rest)) };
}

test("a sound report has no fault, and its facts match the answers", async () => {
  await fc.assert(
    fc.asyncProperty(values, async (given) => {
      const { report, answer } = reportOf(given);
      expect(reportFaults(report, canonical)).toEqual([]);
      expect((await repeatQuestions(report, canonical, async () => ({ answer }))).faults).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

test("one altered digit anywhere is named", () => {
  fc.assert(
    fc.property(values, fc.nat(), fc.integer({ min: 1, max: 9 }), (given, which, by) => {
      const text = canonical(reportOf(given).report);
      const places = [...text.matchAll(/\d/g)].map(({ index }) => index);
      const at = places[which % places.length]!;
      const altered = text.slice(0, at) + ((Number(text[at]) + by) % 10) + text.slice(at + 1);
      let report: Report;
      try {
        report = JSON.parse(altered) as Report;
        // A number has no leading zero, and -0 is 0.
        if (canonical(report) === text) return;
      } catch {
        return;
      }
      expect(reportFaults(report, canonical)).not.toEqual([]);
    }),
    { numRuns: scaled(5, 5) * RUNS },
  );
});

test("a figure that a forger altered in text, fact or both is named", async () => {
  await fc.assert(
    fc.asyncProperty(values, fc.integer({ min: 1, max: 1_000_000_000 }), async (given, by) => {
      const { report, answer } = reportOf(given);
      const [first] = report.facts as [Report["facts"][number]];
      const other = { ...first, value: Number(first.value) + by };
      const inFact = forged({ ...report, facts: [other, ...report.facts.slice(1)] });
      const named = (faults: { at: string }[]) => faults.map(({ at }) => at);
      const ask = async () => ({ answer });
      expect(named((await repeatQuestions(inFact, canonical, ask)).faults)).toContain("F1");
      const finding = report.sections[0]!.findings[0]!;
      if (print(other) === print(first)) return;
      const says = { ...finding, text: finding.text.replace(cited(first), cited(other)) };
      const inText = forged({ ...report, sections: [{ ...report.sections[0]!, findings: [says] }] });
      expect(named(reportFaults(inText, canonical))).toContain("sections/0/findings/0");
    }),
    { numRuns: RUNS },
  );
});

test("a wrong vintage, method, source or label is named", () => {
  const { report } = reportOf([1, 2]);
  const method = { name: "growth", formula: "last − first", parameters: "", source: "" } as const;
  const [first] = report.facts as [Report["facts"][number]];
  const at = (changed: Partial<Report>) =>
    reportFaults(forged({ ...report, ...changed }), canonical).map(({ at }) => at);
  expect(at({ vintages: "cd".repeat(32) })).toEqual(expect.arrayContaining(["report_id", "F1", "vintages"]));
  expect(at({ methods: [method] })).toEqual(["methods/0"]);
  expect(at({ sources: [{ ...report.sources[0]!, dataset: "comext" }] })).toEqual(["sources/0"]);
  expect(at({ facts: [{ ...first, label: "value of 2023" }, ...report.facts.slice(1)] })).toContain("F1");
  expect(at({ question: "What of HS 45, 2020–2024?" })).toEqual(["question"]);
  expect(at({ as_of: "2024-11" })).toEqual(["as_of"]);
});

test("a text with a digit that is not a fact throws", () => {
  expect(() => citing`There are ${"27"} of them.`).toThrow("not a fact");
  expect(() => citing`There are 27 of them.`).toThrow("not a fact");
});

test.each([
  [{ value: 1_240_000_000, unit: "EUR" }, "EUR 1.24 bn"],
  [{ value: 999_960_000, unit: "EUR" }, "EUR 1.00 bn"],
  [{ value: -12_345, unit: "EUR" }, "−EUR 12.3 k"],
  [{ value: 0, unit: "EUR" }, "EUR 0"],
  [{ value: 0.4521, unit: "share" }, "45.2 %"],
  [{ value: 0.00004, unit: "share" }, "0.00400 %"],
  [{ value: -0.05, unit: "change" }, "−5.00 %"],
  [{ value: 1834.4, unit: "index" }, "1,834"],
  [{ value: 9, unit: "calendar_month" }, "September"],
  [{ value: "Sawn wood > 6 mm", unit: "text" }, "“Sawn wood > 6 mm”"],
] as const)("%j is reported as %s", (fact, sourced) => {
  expect(print(fact).replaceAll("\u00a0", " ")).toBe(sourced);
});
