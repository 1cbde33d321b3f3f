/** Reports as a caller gets them, and the numbers in their printed form. */
import { inflateSync } from "node:zlib";
import { expect } from "vitest";
import { print } from "../../src/domain/reports/fact.ts";
import type { Report } from "../../src/domain/reports/report.ts";
import type { Service } from "./service.ts";

type Headers = Record<string, string>;

/** Requests a report by POST in a format. */
export const askReport = (
  { url }: Pick<Service, "url">,
  headers: Headers,
  path: string,
  input: object,
  accept = "application/json",
) =>
  fetch(url + path, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", Accept: accept },
    body: JSON.stringify(input),
  });

export const BRIEF = {
  path: "/v1/agent/sovereign/brief",
  input: { hs: "44", region: "LV", years: "2020-2024", layers: ["sanctions"] },
} as const;

/** The input of an operation that returns an existing report. */
export async function reportExample(
  service: Pick<Service, "url">,
  headers: Headers,
): Promise<{ report_id: string }> {
  const answer = await askReport(service, headers, BRIEF.path, BRIEF.input);
  const { data } = (await answer.json()) as { data: Report };
  return { report_id: data.report_id };
}

/** An existing report in one of its formats. */
export async function formOf(
  { url }: Pick<Service, "url">,
  headers: Headers,
  { report_id }: Pick<Report, "report_id">,
  accept: string,
): Promise<Buffer> {
  const answer = await fetch(`${url}/v1/agent/reports/${report_id}`, {
    headers: { ...headers, Accept: accept },
  });
  expect(answer.headers.get("content-type")).toContain(accept);
  return Buffer.from(await answer.arrayBuffer());
}

/** The readable words of Markdown. */
export const wordsOfMarkdown = (markdown: Buffer) => markdown.toString().replaceAll("\\", "");

/** The readable words of a page, without its drawings. */
export const wordsOfHtml = (html: Buffer) =>
  html
    .toString()
    .replaceAll(/<svg[\s\S]*?<\/svg>|<style>[\s\S]*?<\/style>|<[^>]*>/g, " ")
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** The words of each page of a PDF, without its number. */
export async function wordsOfPdf(pdf: Buffer): Promise<string[]> {
  const { definePDFJSModule, extractText, getDocumentProxy } = await import("unpdf");
  await definePDFJSModule(() => import("unpdf/pdfjs"));
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)));
  return (text as string[]).map((page) => page.replaceAll(/Page \d+ of \d+/g, " "));
}

/** The JSON file within a PDF, found without a PDF reader: one of its deflated streams. */
export function attachmentOf(pdf: Buffer): Buffer {
  for (let at = pdf.indexOf("stream"); at >= 0; at = pdf.indexOf("stream", at + 6)) {
    const from = pdf[at + 6] === 13 ? at + 8 : at + 7;
    try {
      const text = inflateSync(pdf.subarray(from, pdf.indexOf("endstream", from)));
      if (text.subarray(0, 1).toString() === "{") return text;
    } catch {}
  }
  throw new Error("no JSON is attached");
}

/** The untraced numbers in a report's Markdown, HTML and PDF. */
export async function untracedForms(
  service: Pick<Service, "url">,
  headers: Headers,
  report: Report,
): Promise<Record<string, string[]>> {
  const answer = report.facts.map(print);
  const form = (accept: string) => formOf(service, headers, report, accept);
  return {
    markdown: untraced(wordsOfMarkdown(await form("text/markdown")), report, answer),
    html: untraced(wordsOfHtml(await form("text/html")), report, answer),
    pdf: untraced((await wordsOfPdf(await form("application/pdf"))).join(" "), report, answer),
  };
}

/**
 * The numbers of a printed form that are not a fact, citation or input, found without the printing code. Addresses,
 * vintages and the caller's input are removed as the report has them, then each fact's text; the rest is untraced.
 */
export function untraced(text: string, report: Report, results: readonly string[]): string[] {
  const folded = (one: string) => one.replaceAll(/[\s\u200b]+/g, "");
  const known = [
    report.report_id,
    ...report.vintages.split(","),
    report.question,
    ...Object.values(report.input).flat().map(String),
    ...(report.model ? [report.model.name, report.model.host] : []),
    ...report.methods.flatMap(({ formula, parameters, source }) => [formula, parameters, source]),
    ...report.facts.flatMap((fact) => [
      "from" in fact ? addressOf(fact.from) : fact.formula,
      String(fact.value),
    ]),
    ...results,
  ].map(folded);
  let rest = folded(text);
  for (const one of [...new Set(known)].toSorted((a, b) => b.length - a.length)) {
    if (!/\d/.test(one)) continue;
    // A short number counts only if it is separate.
    const escaped = one.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    rest = rest.replaceAll(
      new RegExp(one.length < 20 ? `(?<!\\d|\\d[.,])${escaped}(?!\\d)` : escaped, "g"),
      " ",
    );
  }
  const ids = new Set(report.facts.map(({ id }) => id));
  const states = report.vintages.split(",").length;
  rest = rest.replaceAll(/F\d+/g, (id) => (ids.has(id) ? " " : id));
  rest = rest.replaceAll(/V(\d+)/g, (id, at) => (Number(at) >= 1 && Number(at) <= states ? " " : id));
  return [...rest.matchAll(/.{0,12}\d+.{0,12}/g)].map(([found]) => found);
}

const addressOf = ({ operation, input, path }: { operation: string; input: object; path: string }) =>
  `${operation}?${Object.entries(input)
    .map(([name, value]) => `${name}=${value}`)
    .join("&")}#${path}`;
