/** Reports over HTTP: made, stored, printed in four forms, with the source of every number. */
import { randomInt } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { exportLog } from "../../eventstore/files/export.ts";
import { MAIN_LOG } from "../../eventstore/types.ts";
import { canonical, STEP_MS } from "../../src/api/serve/nested-calls.ts";
import { askAt, reportCommand } from "../../src/cli/report.ts";
import { factFaults, reportFaults } from "../../src/domain/reports/check.ts";
import { repeatQuestions } from "../../src/domain/reports/repeat-questions.ts";
import { detached, factsDigest, KEEP_DAYS, type Report } from "../../src/domain/reports/report.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { CUSTOM_MS } from "../../src/projections/reports/answers/custom.ts";
import { storedReportsProjection } from "../../src/projections/reports/stored-reports.ts";
import { objectsReactor } from "../../src/reactors/log/delete-objects.ts";
import {
  askReport,
  attachmentOf,
  BRIEF,
  formOf,
  untracedForms,
  wordsOfHtml,
  wordsOfPdf,
} from "../support/reported.ts";
import { openSandbox } from "../support/sandbox.ts";
import { scaled } from "../support/scale.ts";
import { type Service, startService } from "../support/service.ts";
import { turn } from "../support/turns.ts";

let service: Service & { database_url: string };
let headers: Record<string, string>;
let secret: string;

beforeAll(async () => {
  service = await startService();
  ({ headers, secret } = await service.issue());
  await openSandbox(service);
});
afterAll(() => service.stop());

const SECTORS = { sectors: ["27", "44"], region: "EU", years: "2020-2024" };
const CUSTOM = {
  question: "How dependent are they on imports?",
  reporters: ["LV", "GR"],
  years: [2022, 2024],
  products: ["27", "44"],
};
/** Each report's first question; a larger SCALE adds random ones. */
const FIRST: Record<string, readonly [path: string, input?: object]> = {
  "sovereign/brief": ["sovereign/brief", BRIEF.input],
  "sovereign/brief/multi": ["sovereign/brief/multi", SECTORS],
  "sovereign/brief/deep": ["sovereign/brief/deep", SECTORS],
  "trade-premium/deep-analysis": ["trade-premium/deep-analysis/LV/2024"],
  "trade-premium/custom-report": ["trade-premium/custom-report", { ...CUSTOM, products: ["27"] }],
  "fusion/deep-analysis": ["fusion/deep-analysis", { question: "What of Latvia and mineral fuels in 2023?" }],
};

const requestReport = async (path: string, input: object | undefined) => {
  const answer =
    input === undefined
      ? await fetch(service.url + path, { headers })
      : await askReport(service, headers, path, input);
  const text = await answer.text();
  expect([answer.status, text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return (JSON.parse(text) as { data: Report }).data;
};
const form = (report: Report, accept: string) => formOf(service, headers, report, accept);

test("every fact matches its repeated answer over HTTP, and an altered one is named", async () => {
  // Tests below check that all of them are true.
  const report = await requestReport(BRIEF.path, BRIEF.input);
  const ask = askAt(service.url, secret);
  const at = report.facts.findIndex(({ unit }) => unit === "EUR");
  const other = { ...report.facts[at]!, value: Number(report.facts[at]!.value) + 1 };
  const { faults } = await repeatQuestions(
    { facts: report.facts.map((one) => (one.id === other.id ? other : one)) },
    canonical,
    ask,
  );
  expect(faults.map(({ at }) => at)).toEqual([other.id]);
  const unpaid = await repeatQuestions(report, canonical, askAt(service.url, undefined));
  expect(unpaid.faults[0]?.says).toContain("pass a key");
});

test("a repeated report has the same bytes, also for another tenant, and each tenant has its own", async () => {
  const one = await requestReport(BRIEF.path, BRIEF.input);
  const other = await service.issue({ tenant: "other" });
  const answer = await askReport(service, other.headers, BRIEF.path, BRIEF.input);
  expect(((await answer.json()) as { data: Report }).data).toEqual(one);
  const stranger = await service.issue({ tenant: "stranger" });
  const path = `${service.url}/v1/agent/reports/${one.report_id}`;
  const statuses = [];
  for (const who of [headers, other.headers, stranger.headers])
    statuses.push((await fetch(path, { headers: who })).status);
  expect(statuses).toEqual([200, 200, 404]);
});

test("each form has the same bytes each time, new or stored", async () => {
  const report = await requestReport(BRIEF.path, BRIEF.input);
  for (const accept of ["text/markdown", "text/html", "application/pdf"]) {
    const first = Buffer.from(
      await (await askReport(service, headers, BRIEF.path, BRIEF.input, accept)).arrayBuffer(),
    );
    expect([accept, first.equals(await form(report, accept))]).toEqual([accept, true]);
  }
});

test("two processes over one database give the same bytes at named vintages in all four forms", async () => {
  const { vintages } = await requestReport(BRIEF.path, BRIEF.input);
  const beside = await startService({ beside: service });
  const strangers = await beside.issue({ tenant: "beside" });
  const input = { ...BRIEF.input, vintage: vintages };
  for (const accept of ["application/json", "text/markdown", "text/html", "application/pdf"]) {
    const bytesOf = async (at: Service, who: Record<string, string>) => {
      const answer = await askReport(at, who, BRIEF.path, input, accept);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        200,
        expect.stringContaining(accept),
      ]);
      return bytes;
    };
    const [here, there] = await Promise.all([bytesOf(service, headers), bytesOf(beside, strangers.headers)]);
    expect([accept, here.length > 1000, here.equals(there)]).toEqual([accept, true, true]);
  }
  await beside.stop();
});

