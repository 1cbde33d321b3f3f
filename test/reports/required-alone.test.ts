/** Reports on their required fields alone, for any country, and for every year of the data. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentOf } from "../../src/api/declare/access/way.ts";
import { exampleOf } from "../../src/api/describe/reference.ts";
import { canonical } from "../../src/api/serve/nested-calls.ts";
import { reportFaults } from "../../src/domain/reports/check.ts";
import { isAnswerFact } from "../../src/domain/reports/fact.ts";
import type { Report } from "../../src/domain/reports/report.ts";
import { catalogue } from "../support/catalogue.ts";
import { askReport } from "../support/reported.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let headers: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  ({ headers } = await service.issue());
  await openSandbox(service);
});
afterAll(() => service.stop());

const CUSTOM = "trade-premium/custom-report";

const sixReporters = ["LV", "EE", "LT", "DE", "FR", "PL"];
const manyChapters = Array.from({ length: 20 }, (_, n) => String(n + 30));

const answerOf = (path: string, input?: object) =>
  input === undefined
    ? fetch(`${service.url}/v1/agent/${path}`, { headers })
    : askReport(service, headers, `/v1/agent/${path}`, input);

async function reportOf(path: string, input?: object): Promise<Report> {
  const answer = await answerOf(path, input);
  const text = await answer.text();
  expect([answer.status, text.slice(0, 300)]).toEqual([200, expect.anything()]);
  const { data } = JSON.parse(text) as { data: Report };
  expect(reportFaults(data, canonical)).toEqual([]);
  return data;
}

/** The values of one input field over all calls that the facts are from. */
const inputsOf = ({ facts }: Report, field: string) => [
  ...new Set(facts.flatMap((fact) => (isAnswerFact(fact) ? [fact.from.input[field]] : []))),
];

test("custom-report needs its question alone", async () => {
  const question = "How dependent is Latvia on imports of mineral fuels?";
  const report = await reportOf(CUSTOM, { question });
  expect(report.question).toBe(question);
  expect(inputsOf(report, "reporter")).toContain("LV");
  expect(inputsOf(report, "hs")).toEqual(["27"]);
  const refused = await answerOf(CUSTOM, { question: "How dependent are they on imports?" });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({ detail: expect.stringContaining("or as products") }),
  ]);
});

test("custom-report follows the lists in place of the question's country, product and years", async () => {
  const question = "What is the profile of Latvia?";
  expect(inputsOf(await reportOf(CUSTOM, { question }), "country")).toEqual(["LV"]);
  const others = await reportOf(CUSTOM, { question, reporters: ["EE", "LT"], years: [2021, 2023] });
  expect(inputsOf(others, "country")).toEqual(["EE", "LT"]);
  expect(inputsOf(others, "year")).toEqual([2021, 2023]);
  const question2 = "Who are the largest exporters of mineral fuels?";
  const ranked = await reportOf(CUSTOM, { question: question2, products: ["44", "87"], years: [2020] });
  expect(inputsOf(ranked, "hs")).toEqual(["44", "87"]);
  expect(inputsOf(ranked, "year")).toEqual([2020]);
});

test("custom-report refuses a list that its intent does not take", async () => {
  const refused = await answerOf(CUSTOM, { question: "What was unusual in Latvia?", years: [2020] });
  expect(refused.status).toBe(400);
  const { errors } = (await refused.json()) as { errors: { path: string; message: string }[] };
  expect(errors).toEqual([
    { path: "years", message: expect.stringMatching(/takes no years: leave years out/) },
  ]);
});

test("briefs name the years that they take by default, up to the end of the data", async () => {
  const brief = await reportOf("sovereign/brief", { hs: "44", region: "LV" });
  expect(inputsOf(brief, "years")).toContain("2020-2025");
  expect(brief.question).toBe("On whom does Latvia depend for HS 44?");
  expect(brief.limits.map(({ text }) => text.replaceAll(/\u00a0\[F\d+\]/g, ""))).toContainEqual(
    expect.stringMatching(
      /^No years were requested: these are 2020 to 2025, and the data end in 2025-\d\d\.$/,
    ),
  );
  const said = brief.limits.map(({ text }) => text).join();
  expect(said).toMatch(/The months to watch are the twelve after 2025-12/);
  // Each month before the data's end is among the anomalies, and nothing to watch.
  expect(brief.watchlist_12m!.length).toBeGreaterThan(0);
  expect(brief.watchlist_12m!.filter(({ method }) => method === "alert")).toEqual([]);
  for (const path of ["sovereign/brief/multi", "sovereign/brief/deep"])
    expect(inputsOf(await reportOf(path, { sectors: ["27", "44"], region: "EU" }), "years")).toContain(
      "2020-2025",
    );
});

