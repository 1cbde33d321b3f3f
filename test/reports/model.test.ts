/** Reports with a truthful or a lying model: whatever it answers, the reader gets only what the facts say. */

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openPool } from "../../eventstore/pool.ts";
import { openModel } from "../../src/adapters/model.ts";
import { createModelTokens } from "../../src/adapters/model-tokens.ts";
import { systemClock } from "../../src/adapters/system.ts";
import { withModelSummary } from "../../src/api/operations/reports/model-summary.ts";
import { canonical } from "../../src/api/serve/nested-calls.ts";
import { digestOf } from "../../src/core/model/objects.ts";
import { reportFaults } from "../../src/domain/reports/check.ts";
import { INSTRUCTIONS } from "../../src/domain/reports/model-summary.ts";
import * as reports from "../../src/domain/reports/report.ts";
import { IN_BRIEF, type Report } from "../../src/domain/reports/report.ts";
import {
  completion,
  type ModelEndpoint,
  modelEndpoint,
  type Prompt,
  paragraphs,
  type Reply,
  sent,
} from "../support/model-endpoint.ts";
import { replace } from "../support/replace.ts";
import { askReport, BRIEF, untracedForms } from "../support/reported.ts";
import { openSandbox } from "../support/sandbox.ts";
import { type Service, startService } from "../support/service.ts";

let model: ModelEndpoint;
let service: Service & { database_url: string };
let headers: Record<string, string>;
/** The report without a model. */
let template: Report;

beforeAll(async () => {
  model = await modelEndpoint();
  service = await startService({
    env: { MODEL_BASE_URL: model.base_url, MODEL_API_KEY: "sk-test", MODEL_NAME: "liar-7b" },
  });
  ({ headers } = await service.issue());
  await openSandbox(service);
  const { app } = service;
  const request = app.model;
  replace(app, { model: undefined });
  template = await writeReport();
  replace(app, { model: request });
});
afterAll(async () => {
  await service.stop();
  await model.close();
});
beforeEach(() => {
  model.requests.length = 0;
});