test("an invalid input is named", async () => {
  const refused = await askReport(service, headers, BRIEF.path, {
    hs: "44",
    region: "ZZ",
    years: "1990",
    layers: ["x"],
  });
  expect(refused.status).toBe(400);
  const { errors } = (await refused.json()) as { errors: { path: string }[] };
  expect(errors.map(({ path }) => path).sort()).toEqual(["layers.0", "region"]);
});

test.each([
  [
    "trade-premium/custom-report",
    { ...CUSTOM, reporters: [...reporterCodes] },
    "reporters",
    "a report runs at most 100",
  ],
  ["trade-premium/custom-report", { ...CUSTOM, question: "What of it?" }, "question", "nearest"],
  ["trade-premium/custom-report", { ...CUSTOM, question: "What is inflation?" }, "question", "nearest"],
  ["fusion/deep-analysis", { question: "What is love?" }, "question", "no country or product"],
  ["fusion/deep-analysis", { question: "Latvia", years: "2000-2024" }, "years", "at most 20"],
])("%s refuses %j by the name of its field", async (path, input, field, why) => {
  const refused = await askReport(service, headers, `/v1/agent/${path}`, input);
  expect(refused.status).toBe(400);
  const { errors } = (await refused.json()) as { errors: { path: string; message: string }[] };
  expect(errors).toEqual([{ path: field, message: expect.stringContaining(why) }]);
});

test("custom-report names each list that is too long", async () => {
  const refused = await askReport(service, headers, "/v1/agent/trade-premium/custom-report", {
    question: "?".repeat(501),
    reporters: [...reporterCodes, "LV"],
    years: Array.from({ length: 21 }, (_, at) => 2005 + at),
    products: Array.from({ length: 21 }, (_, at) => String(at + 10)),
  });
  expect(refused.status).toBe(400);
  const { errors } = (await refused.json()) as { errors: { path: string }[] };
  expect([...new Set(errors.map(({ path }) => path))].sort()).toEqual([
    "products",
    "question",
    "reporters",
    "years",
  ]);
});

test.each([
  ["a step", STEP_MS],
  ["all steps together", CUSTOM_MS],
])("where %s takes longer than %i ms, custom-report is 503 and makes nothing", async (_, limit) => {
  const path = "/v1/agent/trade-premium/custom-report";
  const input = { ...CUSTOM, products: ["27"] };
  const { report_id } = await requestReport(path, input);
  const slow = await service.issue({ tenant: `slow-${limit}` });
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) =>
    ms === limit ? AbortSignal.abort(new Error("the time is over")) : timeout(ms),
  );
  const refused = await askReport(service, slow.headers, path, input);
  vi.restoreAllMocks();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
  expect(((await refused.json()) as { detail: string }).detail).toContain("took too long");
  const kept = await fetch(`${service.url}/v1/agent/reports/${report_id}`, { headers: slow.headers });
  expect(kept.status).toBe(404);
});

test("the PDF has whole findings, no nearly empty page, and its facts attached", async () => {
  const report = await requestReport(BRIEF.path, BRIEF.input);
  const pdf = await form(report, "application/pdf");
  const pages = await wordsOfPdf(pdf);
  const folded = pages.join(" ").replaceAll(/\s+/g, "");
  for (const { text } of report.sections.flatMap(({ findings }) => findings))
    expect(folded).toContain(text.replaceAll(/\s+/g, ""));
  expect(pages.filter((page) => page.trim().split("\n").length < 3)).toEqual([]);
  const attached = JSON.parse(attachmentOf(pdf).toString()) as Report;
  expect(attached.facts).toEqual(report.facts);
});