test("a brief of a country outside the EU is the mirror of its trade with the 27", async () => {
  const brief = await reportOf("sovereign/brief", { hs: "27", region: "CN", years: "2023-2024" });
  const size = brief.facts.find(({ label }) => label === "imports of the year");
  const stats = await answerOf("fusion/country-stats?country=CN&hs=27&years=2024");
  const { data } = (await stats.json()) as { data: { imports_eur: number }[] };
  expect(size?.value).toBe(data[0]!.imports_eur);
  expect(brief.dependency_risks?.map(({ text }) => text).join()).toContain("from the EU");
  expect(brief.limits.map(({ text }) => text).join()).toContain("imports of China are the exports to it");
  await reportOf("sovereign/brief/multi", { sectors: ["27", "44"], region: "US" });
  const unknown = await answerOf("sovereign/brief", { hs: "27", region: "QM" });
  expect([unknown.status, await unknown.json()]).toEqual([
    400,
    expect.objectContaining({ errors: [{ path: "region", message: expect.stringContaining("QM") }] }),
  ]);
});

test("deep-analysis answers the first, a middle and the last year, with the economy of each", async () => {
  for (const year of [2005, 2015, 2025]) {
    const report = await reportOf(`trade-premium/deep-analysis/LV/${year}`);
    const days = report.facts.filter(({ label }) => label === "day of the value").map(({ value }) => value);
    expect([year, days.every((day) => String(day).startsWith(`${year}`))]).toEqual([year, true]);
  }
  const refused = await answerOf("trade-premium/deep-analysis/LV/2026");
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    errors: [{ path: "year", message: "year is from 2005 to 2025 for Latvia" }],
  });
});

test.each<[path: string, input: object | undefined, field: string, says: RegExp]>([
  [CUSTOM, { question: "What was unusual in the United States?" }, "question", /^unusual cannot answer this/],
  [
    CUSTOM,
    { question: "How dependent are they on imports?", reporters: sixReporters, products: manyChapters },
    "products",
    /a report runs at most 100: name fewer products/,
  ],
  ["sovereign/brief", { hs: "44", region: "LV", years: "1999-2001" }, "years", /covers 2005-01 to/],
  ["sovereign/brief/multi", { sectors: ["44", "77"], region: "LV" }, "sectors", /covers the products 27/],
  ["sovereign/brief/deep", { sectors: ["44", "77"], region: "CN" }, "sectors", /covers the products 27/],
  ["fusion/deep-analysis", { question: "What of Latvia?", hs: "77" }, "hs", /covers the products 27/],
  ["trade-premium/deep-analysis/LV/2026", undefined, "year", /year is from 2005 to 2025 for Latvia/],
  ["fusion/market-intel?hs=44&years=1999", undefined, "years", /covers 2005-01 to/],
])(
  "%s with %j is refused by %s, and its 402 says so before anybody pays",
  async (path, input, field, says) => {
    const errors = [{ path: field, message: expect.stringMatching(says) }];
    const refused = await answerOf(path, input);
    expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ errors })]);
    const unpaid = await (input === undefined
      ? fetch(`${service.url}/v1/agent/${path}`)
      : askReport(service, {}, `/v1/agent/${path}`, input));
    expect([unpaid.status, await unpaid.json()]).toEqual([402, expect.objectContaining({ errors })]);
  },
);

/** A value outside of all data, by the field. */
const outside: Readonly<Record<string, unknown>> = {
  year: 2035,
  years: "1999",
  month: "1999-01",
  hs: "77",
  code: "77",
  dataset: "no-such",
};

/** Latvia's customs have no data here, and a name is screened with any product. */
const ANSWERS_ALONE = /^(customs_|fusion_sanctions_check)/;

const ofData = catalogue.flatMap((operation) => {
  const isPriced = paymentOf(operation) !== undefined && operation.vintage !== undefined;
  if (!isPriced || ANSWERS_ALONE.test(operation.name)) return [];
  return Object.keys(outside)
    .filter((field) => Object.hasOwn(operation.input.shape, field))
    .map((field) => [operation.name, field, operation] as const);
});

test("many priced operations rest on data", () => expect(ofData.length).toBeGreaterThan(50));

/** A question is the field of a plan's steps. */
const fieldOf = (name: string, field: string) =>
  name === "fusion_query" || (name === "trade_premium_custom_report" && field !== "hs") ? "question" : field;

test.each(ofData)("the 402 of %s names %s that no data cover", async (name, field, operation) => {
  const { month, ...rest } = operation.example;
  const kept = field.startsWith("year") || month === undefined ? rest : { ...rest, month };
  const value = name === "trade_premium_custom_report" ? [1999] : outside[field];
  const example = { ...kept, [field]: value };
  const [, method, path, body] = /^(\S+) (\S+)(?: (.*))?$/s.exec(exampleOf({ ...operation, example }))!;
  const json = { "Content-Type": "application/json" };
  const ask = (given: Record<string, string>) =>
    fetch(service.url + path!, {
      method: method!,
      headers: { ...given, ...(body && json) },
      ...(body && { body }),
    });
  const unpaid = await ask({});
  const { errors = [] } = (await unpaid.json()) as { errors?: { path: string }[] };
  expect([unpaid.status, errors.map((error) => error.path)]).toEqual([402, [fieldOf(name, field)]]);
  const refused = await ask(headers);
  expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ errors })]);
});
