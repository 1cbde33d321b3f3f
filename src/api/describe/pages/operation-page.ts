/** An operation's page: its form, the call as code, an example answer, the answer's fields, and its errors. */

import { coreProblems, type ProblemType } from "../../../core/model/problem.ts";
import { LANGUAGES, samplesOf } from "../../../web/call-samples.ts";
import { html, type Markup, markup, prose } from "../../../web/html.ts";
import { isOpen, paymentOf, priceText } from "../../declare/access/way.ts";
import { recordedAnswers } from "../../declare/example-answer.ts";
import { type Form, formsOf } from "../../declare/forms/form.ts";
import { inputReader } from "../../declare/input.ts";
import type { Catalogue, Operation } from "../../declare/operation.ts";
import {
  effectOf,
  isInPath,
  mediaTypeOf,
  methodOf,
  pathOf,
  pathWith,
} from "../../declare/operation-facts.ts";
import { refusalsOf } from "../../declare/statuses.ts";
import { sourcesOf } from "../reference.ts";
import { type AnswerField, answerFields } from "./answer-fields.ts";
import { block } from "./markdown.ts";
import { fieldsOf, waysIn } from "./operation-form.ts";

type PageParts = { catalogue: Catalogue; public_url: string; key: string | undefined };

export function operationBody(operation: Operation, { catalogue, public_url, key }: PageParts): Markup {
  const { schema } = inputReader(operation.input);
  const forms = formsOf(operation);
  const isPaid = paymentOf(operation) !== undefined;
  const { changes } = effectOf(operation);
  return html`<div class="with-side">
      <div>
      <p class="back"><a href="/docs#area-${operation.area}">← ${operation.area}</a></p>
      <h1 class="claim">${operation.summary}</h1>
      <p class="route"><code>${operation.route}</code> <span class="price">${priceText(operation)}</span></p>
      ${operation.description
        .split(/\n{2,}/)
        .map((paragraph) => html`<p class="description">${prose(paragraph)}</p>`)}
      <p class="soft">Tool <code>${operation.name}</code> over MCP.${changes === "nothing" ? "" : " It records an event."} ${
        forms.length > 1
          ? html`Other formats, chosen by <code>Accept</code>: ${forms.slice(1).join(", ")}.`
          : ""
      }</p>
      <section id="operation" aria-labelledby="try-title" data-method="${methodOf(operation)}" data-path="${pathOf(operation)}" data-forms="${forms.join(" ")}" data-url="${public_url}" data-answer="${answerKind(operation)}">
        <h2 id="try-title">Try it</h2>
        <form id="try" class="card" novalidate>
          ${fieldsOf(operation, schema)}
          <fieldset class="paying">
            <legend>Authentication</legend>
            ${waysIn(operation, isPaid)}
          </fieldset>
          <div class="actions">
            <button type="submit" class="primary">Run</button>
            <span id="request" class="soft"></span>
          </div>
        </form>
        ${downloads(forms)}
        <div id="answer" class="result" role="status" aria-live="polite">${exampleOf(operation)}</div>
        ${codeOf(operation, public_url, key)}
      </section>
      ${fieldTable(answerFields(operation))}
      ${errorTable(operation, catalogue)}
      </div>
      ${sideOf(operation, catalogue)}
      </div>`;
}

const NAMES: Partial<Record<Form, string>> = {
  "text/csv": "CSV",
  "application/vnd.apache.parquet": "Parquet",
  "image/png": "PNG",
  "image/svg+xml": "SVG",
  "text/markdown": "Markdown",
  "text/html": "HTML",
  "application/pdf": "PDF",
};

const downloads = (forms: readonly Form[]): Markup | "" =>
  forms.length < 2
    ? ""
    : html`<p id="downloads" class="downloads"><span class="soft">Run and download as</span> ${forms.map(
        (form) =>
          NAMES[form] === undefined
            ? ""
            : html`<button type="button" data-form="${form}">${NAMES[form]}</button> `,
      )}</p>`;

function answerKind(operation: Operation): "json" | "text" | "bytes" {
  if (["json", "stream"].includes(operation.output.kind))
    return operation.output.kind === "json" ? "json" : "text";
  return mediaTypeOf(operation).startsWith("text/") ? "text" : "bytes";
}