test("Latvian and Greek text is intact in HTML and PDF", async () => {
  const names = ["Ķekava", "Šķūņu", "Ēģipte", "Žīguļi", "Θεσσαλονίκη", "Ελλάδα"];
  const question = `Do ${names.join(", ")} depend on imports?`;
  const report = await requestReport("/v1/agent/trade-premium/custom-report", {
    ...CUSTOM,
    products: ["27"],
    question,
  });
  const html = wordsOfHtml(await form(report, "text/html"));
  const pdf = (await wordsOfPdf(await form(report, "application/pdf"))).join(" ");
  for (const name of names)
    expect([name, html.includes(name), pdf.normalize("NFC").includes(name)]).toEqual([name, true, true]);
});

/** Inputs of a report: its first question, and random ones after it. */
const INPUTS = scaled(1);

const chapters = fc.constantFrom("27", "29", "30", "39", "44", "84", "85", "87");
const reporters = fc.constantFrom(...reporterCodes);
const years = fc
  .tuple(fc.integer({ min: 2012, max: 2025 }), fc.integer({ min: 0, max: 8 }))
  .map(([to, back]) => `${Math.max(2005, to - back)}-${to}`);
const common = {
  region: fc.oneof(fc.constantFrom("EU", "GLOBAL"), reporters),
  years,
  layers: fc.subarray(["sanctions", "gdelt", "ais"]),
};
const sectors = fc.record({ sectors: fc.uniqueArray(chapters, { minLength: 2, maxLength: 8 }), ...common });
const inputsByPath: Record<string, fc.Arbitrary<object>> = {
  "sovereign/brief": fc.record({ hs: fc.oneof(chapters, fc.constant("4401")), ...common }),
  "sovereign/brief/multi": sectors,
  "sovereign/brief/deep": sectors,
  "trade-premium/custom-report": fc.record({
    question: fc.constantFrom(
      "How dependent are they on imports?",
      "How did the market grow?",
      "Who are the largest exporters?",
      "The trade balance",
    ),
    reporters: fc.uniqueArray(reporters, { minLength: 1, maxLength: 3 }),
    years: fc.uniqueArray(fc.integer({ min: 2015, max: 2025 }), { minLength: 1, maxLength: 4 }),
    products: fc.uniqueArray(chapters, { minLength: 1, maxLength: 2 }),
  }),
  "fusion/deep-analysis": fc.record({
    question: fc.constantFrom("What of it?", "Kas notiek?", "Tell all of 2023"),
    country: fc.oneof(reporters, fc.constantFrom("CN", "TR", "US")),
    hs: chapters,
    years,
  }),
};

/** The forms of a request: POST with a body, or GET with all of it in the path. */
const questions: [string, fc.Arbitrary<readonly [path: string, input?: object]>][] = [
  ...Object.entries(inputsByPath).map(
    ([name, inputs]) => [name, inputs.map((input) => [name, input] as const)] as const,
  ),
  [
    "trade-premium/deep-analysis",
    fc
      .tuple(reporters, fc.integer({ min: 2009, max: 2024 }))
      .map(([code, year]) => [`trade-premium/deep-analysis/${code}/${year}`] as const),
  ],
].map(([name, inputs]) => [name as string, inputs as fc.Arbitrary<readonly [string, object?]>]);

describe.each(questions)("%s", (name, inputs) => {
  test(
    "every number in every form is traced, and one altered digit is named",
    async () => {
      const anything = fc.tuple(inputs, fc.nat(), fc.integer({ min: 1, max: 9 }));
      const once = async ([[path, input], which, by]: [readonly [string, object?], number, number]) => {
        const report = await requestReport(`/v1/agent/${path}`, input);
        expect(reportFaults(report, canonical)).toEqual([]);
        expect((await repeatQuestions(report, canonical, askAt(service.url, secret))).faults).toEqual([]);
        const html = (await form(report, "text/html")).toString();
        expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)|src=|@import/);
        expect(await untracedForms(service, headers, report)).toEqual({ markdown: [], html: [], pdf: [] });
        for (const [text, faults] of [
          [canonical(report), (one: Report) => reportFaults(one, canonical)],
          [canonical(detached(report)), (one: Report) => factFaults(one, canonical)],
        ] as const) {
          const altered = alteredOf<Report>(text, which, by);
          if (altered) expect(faults(altered)).not.toEqual([]);
        }
      };
      const first = FIRST[name]!;
      expect((await requestReport(`/v1/agent/${first[0]}`, first[1])).facts.length).toBeGreaterThan(20);
      const [which, by] = [randomInt(1e6), randomInt(1, 10)];
      await fc.assert(fc.asyncProperty(anything, once), {
        ...{ numRuns: INPUTS, endOnFailure: true, examples: [[[first, which, by]]] },
      });
      // Only a larger SCALE needs this many.
    },
    120_000 + 20_000 * INPUTS,
  );
});

