/** Reports as a caller has them made, and numbers found in a printed form of one. */
import type { Report } from "../../src/domain/reports/report.ts";
import type { Service } from "./service.ts";

type Headers = Record<string, string>;

/** Asks by POST for a report in a form. */
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

/** The input of an operation that gives a report that was made. */
export async function reportExample(
  service: Pick<Service, "url">,
  headers: Headers,
): Promise<{ report_id: string }> {
  const answer = await askReport(service, headers, BRIEF.path, BRIEF.input);
  const { data } = (await answer.json()) as { data: Report };
  return { report_id: data.report_id };
}

/**
 * The digits of a printed form that are no fact, no citation and no input: written apart from the code that prints. Addresses, vintages and
 * what the caller asked are taken out as the report has them, then each fact as it is `told`; what remains is untraced.
 */
export function untraced(text: string, report: Report, told: readonly string[]): string[] {
  const folded = (one: string) => one.replaceAll(/[\s\u200b]+/g, "");
  const known = [
    report.report_id,
    ...report.vintages.split(","),
    report.question,
    ...report.methods.flatMap(({ formula, parameters, source }) => [formula, parameters, source]),
    ...report.facts.flatMap((fact) => [
      "from" in fact ? addressOf(fact.from) : fact.formula,
      String(fact.value),
    ]),
    ...told,
  ].map(folded);
  let rest = folded(text);
  for (const one of [...new Set(known)].toSorted((a, b) => b.length - a.length)) {
    if (!/\d/.test(one)) continue;
    // A short number is one only where it stands by itself.
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
