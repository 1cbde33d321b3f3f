/** Reports over HTTP: made, kept, printed in four forms, every number of each traced. */
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonical } from "../../src/api/asking.ts";
import { askAt } from "../../src/cli/report.ts";
import { askedAgain } from "../../src/domain/reports/asked-again.ts";
import { reportFaults } from "../../src/domain/reports/check.ts";
import { print } from "../../src/domain/reports/fact.ts";
import type { Report } from "../../src/domain/reports/report.ts";
import { reporterCodes } from "../../src/domain/trade/reporters.ts";
import { askReport, BRIEF, untraced } from "../support/reported.ts";
import { openSandbox } from "../support/sandbox.ts";
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

const SECTORS = { sectors: ["27", "44"], region: "EU", years: "2020-2024" };
const CUSTOM = {
  question: "How dependent are they on imports?",
  reporters: ["LV", "GR"],
  years: [2022, 2024],
  products: ["27", "44"],
};
const REPORTS = [
  [BRIEF.path, BRIEF.input],
  ["/v1/agent/sovereign/brief/multi", SECTORS],
  ["/v1/agent/sovereign/brief/deep", SECTORS],
  ["/v1/agent/trade-premium/deep-analysis/LV/2024", undefined],
  ["/v1/agent/trade-premium/custom-report", { ...CUSTOM, products: ["27"] }],
  ["/v1/agent/fusion/deep-analysis", { question: "What of Latvia and mineral fuels in 2023?" }],
] as const;

const made = async (path: string, input: object | undefined) => {
  const answer =
    input === undefined
      ? await fetch(service.url + path, { headers })
      : await askReport(service, headers, path, input);
  const text = await answer.text();
  expect([answer.status, text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return (JSON.parse(text) as { data: Report }).data;
};
const formOf = async (report: Report, accept: string) => {
  const answer = await fetch(`${service.url}/v1/agent/reports/${report.report_id}`, {
    headers: { ...headers, Accept: accept },
  });
  expect(answer.headers.get("content-type")).toContain(accept);
  return Buffer.from(await answer.arrayBuffer());
};

describe.each(REPORTS)("%s", (path, input) => {
  test("says what its facts say, and each fact stands where it says", async () => {
    const report = await made(path, input);
    expect(reportFaults(report, canonical)).toEqual([]);
    expect(report.facts.length).toBeGreaterThan(20);
    const { faults } = await askedAgain(report, canonical, askAt(service.url, secret));
    expect(faults).toEqual([]);
  });

  test("no number of Markdown and HTML is untraced", async () => {
    const report = await made(path, input);
    const told = report.facts.map(print);
    const markdown = (await formOf(report, "text/markdown")).toString().replaceAll("\\", "");
    expect(untraced(markdown, report, told)).toEqual([]);
    const html = (await formOf(report, "text/html")).toString();
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)|src=|@import/);
    const read = html
      .replaceAll(/<svg[\s\S]*?<\/svg>|<style>[\s\S]*?<\/style>|<[^>]*>/g, " ")
      .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    expect(untraced(read, report, told)).toEqual([]);
  });
});

test("asked again over HTTP, each fact is what it says, and one that was altered is named", async () => {
  const report = await made(BRIEF.path, BRIEF.input);
  const ask = askAt(service.url, secret);
  expect(await askedAgain(report, canonical, ask)).toMatchObject({ faults: [] });
  const at = report.facts.findIndex(({ unit }) => unit === "EUR");
  const other = { ...report.facts[at]!, value: Number(report.facts[at]!.value) + 1 };
  const { faults } = await askedAgain(
    { facts: report.facts.map((one) => (one.id === other.id ? other : one)) },
    canonical,
    ask,
  );
  expect(faults.map(({ at }) => at)).toEqual([other.id]);
  const unpaid = await askedAgain(report, canonical, askAt(service.url, undefined));
  expect(unpaid.faults[0]?.says).toContain("give a key");
});

test("made again, by another tenant too, it is the same bytes, and each has its own", async () => {
  const one = await made(BRIEF.path, BRIEF.input);
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

test("each form is the same bytes each time, whether it is made or kept", async () => {
  const report = await made(BRIEF.path, BRIEF.input);
  for (const form of ["text/markdown", "text/html", "application/pdf"]) {
    const first = Buffer.from(
      await (await askReport(service, headers, BRIEF.path, BRIEF.input, form)).arrayBuffer(),
    );
    expect([form, first.equals(await formOf(report, form))]).toEqual([form, true]);
  }
});

test("an input that cannot be is named", async () => {
  const refused = await askReport(service, headers, BRIEF.path, {
    hs: "44",
    region: "US",
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
    "100 are the most",
  ],
  ["trade-premium/custom-report", { ...CUSTOM, question: "What of it?" }, "question", "nearest"],
  ["trade-premium/custom-report", { ...CUSTOM, question: "What is inflation?" }, "question", "nearest"],
  ["fusion/deep-analysis", { question: "What is love?" }, "question", "no country and no product"],
  ["fusion/deep-analysis", { question: "Latvia", years: "2000-2024" }, "years", "20 at most"],
])("%s refuses %j by the name of its field", async (path, input, field, why) => {
  const refused = await askReport(service, headers, `/v1/agent/${path}`, input);
  expect(refused.status).toBe(400);
  const { errors } = (await refused.json()) as { errors: { path: string; message: string }[] };
  expect(errors).toEqual([{ path: field, message: expect.stringContaining(why) }]);
});

/** The JSON file within a PDF, found without a reader of PDFs: one of its deflated streams. */
function attachmentOf(pdf: Buffer): Buffer {
  for (let at = pdf.indexOf("stream"); at >= 0; at = pdf.indexOf("stream", at + 6)) {
    const from = pdf[at + 6] === 13 ? at + 8 : at + 7;
    try {
      const text = inflateSync(pdf.subarray(from, pdf.indexOf("endstream", from)));
      if (text.subarray(0, 1).toString() === "{") return text;
    } catch {}
  }
  throw new Error("no JSON is attached");
}

test("as a PDF it has its facts attached, and no number of it is untraced", async () => {
  const report = await made(BRIEF.path, BRIEF.input);
  const pdf = await formOf(report, "application/pdf");
  const { definePDFJSModule, extractText, getDocumentProxy } = await import("unpdf");
  await definePDFJSModule(() => import("unpdf/pdfjs"));
  const read = await getDocumentProxy(new Uint8Array(pdf));
  const { text } = await extractText(read);
  const pages = (text as string[]).map((page) => page.replaceAll(/Page \d+ of \d+/g, " "));
  const folded = pages.join(" ").replaceAll(/\s+/g, "");
  for (const { text } of report.sections.flatMap(({ findings }) => findings))
    expect(folded).toContain(text.replaceAll(/\s+/g, ""));
  expect(untraced(pages.join(" "), report, report.facts.map(print))).toEqual([]);
  expect(pages.filter((page) => page.trim().split("\n").length < 3)).toEqual([]);
  const attached = JSON.parse(attachmentOf(pdf).toString()) as Report;
  expect(attached.facts).toEqual(report.facts);
});