/** The JSON with one digit changed; undefined where that is not JSON, or the same value. */
function alteredOf<T extends object>(text: string, which: number, by: number): T | undefined {
  const places = [...text.matchAll(/\d/g)].map(({ index }) => index);
  const at = places[which % places.length]!;
  try {
    const altered = JSON.parse(text.slice(0, at) + ((Number(text[at]) + by) % 10) + text.slice(at + 1)) as T;
    return canonical(altered) === text ? undefined : altered;
  } catch {
    return undefined;
  }
}

test("after 180 days a report is gone, and the log still verifies a copy", async () => {
  const { app } = service;
  const input = { ...BRIEF.input, hs: "87" };
  const report = await requestReport(BRIEF.path, input);
  await app.caughtUp(storedReportsProjection);
  const { rows } = await app.pool.query<{ days: number }>(
    "select extract(epoch from keep_until - now()) / 86400 as days from objects.small where name like $1",
    [`report/${report.report_id}/%`],
  );
  expect(rows.map(({ days }) => Math.round(Number(days)))).toEqual([KEEP_DAYS]);
  await app.pool.query(
    "update objects.small set keep_until = now() - interval '1 second' where name like $1",
    [`report/${report.report_id}/%`],
  );
  await turn(app, objectsReactor);
  const gone = await fetch(`${service.url}/v1/agent/reports/${report.report_id}`, { headers });
  expect([gone.status, JSON.stringify(await gone.json())]).toEqual([
    410,
    expect.stringContaining("report-past-keeping"),
  ]);

  const folder = await mkdtemp(join(tmpdir(), "tallystick-report-"));
  const file = (name: string) => join(folder, name);
  try {
    await exportLog(app.pool, { log_id: MAIN_LOG }, createWriteStream(file("log.ndjson")));
    await writeFile(file("report.json"), JSON.stringify({ data: report }));
    await writeFile(file("facts.json"), canonical(detached(report)));
    const [first] = report.facts;
    const changed = { ...detached(report), facts: [{ ...first!, value: 1 }, ...report.facts.slice(1)] };
    const forged = { ...changed, facts_sha256: factsDigest(changed, canonical) };
    await writeFile(file("forged.json"), canonical(forged));
    const { position, log_hash } = await app.store.head(MAIN_LOG);
    const head = `${position}:${Buffer.from(log_hash).toString("hex")}`;
    const exported = ["--export", file("log.ndjson"), "--json"];
    const verify = (name: string) => verified("verify", file(name), ...exported, "--head", head);
    const unsigned = await verified("verify", file("report.json"), ...exported);
    expect([unsigned.code, unsigned.answer.faults]).toEqual([
      1,
      [{ at: "words", says: expect.stringContaining("nothing signs or anchors the export") }],
    ]);
    await writeFile(file("none.ndjson"), "{}\n");
    const nothing = await verified("verify", file("report.json"), "--export", file("none.ndjson"), "--json");
    expect([nothing.code, nothing.answer]).toEqual([2, undefined]);
    for (const name of ["report.json", "facts.json"])
      expect(await verify(name)).toMatchObject({
        ...{ code: undefined },
        answer: { ok: true, verified: name.slice(0, -5), figures: null, faults: [] },
      });
    const { code, answer: output } = await verify("forged.json");
    expect([code, output.faults.map(({ at }) => at)]).toEqual([1, ["facts_sha256"]]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Runs `tallystick report …` within this process. */
async function verified(...args: string[]) {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const silent = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const settings = () => {
      throw new Error("no settings are asked for");
    };
    await reportCommand({ settings }).parseAsync(args, { from: "user" });
    const output = write.mock.calls.map(([text]) => String(text)).join("");
    return {
      code: process.exitCode,
      answer: output === "" ? undefined! : (JSON.parse(output) as VerifyResult),
    };
  } finally {
    process.exitCode = before;
    write.mockRestore();
    silent.mockRestore();
  }
}

type VerifyResult = {
  ok: boolean;
  verified: string | null;
  figures: { asked: number; verified: number } | null;
  faults: { at: string; says: string }[];
};