/** The example as code. The page's script rewrites it when the form changes. */
function codeOf(operation: Operation, public_url: string, key: string | undefined): Markup {
  const method = methodOf(operation);
  const rest = Object.entries(operation.example).filter(([name]) => !isInPath(operation, name));
  const query = rest
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll("%2C", ",")}`)
    .join("&");
  const path = pathWith(operation, operation.example);
  const sources = sourcesOf(operation);
  const samples = samplesOf({
    method,
    url: public_url + (method === "POST" || query === "" ? path : `${path}?${query}`),
    body: method === "POST" ? Object.fromEntries(rest) : undefined,
    credential: isOpen(operation) ? "none" : { key },
    answer: answerKind(operation),
  });
  return html`<div id="code">
          <h3>The call as code</h3>
          <div class="views" role="group" aria-label="The call as code">${LANGUAGES.map(
            (name, at) =>
              html`<button type="button" aria-pressed="${String(at === 0)}" data-language="${name}">${name}</button> `,
          )}</div>
          ${LANGUAGES.map(
            (name, at) =>
              html`<div class="call" data-code="${name}"${at === 0 ? "" : html` hidden`}><pre tabindex="0">${samples[name]}</pre><button type="button" class="copy" aria-label="Copy the ${name} code" hidden></button></div>`,
          )}
          ${sources === undefined ? "" : html`<p class="soft">${prose(sources)}</p>`}
          ${paymentOf(operation) ? html`<p class="soft">A wallet pays without a key: <a href="/docs/clients#paying-for-a-call">Paying for a call</a>.</p>` : ""}
        </div>`;
}

function exampleOf(operation: Operation): Markup {
  const example = recordedAnswers[operation.name];
  if (example === undefined)
    return html`<p class="soft">${operation.output.kind === "picture" ? "The answer is a picture." : "No example answer is recorded."} Run the call to see an answer.</p>`;
  const text = typeof example === "string" ? example : JSON.stringify(example, null, 2);
  return html`<h3>An example answer</h3>
          <p class="soft">It was recorded in a sandbox: its figures are invented, long lists and texts are shortened.</p>
          <div class="pane">${markup(block(text))}</div>`;
}

const MOST_ROWS = 12;

function fieldTable(fields: readonly AnswerField[]): Markup | "" {
  if (fields.length === 0) return "";
  const isMeta = ({ path }: AnswerField) => path.startsWith("meta.");
  const own = fields.filter((one) => !isMeta(one));
  const meta = fields.filter(isMeta);
  return html`<section aria-labelledby="fields-title">
        <h2 id="fields-title">Fields of the answer</h2>
        ${tableOf(own)}
        ${meta.length === 0 ? "" : meta.length <= MOST_ROWS ? tableOf(meta) : html`<details><summary>The fields of meta</summary>${tableOf(meta)}</details>`}
      </section>`;
}

const tableOf = (fields: readonly AnswerField[]): Markup => html`<div class="wide-table" tabindex="0"><table>
          <thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
          <tbody>${fields.map(
            ({ path, type, about }) =>
              html`<tr><td><code>${path}</code></td><td>${type}</td><td>${prose(about)}</td></tr>`,
          )}</tbody>
        </table></div>`;

/** The errors of the core and of the operation's area, chosen by the operation's statuses. */
function errorTable(operation: Operation, { areas }: Catalogue): Markup {
  const own = areas.find(({ name }) => name === operation.area)?.problems ?? {};
  const statuses = refusalsOf(operation);
  const kinds = [...Object.values<ProblemType>(coreProblems), ...Object.values(own)]
    .filter(({ status }) => statuses.has(status))
    .toSorted((a, b) => a.status - b.status);
  return html`<section aria-labelledby="errors-title">
        <h2 id="errors-title">Errors</h2>
        <p class="lead">A refused call costs nothing. Each error is JSON whose <code>type</code> leads to its kind.</p>
        <div class="wide-table" tabindex="0"><table>
          <thead><tr><th scope="col">Status</th><th scope="col">Kind</th><th scope="col">Meaning</th></tr></thead>
          <tbody>${kinds.map(
            ({ slug, status, meaning }) =>
              html`<tr><td class="figure">${status}</td><td><a href="/problems#${slug}">${slug}</a></td><td>${prose(meaning)}</td></tr>`,
          )}</tbody>
        </table></div>
      </section>`;
}

const sideOf = (
  { area, name }: Operation,
  { areas, operations }: Catalogue,
): Markup => html`<nav class="side" aria-label="Operations">
        <p><a href="/docs#area-${area}">${area}</a></p>
        <ul>${operations
          .filter((one) => one.area === area)
          .map(
            (one) =>
              html`<li><a href="/docs/operations/${one.name}"${one.name === name ? html` aria-current="page"` : ""}>${one.summary}</a></li>`,
          )}</ul>
        <p class="soft">Other areas</p>
        <ul class="areas">${areas
          .filter((one) => one.name !== area)
          .map((one) => html`<li><a href="/docs#area-${one.name}">${one.name}</a></li>`)}</ul>
      </nav>`;
