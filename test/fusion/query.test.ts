/** Questions in words and profiles of countries over HTTP: matches, refusals, and the source of every figure. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { methodOf } from "../../src/api/declare/operation-facts.ts";
import { canonical } from "../../src/api/serve/nested-calls.ts";
import { askAt } from "../../src/cli/report.ts";
import { intents } from "../../src/domain/fusion/intents.ts";
import { faultsOf } from "../../src/domain/plans/plan.ts";
import { reportFaults, textFaults } from "../../src/domain/reports/check.ts";
import { repeatQuestions } from "../../src/domain/reports/repeat-questions.ts";
import type { Report } from "../../src/domain/reports/report.ts";
import type { countryOutput } from "../../src/projections/fusion/answers/country.ts";
import type {
  capabilitiesOutput,
  intentsOutput,
  sourcesOutput,
} from "../../src/projections/fusion/answers/discovery.ts";
import type { marketOutput } from "../../src/projections/fusion/answers/market.ts";
import type { queryOutput } from "../../src/projections/reports/answers/query.ts";
import { sectionWriters } from "../../src/projections/reports/answers/section-writers.ts";
import { importFiles, sdmxFixture } from "../datasets/workshop.ts";
import { catalogue } from "../support/catalogue.ts";
import { releaseVintage } from "../support/cube.ts";
import { askReport } from "../support/reported.ts";
import { opened, openSandbox, openSandboxLv } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let headers: Record<string, string>;
let secret: string;

beforeAll(async () => {
  service = await startService();
  ({ headers, secret } = await service.issue());
  await openSandbox(service);
});
afterAll(() => service.stop());

const post = (input: object) =>
  fetch(`${service.url}/v1/agent/fusion/query`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(input),
  });
const query = async (input: object) => {
  const answer = await post(input);
  const text = await answer.text();
  expect([answer.status, text.slice(0, 400)]).toEqual([200, expect.anything()]);
  return JSON.parse(text) as z.infer<typeof queryOutput>;
};
const get = async <T>(path: string) => {
  const answer = await fetch(`${service.url}/v1/agent/fusion/${path}`, { headers });
  expect([answer.status, path]).toEqual([200, path]);
  return (await answer.json()) as T;
};
const refused = async (input: object) => {
  const answer = await post(input);
  const { errors } = (await answer.json()) as { errors: { path: string; message: string }[] };
  return { status: answer.status, errors };
};

test("each intent calls reading operations by their own fields, and each has report sections", () => {
  const fieldsOf = (name: string) =>
    catalogue.find((one) => one.name === name && methodOf(one) === "GET")?.input.shape;
  for (const plan of intents) {
    expect([plan.name, faultsOf(plan, fieldsOf)]).toEqual([plan.name, []]);
    for (const { operation } of plan.steps) expect(Object.keys(sectionWriters)).toContain(operation);
  }
});

describe.each(intents.map((plan) => [plan.example, plan] as const))("%s", (example, plan) => {
  test("is answered in words by its plan, and every figure matches its repeated answer", async () => {
    const { data, meta } = await query({ question: example });
    expect(data.intent).toBe(plan.name);
    expect(data.facts.length).toBeGreaterThan(0);
    // A buyer reads the text; a table alone is not an answer.
    const inTables = data.sections.filter(({ findings }) => findings.length === 0);
    expect(inTables.map(({ title }) => title)).toEqual([]);
    expect(meta.synthetic).toBe(true);
    const facts = new Map(data.facts.map((fact) => [fact.id, fact]));
    for (const section of data.sections)
      for (const one of section.findings) expect(textFaults(section.title, one, facts)).toEqual([]);
    for (const one of data.limits) expect(textFaults("limits", one, facts)).toEqual([]);
    const { faults } = await repeatQuestions(data, canonical, askAt(service.url, secret));
    expect(faults).toEqual([]);
  });
});

test("the buyers and sellers of a product are named in words", async () => {
  const { data } = await query({ question: "Who are the buyers of Latvian wood?" });
  const [first] = data.sections[0]!.tables[0]!.rows;
  expect(data.text).toContain("the largest buyers of HS");
  expect(data.text).toContain((first![0] as { word: string }).word);
});

test("an intent by name takes slots as fields, which override those in the question", async () => {
  const { data } = await query({ intent: "market", hs: "27", country: "LV", years: "2022-2024" });
  expect(data.slots).toMatchObject({ hs: "27", country: "LV", years: "2022-2024" });
  const both = await query({ question: "The market of wood in Latvia", hs: "27" });
  expect(both.data.slots).toMatchObject({ hs: "27", country: "LV" });
});

test("a question without intent or slot, or that cannot be answered, is refused by field, with alternatives", async () => {
  expect(await refused({ question: "What is love?" })).toMatchObject({
    status: 400,
    errors: [{ path: "question", message: expect.stringContaining("nearest") }],
  });
  expect(await refused({ question: "How does the market grow?" })).toMatchObject({
    status: 400,
    errors: [{ path: "question", message: expect.stringContaining("needs hs") }],
  });
  expect(await refused({ question: "How dependent is the EU on China for plastics?" })).toMatchObject({
    status: 400,
    errors: [
      { path: "question", message: expect.stringMatching(/of an EU country, and the words name only China/) },
    ],
  });
  expect(await refused({})).toMatchObject({ status: 400, errors: [{ path: "question" }] });
});

test.each([
  [
    "Which EU country buys most wood from Russia?",
    "buyers",
    ["market", "years"],
    /Russia exported .* to the EU/,
  ],
  [
    "Who in the EU sells machinery to China in 2023?",
    "sellers",
    ["market", "years"],
    /largest sellers? (is|are) \w+/,
  ],
  ["Top EU exporters of vehicles to China", "sellers", ["market", "years"], /China imported .* from the EU/],
  ["Which EU countries buy from Russia?", "partners", ["country"], /largest buyers are Italy/],
  ["What does the EU import from China?", "products", ["country"], /largest exports are “Road vehicles”/],
  ["partners of China in wood", "partners", ["market"], /largest seller is Germany/],
])("“%s” is answered by the statistics of the 27", async (question, intent, steps, of) => {
  const { data } = await query({ question });
  expect(data).toMatchObject({ intent, steps: steps.map((step) => ({ step })) });
  expect(data.text).toMatch(of);
});

test("the same question gives the same bytes, also at its vintage", async () => {
  const question = "How dependent is Latvia on imports of mineral fuels?";
  const [first, second] = [await (await post({ question })).text(), await (await post({ question })).text()];
  expect(second).toBe(first);
  const { meta } = JSON.parse(first) as { meta: { rests_on: string } };
  const again = await (await post({ question, vintage: meta.rests_on })).text();
  expect(again).toBe(first);
});

test("sources, capabilities and intents list present and absent data", async () => {
  const sources = await get<z.infer<typeof sourcesOutput>>("sources");
  expect(sources.data.find(({ dataset }) => dataset === "sandbox")).toMatchObject({
    available: true,
    synthetic: true,
    reporters: 27,
  });
  expect(sources.data.filter(({ available }) => !available).map(({ dataset }) => dataset)).toEqual(
    expect.arrayContaining(["news", "ais"]),
  );
  const able = await get<z.infer<typeof capabilitiesOutput>>("capabilities");
  expect(able.data.flatMap(({ method, lacks }) => (lacks.length > 0 ? method : []))).toEqual([]);
  expect(able.meta.planted.some((event) => event.includes("Kazakhstan"))).toBe(true);
  const known = await get<z.infer<typeof intentsOutput>>("intents");
  expect(known.data.map(({ intent }) => intent)).toEqual(intents.map(({ name }) => name));
});

test("the profile of one of the 27 has all its parts, the same by both paths", async () => {
  const path = "country?country=LV&year=2024";
  const { data, meta } = await get<z.infer<typeof countryOutput>>(path);
  expect(meta).toMatchObject({ view: "reported", year: 2024, name: "Latvia" });
  expect(data.trade.at(-1)).toMatchObject({ year: 2024, complete: true });
  expect(data.partners.imports.map(({ rank }) => rank)).toEqual(data.partners.imports.map((_, at) => at + 1));
  expect(data.products.exports.length).toBeGreaterThan(5);
  expect(data.advantage!.map(({ rca }) => rca)).toEqual(
    data.advantage!.map(({ rca }) => rca).toSorted((a, b) => b - a),
  );
  expect(data.dependency).not.toBeNull();
  expect(data.macro.map(({ indicator }) => indicator)).toContain("eur_usd");
  expect(await get(path.replace("country?", "country-profile?"))).toEqual({ success: true, data, meta });
  const prefixed = await fetch(`${service.url}/api/v1/agent/fusion/country-profile?country=LV&year=2024`);
  expect([prefixed.status, (await fetch(prefixed.url.replace("-profile", ""))).status]).toEqual([402, 402]);
});

test("the profile of any other country is seen through the 27, and discloses the gaps and planted events", async () => {
  const { data, meta } = await get<z.infer<typeof countryOutput>>("country?country=CN");
  expect(meta.view).toBe("through_partners");
  const { meta: russia } = await get<z.infer<typeof countryOutput>>("country?country=RU");
  expect(russia.planted.some((event) => event.includes("from Russia"))).toBe(true);
  expect([data.advantage, data.dependency]).toEqual([null, null]);
  expect(data.absent.map(({ of }) => of)).toEqual(expect.arrayContaining(["advantage", "dependency"]));
  expect(data.partners.imports.length).toBeGreaterThan(0);
});

test("a market has its value at constant prices, its alerts, and the products that lead it", async () => {
  const { data, meta } = await get<z.infer<typeof marketOutput>>(
    "market-intel?hs=27&reporter=LV&flow=IMPORT&beside=44,87",
  );
  expect(data.real).not.toBeNull();
  expect(data.leads).not.toBeNull();
  expect(data.alerts.some(({ period }) => period === "2025-10")).toBe(true);
  expect(meta.planted.some((event) => event.includes("to Latvia times 5 in 2025-10"))).toBe(true);
});

test("years since one end with the data", async () => {
  const { data } = await query({ question: "How did the market of wood in Latvia grow since 2022?" });
  expect(data.slots).toMatchObject({ hs: "44", country: "LV", years: "2022-2025" });
  expect(data.text).toMatch(/From 2022\s/);
});

describe("a question before it is paid", () => {
  type Unpaid = { status: number; detail: string; errors?: object[]; understood?: Record<string, unknown> };
  const unpaid = async (path: string, body: object): Promise<Unpaid> => {
    const answer = await fetch(`${service.url}/v1/agent/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Unpaid;
  };
  const question = "How dependent is Latvia on imports of mineral fuels since 2020?";

  test("is shown in the 402 as the service reads it, with the product's code and the intent", async () => {
    expect(await unpaid("fusion/query", { question })).toMatchObject({
      status: 402,
      understood: {
        intent: "dependency",
        product: { code: "27" },
        country: { code: "LV", name: "Latvia" },
        partner: null,
        flow: "IMPORT",
        not_found: [],
      },
    });
    expect(await unpaid("fusion/deep-analysis", { question })).toMatchObject({
      status: 402,
      understood: { product: { code: "27" }, country: { code: "LV" } },
    });
    const skill = { agent: "strategist", task: "How dependent is Latvia on imports of mineral fuels?" };
    expect(await unpaid("skills/run", skill)).toMatchObject({
      status: 402,
      understood: { product: { code: "27" }, country: { code: "LV" } },
    });
  });

  test("that names an unknown country is a 402 with the error, so that no wallet signs for it", async () => {
    const refused = await unpaid("fusion/query", { question: "Wakandan exports of wood to Germany" });
    expect(refused).toMatchObject({ status: 402, errors: [{ path: "question" }] });
    expect(refused.detail).toContain("Wakanda");
    expect(refused.understood).toBeUndefined();
  });

  test("with two likely meanings is refused as ambiguous, before its 402 and with a payment", async () => {
    const ambiguous = { question: "How dependent is Latvia on imports of clothes?" };
    const { headers } = await service.issue({ scopes: ["read", "order", "skill"] });
    const before = await unpaid("fusion/query", ambiguous);
    expect(before).toMatchObject({ status: 402, errors: [{ path: "question" }] });
    for (const [path, body, field] of [
      ["fusion/query", ambiguous, "question"],
      ["fusion/deep-analysis", ambiguous, "question"],
      ["skills/run", { agent: "strategist", task: ambiguous.question }, "task"],
    ] as const) {
      const answer = await fetch(`${service.url}/v1/agent/${path}`, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const problem = (await answer.json()) as Record<string, unknown>;
      expect([path, answer.status, problem.type]).toEqual([path, 400, expect.stringMatching(/#ambiguous$/)]);
      expect(problem.errors).toMatchObject([{ path: field, message: expect.stringMatching(/61 .* or 62 /) }]);
    }
    // A code given as a field needs no reading of the words.
    expect((await query({ ...ambiguous, hs: "44" })).data.slots).toMatchObject({ hs: "44", country: "LV" });
  });

  test("can be read free of charge", async () => {
    const url = `${service.url}/v1/agent/fusion/intents?question=${encodeURIComponent(question)}`;
    const { meta } = (await (await fetch(url)).json()) as { meta: { understood: object } };
    expect(meta.understood).toMatchObject({ intent: "dependency", product: { code: "27" } });
    const plain = await (await fetch(`${service.url}/v1/agent/fusion/intents`)).json();
    expect(plain).toMatchObject({ meta: { understood: null } });
  });
});

test("an answer from the sandbox names the available real data", async () => {
  const question = "How dependent is Latvia on imports of mineral fuels since 2020?";
  expect((await query({ question })).meta.real_data).toBeUndefined();
  const { manifest } = await importFiles(service.data_dir, [sdmxFixture], { reporters: ["DE"] });
  await releaseVintage(service.app, service.data_dir, manifest.vintage);
  await opened(service, [manifest.vintage]);
  const answer = await query({ question });
  expect(answer.meta).toMatchObject({
    synthetic: true,
    real_data: [{ dataset: manifest.dataset, why: "covers the products 39206290" }],
  });
  // It rests on what it names, so that a repeat at its vintages is the same.
  const { rests_on } = answer.meta as unknown as { rests_on: string };
  expect(await query({ question, vintage: rests_on })).toEqual(answer);
  const report = await askReport(service, headers, "/v1/agent/trade-premium/custom-report", { question });
  const { data } = (await report.json()) as { data: Report };
  expect(data.limits.map(({ text }) => text.replaceAll(/\u00a0\[F\d+\]/g, ""))).toContain(
    `These figures are synthetic. The real dataset “${manifest.dataset}” does not answer: “covers the products 39206290”.`,
  );
  expect(reportFaults(data, canonical)).toEqual([]);
  expect((await repeatQuestions(data, canonical, askAt(service.url, secret))).faults).toEqual([]);
  // One country's figures are not figures of the EU, in a question as in the operations that it calls.
  const { status, errors } = await refused({
    question: "Who are the largest exporters of HS 39206290 in 2024?",
  });
  expect([status, errors[0]?.message]).toEqual([
    400,
    expect.stringMatching(/covers the reporters DE; not AT/),
  ]);
  await openSandboxLv(service);
  const own = await query({ question: "How dependent is Latvia on imports of HS 84713000?" });
  expect(own.data.passed).toMatchObject([
    { step: "product", why: expect.stringMatching(/covers the reporters LV/) },
  ]);
  expect(own.data.steps.map(({ step }) => step)).toContain("market");
});