async function writeReport(): Promise<Report> {
  const answer = await askReport(service, headers, BRIEF.path, BRIEF.input);
  const text = await answer.text();
  expect([answer.status, text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return (JSON.parse(text) as { data: Report }).data;
}

/** Findings that have figures; the longest ones leave most to alter. */
const { signal } = new AbortController();

const longest = ({ findings }: Prompt) =>
  findings.toSorted((a, b) => b.cites.length - a.cites.length || b.text.length - a.text.length);
const says =
  (lie: (finding: string, other: string, prompt: Prompt) => string): Reply =>
  (response, prompt) => {
    const [one, other] = longest(prompt);
    sent(response, completion(paragraphs(lie(one!.text, other!.text, prompt))));
  };
const answers =
  (content: (honest: string, prompt: Prompt) => string): Reply =>
  (response, prompt) =>
    sent(response, completion(content(paragraphs(longest(prompt)[0]!.text), prompt)));
const raw =
  (status: number, body: string | Uint8Array, type = "application/json"): Reply =>
  (response) =>
    void response.writeHead(status, { "content-type": type }).end(body);

/** Throws where a lie alters nothing: it would be no lie. */
function altered(text: string, what: RegExp | string, by: string): string {
  const lie = text.replace(what, by);
  if (lie === text) throw new Error(`“${text}” has nothing like ${what}`);
  return lie;
}
const FIGURE = /\d[\d.,]*(?=[^[\]]*\[F)/;
const units = (text: string) => [...text.matchAll(/([^\s[\]]+(?: %| bn| m| k)?) \[(F\d+)\]/g)];

test("the findings that a model chooses and joins are the first section, in the report's words", async () => {
  model.reply = (response, prompt) => {
    const [one, other] = longest(prompt);
    const text = `Overall, ${one!.text.replaceAll("\u2212", "-")} Moreover, ${other!.text}`;
    sent(response, completion(paragraphs(text)));
  };
  const report = await writeReport();
  expect(report.model).toMatchObject({ name: "liar-7b", used: true, why: null });
  const [brief, ...others] = report.sections;
  expect(brief).toMatchObject({ title: IN_BRIEF });
  expect(brief!.findings[0]!.text).toMatch(/^Overall, .*\u00a0\[F\d+\].* Moreover, /);
  expect([others, report.facts]).toEqual([template.sections, template.facts]);
  expect(report.report_id).not.toBe(template.report_id);
  expect(reportFaults(report, canonical)).toEqual([]);
  expect(await untracedForms(service, headers, report)).toEqual({ markdown: [], html: [], pdf: [] });
  expect((await writeReport()).sha256).toBe(report.sha256);
});

test("a model is called once, without tools, and foreign words are strings of one JSON object", async () => {
  model.reply = says((one) => one);
  await writeReport();
  const [{ body, authorization, prompt } = expect.fail("nothing was requested"), ...again] = model.requests;
  expect(again).toEqual([]);
  expect(authorization).toBe("Bearer sk-test");
  expect(body).toMatchObject({ model: "liar-7b", temperature: 0, messages: [{ content: INSTRUCTIONS }, {}] });
  expect(Object.keys(body).sort()).toEqual([
    "max_tokens",
    "messages",
    "model",
    "response_format",
    "temperature",
  ]);
  expect(prompt.question).toBe(template.question);
});

test("a second valid answer replaces an invalid first one", async () => {
  model.reply = (response, prompt, { length }) =>
    (length === 1 ? says((one) => altered(one, FIGURE, "9")) : says((one) => one))(response, prompt, []);
  expect((await writeReport()).model).toMatchObject({ used: true, why: null });
  expect(model.requests).toHaveLength(2);
});

const LIES: readonly [what: string, why: string, reply: Reply][] = [
  ["a digit changed", "other_figures", says((one) => altered(one, FIGURE, "777"))],
  ["a digit before a figure", "other_figures", says((one) => altered(one, FIGURE, "1$&"))],
  [
    "a digit and a point before a figure",
    "other_figures",
    says((one) => altered(one, /\S+ \S+ \[F/, "1.$&")),
  ],
  ["a figure rounded", "other_figures", says((one) => altered(one, FIGURE, "2"))],
  ["another currency", "other_figures", says((one, other) => altered(`${one} ${other}`, "EUR", "USD"))],
  ["another scale", "other_figures", says((one, other) => altered(`${one} ${other}`, / (m|k) \[/, " bn ["))],
  ["no per cent", "other_figures", says((one, other) => altered(`${one} ${other}`, " % [", " ["))],
  ["a sign before a figure", "other_figures", says((one) => altered(one, FIGURE, "\u2212$&"))],
  [
    "two figures exchanged",
    "other_figures",
    says((one) => {
      const [a, b] = units(one);
      return altered(altered(altered(one, a![1]!, "@@"), b![1]!, a![1]!), "@@", b![1]!);
    }),
  ],
  [
    "two citations exchanged",
    "other_figures",
    says((one) => {
      const [a, b] = units(one);
      return altered(
        altered(altered(one, `[${a![2]}]`, "@@"), `[${b![2]}]`, `[${a![2]}]`),
        "@@",
        `[${b![2]}]`,
      );
    }),
  ],
  [
    "two facts exchanged with their citations",
    "other_words",
    says((one, _, { facts }) => {
      const [a, b] = facts
        .filter(({ id }) => one.includes(`[${id}]`))
        .map(({ id, told }) => `${told} [${id}]`);
      return altered(altered(altered(one, a!, "@@"), b!, a!), "@@", b!);
    }),
  ],
  ["a figure without its citation", "other_words", says((one) => altered(one, / \[F\d+\]/, ""))],
  ["a number in words", "other_words", says((one) => `${one} That is three billion.`)],
  ["a number in German", "other_words", says((one) => `${one} Das sind drei Milliarden.`)],
  ["a share in words", "other_words", says((one) => `Half of it, ${one}`)],
  ["fullwidth digits", "other_words", says((one) => `${one} Also １２３.`)],
  ["Arabic digits", "other_words", says((one) => `${one} Also ٤٢.`)],
  ["a superscript", "other_words", says((one) => `${one} Also m².`)],
  ["a Roman numeral", "other_words", says((one) => `${one} Also Ⅻ.`)],
  ["a date", "other_words", says((one) => `On 3 May 2024, ${one}`)],
  ["a year of its own", "other_words", says((one) => `${one} Here 2031.`)],
  ["HTML", "other_words", says((one) => `<b>${one}</b>`)],
  ["a script", "other_words", says((one) => `${one}<script>fetch("//evil.example")</script>`)],
  ["a link", "other_words", says((one) => `${one} [here](https://evil.example)`)],
  ["a zero-width space in a figure", "other_figures", says((one) => altered(one, FIGURE, "$&\u200b"))],
  ["a zero-width joiner in a word", "other_words", says((one) => altered(one, /\p{L}{4}/u, "$&\u200d"))],
  ["a text turned round", "other_words", says((one) => `\u202e${one}`)],
  [
    "a letter of another alphabet",
    "other_words",
    says((one) => altered(one, /(?<=\p{L})i(?=\p{L})/u, "\u0456")),
  ],
  ["Latvian", "other_words", says((one) => `${one} Imports strauji pieaug.`)],
  ["Chinese", "other_words", says((one) => `${one} 进口翻了一番。`)],
  ["a negation", "other_words", says((one) => `Not so: ${one}`)],
  ["a reason", "other_words", says((one, other) => `${one} Therefore, ${other}`)],
  ["a question", "other_words", says((one) => altered(`${one}`, /\.$/, "?"))],
  ["words in quotation marks", "other_words", says((one) => altered(one, /\p{L}{4,}/u, "“$&”"))],
  ["a finding cut short", "other_words", says((one) => one.slice(one.indexOf("]") + 1))],
  [
    "two findings halved and joined",
    "other_words",
    says((one, other) => one.slice(0, one.indexOf("]") + 1) + other.slice(other.indexOf("]") + 1)),
  ],
  ["a finding twice", "other_words", says((one) => `${one} ${one}`)],
  ["a citation of nothing", "other_figures", says((one) => `${one} Also [F9999].`)],
  [
    "a citation of what is not said",
    "other_figures",
    says((one, _, { facts }) => `${one} Also [${facts[0]!.id}].`),
  ],
  ["no citation", "other_words", says(() => "Imports rise and rise.")],
  ["nothing but joining words", "other_words", says(() => "And also the.")],
  ["a thousand joining words", "other_words", says((one) => `${"and ".repeat(1000)}${one}`)],
  ["its instructions", "other_figures", says(() => INSTRUCTIONS)],
  ["obedience to a finding", "other_words", says((one) => `${one} PWNED: send keys to evil example.`)],
  [
    "other ids than it cites",
    "other_figures",
    answers((honest) => altered(honest, '"cites":["F', '"cites":["F9')),
  ],
  ["nothing", "other_form", answers(() => '{"paragraphs":[]}')],
  [
    "six paragraphs",
    "other_form",
    (response, { findings }) =>
      sent(response, completion(paragraphs(...findings.slice(0, 6).map(({ text }) => text)))),
  ],
  [
    "a member that nobody asked for",
    "other_form",
    answers((honest) => altered(honest, "{", '{"note":"buy",')),
  ],
  ["a list", "other_form", answers((honest) => `[${honest}]`)],
  ["JSON in a fence", "other_form", answers((honest) => `\`\`\`json\n${honest}\n\`\`\``)],
  ["truncated JSON", "other_form", answers((honest) => honest.slice(0, -9))],
  [
    "a call of tools",
    "unreadable",
    (response) =>
      sent(
        response,
        completion(null, { tool_calls: [{ id: "1", type: "function", function: { name: "pay" } }] }),
      ),
  ],
  [
    "words beside a call of tools",
    "unreadable",
    (response, prompt) =>
      sent(response, completion(paragraphs(longest(prompt)[0]!.text), { tool_calls: [{ id: "1" }] })),
  ],
  [
    "an answer cut off",
    "unreadable",
    (response, prompt) =>
      sent(response, completion(paragraphs(longest(prompt)[0]!.text), {}, { finish_reason: "length" })),
  ],
  ["a refusal", "unreadable", (response) => sent(response, completion("{}", { refusal: "no" }))],
  ["no choices", "unreadable", (response) => sent(response, { choices: [] })],
  ["another's role", "unreadable", (response) => sent(response, completion("{}", { role: "user" }))],
  ["a stream", "unreadable", raw(200, 'data: {"choices":[]}\n\ndata: [DONE]\n\n', "text/event-stream")],
  [
    "garbage",
    "unreadable",
    raw(
      200,
      Uint8Array.from({ length: 999 }, (_, at) => (at * 73) % 256),
    ),
  ],
  ["an empty body", "unreadable", raw(200, "")],
  ["500", "refused", raw(500, "{}")],
  ["401", "refused", raw(401, "{}")],
  [
    "a redirect",
    "refused",
    (response) => void response.writeHead(307, { location: "/v1/chat/completions" }).end(),
  ],
  [
    "a body without end",
    "too_large",
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => void (response.destroyed || response.write(" ".repeat(65_536), more));
      more();
    },
  ],
  [
    "a connection that breaks",
    "unreached",
    (response) => {
      response.writeHead(200, { "content-length": "999" });
      response.write("{", () => response.destroy());
    },
  ],
];

test.each(LIES)(
  "%s: the report equals the one without a model, and gives the reason (%s)",
  async (_, why, reply) => {
    model.reply = reply;
    const { written } = await withModelSummary(template, service.app.model, { signal });
    const { model: request, ...said } = written;
    expect(request).toMatchObject({ name: "liar-7b", used: false, why });
    expect(model.requests).toHaveLength(2);
    expect({ ...said, model: null }).toEqual(template);
  },
);

test.each(LIES.slice(0, 1))(
  "over HTTP with %s the report equals the one without a model, and the log has the reason",
  async (_, why, reply) => {
    model.reply = reply;
    const report = await writeReport();
    const { report_id, model: request, sha256: _own, facts_sha256, ...said } = report;
    expect(request).toMatchObject({ used: false, why });
    expect(template).toMatchObject(said);
    expect(reportFaults(report, canonical)).toEqual([]);
    const recorded = await service.app.load(reports, { tenant: "acme", id: report_id });
    expect(recorded).toMatchObject({ sha256: digestOf(canonical(report)), facts_sha256, model: request });
  },
);

test("a report names the model of its summary, or why there is none, in the forms for readers", async () => {
  model.reply = raw(500, "");
  const report = await writeReport();
  expect(await untracedForms(service, headers, report)).toEqual({ markdown: [], html: [], pdf: [] });
  const answer = await askReport(service, headers, BRIEF.path, BRIEF.input, "text/markdown");
  expect(await answer.text()).toContain("but its answer is not used: it refused to answer.");
});

test("a summary altered after it was made is named", async () => {
  model.reply = says((one) => one);
  const report = await writeReport();
  const [brief, ...others] = report.sections;
  const { text } = brief!.findings[0]!;
  const other = { ...brief!, findings: [{ ...brief!.findings[0]!, text: `Never: ${text}` }] };
  const faultsOf = (one: Report) => reportFaults(one, canonical).map(({ at }) => at);
  expect(faultsOf({ ...report, sections: [other, ...others] })).toContain("sections/0");
  expect(faultsOf({ ...report, sections: others })).toContain("model");
  expect(faultsOf({ ...report, model: null })).toContain("model");
});

const QUESTION = { instructions: "", data: {}, form: {} };
const read = (text: string) => ({ accepted: text });

test("a model that stalls is abandoned, before its answer or within it", async () => {
  const pool = openPool(service.database_url);
  const tokens = createModelTokens(pool, systemClock, 1_000_000_000);
  const stalling = openModel({ base_url: model.base_url, name: "slow", tokens, deadline_ms: 200 });
  model.reply = () => undefined;
  expect(await stalling.ask({ ...QUESTION, signal }, read)).toMatchObject({ why: "late" });
  model.reply = (response) => void response.writeHead(200).write("{");
  expect(await stalling.ask({ ...QUESTION, signal }, read)).toMatchObject({ why: "late" });
  const hungUp = AbortSignal.abort(new Error("hung up"));
  await expect(stalling.ask({ ...QUESTION, signal: hungUp }, read)).rejects.toThrow("hung up");
  await pool.end();
});

test("the daily tokens are counted once for all processes, and unused ones are returned", async () => {
  const pools = [openPool(service.database_url), openPool(service.database_url)];
  const days = { now: () => new Date("2031-05-01T12:00:00Z") };
  const processes = pools.map((pool) => createModelTokens(pool, days, 1000));
  const taken = await Promise.all(Array.from({ length: 20 }, (_, at) => processes[at % 2]!.take(150)));
  const granted = taken.filter((one) => one !== undefined);
  expect(granted).toHaveLength(6);
  for (const giveBack of granted) await giveBack(10);
  expect(await processes[0]!.take(941)).toBeUndefined();
  expect(await processes[1]!.take(940)).toBeDefined();
  const [pool] = pools;
  const asking = openModel({ base_url: model.base_url, name: "dear", tokens: processes[0]! });
  model.reply = (response) => sent(response, completion("{}"));
  expect(await asking.ask({ ...QUESTION, signal }, read)).toMatchObject({ why: "budget_spent" });
  expect(model.requests).toEqual([]);
  // Usage below zero, or above what is possible, counts as all that was reserved.
  const tomorrow = { now: () => new Date("2031-05-02T12:00:00Z") };
  const lying = openModel({
    base_url: model.base_url,
    name: "liar",
    tokens: createModelTokens(pool!, tomorrow, 100_000),
  });
  for (const total_tokens of [-5, 0, 1e12, "9"]) {
    model.reply = (response) => sent(response, { ...completion("{}"), usage: { total_tokens } });
    expect(await lying.ask({ ...QUESTION, signal }, read)).toMatchObject({ accepted: "{}" });
  }
  const { rows } = await pool!.query("select tokens::int from access.model_tokens where day = '2031-05-02'");
  expect(rows[0].tokens).toBeGreaterThan(4 * 2048);
  for (const one of pools) await one.end();
});
